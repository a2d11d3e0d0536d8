// Package report writes the result of a judgement in every format: as text for a person,
// as Markdown, HTML, JUnit XML, events of go test and commands for GitHub Actions, and as
// the JSON of the result itself. It computes nothing: every number is in the result.
//
//	result, err := verdict.JudgeThreshold(tallies, verdict.ThresholdOptions{Threshold: 0.85})
//	err = report.Write(os.Stdout, result, report.TextFormat, report.Options{Width: 80})
//	err = report.Write(file, result, report.JUnitFormat, report.Options{})
//
// A builder for each kind of result makes a document of it: what there is to say. A
// writer for each format says how. A figure that a builder adds appears in all formats.
//
// Names and messages in a result were written by systems under test. No format passes on
// what a terminal, a log, a browser or a pull request would act on: it shows it.
package report
