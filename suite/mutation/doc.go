// Package mutation changes one thing about an agent at a time, to see whether a suite notices.
//
// An agent is what a [Configuration] says: its prompt, tools, model and context (Section 5.1 of the paper). An
// [Operator] changes one of them at a [Site]: it leaves an instruction out, puts another model in. [Mutants] finds all
// sites of all operators, in an order that depends on the configuration alone, and a [Mutant] can be applied to the
// configuration again, to one that has changed elsewhere, or to what a request of the agent says on the wire:
//
//	all, err := mutation.Mutants(ctx, configuration, mutation.Options{Operators: []string{"prompt.*", "tool.remove"}})
//	changed, err := all[0].Apply(configuration)
//	fmt.Print(mutation.Diff(configuration, changed))
//
// Everything here is a function of its arguments: the random numbers of an operator follow from a seed and from the
// site. [Command] alone, an operator of the user's own, starts a program.
//
// Where to look:
//
//   - configuration.go, tool.go, segment.go: what is mutated, kept byte for byte where it is not
//   - marker.go, block.go, instruction.go, sentence.go, mask.go: where the instructions of a prompt are
//   - operator.go: the table of operators; prompt_*.go, of_tools.go, of_models.go, of_context.go, of_results.go: what
//     they do
//   - mutants.go, mutant.go, compose.go, since.go, diff.go: mutants of all that
package mutation
