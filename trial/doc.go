// Package trial holds the vocabulary of this project, the record of one trial
// of a system, and reads and writes it as JSON lines.
//
// The main type is [Trial]. A file of trials has one JSON object a line:
//
//	{"scenario":"43","trial":0,"variant":"base","outcome":"pass","cost_usd":0.0153}
//
// [Read] reads such a stream, gzip-compressed or not, in constant memory and on
// all processors, and hands out the trials in their order:
//
//	for t, err := range trial.Read(file, trial.Options{File: "trials.jsonl"}) {
//		if err != nil {
//			return err // names file, line, column, field and a hint
//		}
//		if t.Outcome == trial.Pass {
//			passes++
//		}
//	}
//
// [Writer] writes one. Only scenario and outcome are needed. A field that is
// absent, or null, is unknown and stays unknown: numbers are [Optional], never 0
// for want of a value. An empty string says the same as an absent one. Fields
// that this package does not know are kept, in their order, as [Member] values.
//
// Reading is strict: a field of a wrong type, an outcome that is not one of the
// three, a negative count, a name given twice, and bytes that are not UTF-8 are
// errors with a place. [KeySet] finds trials that are recorded twice.
package trial
