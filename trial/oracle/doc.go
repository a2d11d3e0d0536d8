// Package oracle decides what makes a trial pass: evaluators over the output and
// the steps of a trial, budgets on what it took, and limits that hold whatever
// the evaluators say.
//
// The main type is [Evaluator]; [Judge] applies several to the [Evidence] of one
// trial:
//
//	department, err := oracle.ParsePath("department")
//	routed := oracle.Equals(department, trial.RawString("billing"))
//	tokens, err := oracle.Budget(oracle.TokenBudget, 50000)
//	judgement := oracle.Judge(ctx, oracle.Evidence{Trial: t}, []oracle.Evaluator{routed, tokens}, limits)
//
// An evaluator passes, fails, or cannot judge. The last is [trial.Error]: what is
// not recorded, such as the tokens of a trace without counts, is never taken as 0
// and never passes. Evaluators combine by Kleene's three-valued logic, in which an
// error decides nothing that the others leave open.
//
// Evaluators that are given options return an [OptionError] for those that make no
// sense; once made they never fail to answer. What an answer quotes of a trial is
// escaped and cut: it may be printed.
//
//	judge.go                       evaluators and limits together: the outcome of a trial
//	evidence.go, result.go         what an evaluator is given, and what it answers
//	text.go, schema.go, tools.go, budget.go  evaluators of the output, the steps, what it took
//	combine.go                     evaluators of others
//	command.go                     a program that judges
//	path.go, document.go           a place in the output, and the JSON found there
//	limits.go, record.go           limits, and the judging as it is recorded with a trial
//
// Package contract has one more evaluator: a contract of clauses.
package oracle
