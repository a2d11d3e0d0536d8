// Package guardrails counts what guardrails of contracts kept agents from doing: calls of tools that were denied, and
// attempts that were ended at one.
//
//	var sum guardrails.Sum
//	for t, err := range trial.Read(file, trial.Options{}) {
//		if err != nil {
//			return err
//		}
//		sum.Add(guardrails.Of(t))
//	}
//	if counts := sum.Counts(); counts != nil {
//		fmt.Println(counts.Denied, counts.Killed, counts.Trials, counts.Guarded)
//	}
//
// A trial before which a guard stood says so in its record, also where nothing was denied; any other says nothing.
//
//	trial.go    what was found in one trial, and its place in the record
//	counts.go   what was found in all
//	check.go    refuses saved counts that do not add up
package guardrails
