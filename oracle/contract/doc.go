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
// [Summary] collects the reports of many trials, with the exact limits of the rate
// at which the contract is kept, and [Satisfaction] says what that promises of the
// next trials.
package contract
