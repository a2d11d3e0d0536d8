// Package coverage measures how much of what an agent can do a set of trials has
// tried: which of its tools were called, how many of its decision paths and states
// were seen, which limits of its tools' parameters were touched, and on which of its
// models it ran (AgentAssay, Definitions 4.1 to 4.10).
//
// A [Collector] is made from the [Declaration] of an agent, takes trials in one at
// a time, and measures whenever it is asked:
//
//	c, err := coverage.NewCollector(coverage.Declaration{Tools: []string{"search", "refund"}})
//	if err != nil {
//		return err
//	}
//	for t, err := range trial.Read(file, trial.Options{}) {
//		if err != nil {
//			return err
//		}
//		c.Add(t)
//	}
//	fmt.Println(c.Measure().Tools.Uncalled)
//
// The five dimensions and what they count:
//
//   - tool: the tools that were called, of those that were declared;
//   - path: the paths of the orchestration graph that were tried (package graph); without a graph the
//     share of all future trials that take a sequence of actions and tools which was taken
//     already ([turing]), with a lower limit ([seenAtLeast]); beside it how many there are at the least,
//     from how many were taken once and twice ([Chao1]);
//   - state: the abstract states that steps led to, against how many are expected;
//   - boundary: the limits of parameters that an argument came to or near, of those that
//     the tools' JSON Schema or a suite gives ([Domain]), and where that is asked for the extremes of those without;
//   - model: the models that were run on, of those that were intended.
//
// The overall coverage is their weighted geometric mean ([Overall]), if anything but paths was declared or
// paths were given a weight or a graph; a minimum is met where its lower limit reaches it. Beside it stands the
// share of the declared capabilities that a passing scenario exercises.
//
// A [Collector] keeps counts alone. [Counts] are all of them in a form that can be saved,
// and a [Result] can be computed from them again.
//
// A dimension that nobody declared is not measured, which is never the same as
// covered: it is left out of the mean, with a warning. Nothing here is a verdict, and
// no error probability goes with it but that of the limit: coverage says where the trials have not looked.
//
// # Which file to open
//
//   - What is declared: declared.go, domain.go (what a parameter may be, and its limits), dimension.go;
//     extremes.go has what stands for limits where there are none; tools.go, schema.go and node.go read a list of tools
//     and the JSON Schema of each.
//   - Counting: collector.go takes trials in, touch.go says which limits the arguments of a call touch;
//     counts.go is what is counted, to be saved.
//   - Measuring: measure.go for the dimensions, chao.go and unseen.go for the paths that were not seen,
//     capabilities.go; advice.go for warnings and what to do next; result.go for the result.
package coverage
