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
//
// # How a stream is read
//
// A splitter cuts the stream into blocks of whole lines and hands them to workers. Each
// decodes its block into the arenas of a batch, which is used again when its trials have
// been handed out: reading allocates next to nothing a trial, and memory does not grow
// with the stream. The batches are handed out in the order of the stream. A stream that
// is one JSON array, or whose objects span lines, is decoded by one goroutine, value by
// value.
//
// A scanner finds the names and values of nearly every text. What is rare it leaves to jsontext, which also says what
// is wrong with a text that is refused. Strings that come again and again, such as the names of scenarios, are held
// once.
package trial
