// Package compliance says how recorded trials keep a contract. [Judge] takes the summary of
// a contract's checks and returns a [Result]: a trial that violates a hard clause fails it,
// and the rate of trials that keep it has an exact interval.
//
//	summary := contract.NewSummary(c) // then summary.Add for each trial with its findings
//	result, err := compliance.Judge(summary, 0.05)
//
// Where to look: compliance.go has the result and the verdict, counts.go the rates with
// their intervals and the promise, and rejudge.go judges a saved result again from its
// counts. Package trial/oracle/contract checks the trials themselves.
package compliance
