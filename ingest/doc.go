// Package ingest reads the records that other tools write as one stream of
// trials: this project's own JSON lines, CSV, plain lines of outcomes, JUnit XML,
// the output of go test -json, and the logs of agents and evaluation tools. The
// format is told from the content. Rules say what a format does not: a
// [ScenarioRule] what was tried, a [PassRule] what passed.
//
// The main type is [Stream]:
//
//	stream := ingest.Open([]string{"main.xml", "trials.jsonl.gz"}, ingest.Options{})
//	for t, err := range stream.Trials(ctx) {
//		if err != nil {
//			return err // names file, line and a hint
//		}
//		count(t)
//	}
//	for _, notes := range stream.Notes() {
//		fmt.Fprintln(os.Stderr, notes) // what was skipped, and why
//	}
//
// What a format does not say is unknown in the trial, never zero. A stream is of
// one variant, and no trial may come twice in it unless the options say so.
// Compressed input (gzip, zstd, bzip2) is read like any other, in constant memory.
//
// Every format is a line of the table in formats.go: its name, what it is, and its
// decoder, in one of the families below internal/format. Decoders see the package
// internal/record alone, and what they have in common. testdata/formats shows a file of each.
package ingest
