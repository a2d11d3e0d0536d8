// Package contract checks what an agent must and must not do, clause by clause:
// preconditions, postconditions, invariants of every step, and guardrails that forbid
// tools, paths, URLs and commands.
//
// The main type is [Contract], which a YAML file holds:
//
//	version: 1
//	name: careful-refunds
//	clauses:
//	  - name: one refund at most
//	    kind: postcondition
//	    severity: hard
//	    require: count(trial.steps, .tool == "refund") <= 1
//	  - name: nothing is deleted
//	    kind: guardrail
//	    severity: hard
//	    forbid: {tools: [delete_*], commands: [rm -rf **]}
//
//	c, err := contract.Load("contract.yaml")
//	report := c.Check(ctx, t) // of a trial: each clause holds, is violated, or cannot be judged
//	evaluator := contract.Evaluator(c)
//
// Conditions are expressions of github.com/expr-lang/expr over the trial and the
// step. A value that is not recorded is nil, and a condition that asks something of
// it cannot be judged: it never holds. Conditions are bounded in size, memory,
// iterations and time.
//
// # What a guardrail sees
//
// What a tool is given may be anything: a path, a sentence, a script. Every text in the
// arguments is therefore read as a POSIX shell would read a command, as far as it goes,
// and a guardrail looks at each simple command that a shell would start: in a list, a
// pipeline, a substitution, a here-document, a function, behind sudo, env, xargs or
// ssh, in sh -c "…" and eval. Quotes and escapes are taken away first. The reader never
// fails on a text, since a shell runs what stands before a mistake; what goes beyond its
// bounds makes the clause unjudged, not kept.
//
// It does not see through what is decided when the command runs: variables, globs,
// aliases, a script in a file, a program that is another under a new name, and the
// languages of other interpreters.
//
// # Many trials
//
// [Summary] collects the reports of many trials, with the exact limits of the rate
// at which the contract is kept, and [Satisfaction] says what that promises of the
// next trials.
//
//	decode.go, decode_node.go     from YAML to a Contract; contract.go has its types
//	check.go                      all clauses of one trial
//	environment.go                the trial as conditions see it
//	condition.go, condition_guards.go  conditions: compiled, bounded, strict about unknown values
//	guardrail.go                  what is forbidden and allowed, at one step
//	shellwords.go, commands.go    text to simple commands, and commands to those that they start
//	paths.go, urls.go, glob.go, texts.go  what patterns are matched with
//	before.go, resolve.go         guardrails before an act, and paths as tools resolve them
//	evaluator.go                  the contract as an evaluator of a suite
//	summary.go, satisfaction.go   many trials
package contract
