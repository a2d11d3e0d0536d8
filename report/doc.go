// Package report writes the result of a judgement in every format: as text for a
// person, as Markdown, HTML, JUnit XML, events of go test and commands for GitHub
// Actions, and as the JSON of the result itself. It computes nothing: every number is
// in the result.
//
//	result, err := verdict.JudgeThreshold(ctx, tallies, verdict.ThresholdOptions{Threshold: 0.85})
//	err = report.Write(os.Stdout, result, report.TextFormat, report.Options{Width: 80})
//	err = report.Write(file, result, report.HTMLFormat, report.Options{})
//
// A builder for each kind of result makes a document of it: what there is to say. A
// writer for each format says how. A figure that a builder adds appears in all
// formats.
//
// Where to look: format.go has the one entry point, [Write], the list of formats and
// the choice of the builder. The builders are in the files that are named after the
// kinds of results (run.go with regression.go, gate.go, threshold.go, comparison.go and its three
// further files, sequential.go, behaviour.go, plan.go with plan_compare.go,
// suite_plan.go, forecast.go, coverage.go, contract.go); parts.go has what several of
// them share. What they build is declared in internal/document, internal/figure has how
// each sort of number is written, and internal/html the page.
//
// The writers are text.go with page.go (lines of a page), bar.go, boundary_chart.go
// and text_chart.go (drawings of characters); markdown.go with markdown_escape.go;
// junit.go; gotest.go; workflow.go (annotations and outputs) and json.go. A new
// number is one line in a builder; a new format is one function and one row of the
// list in format.go.
//
// Names and messages in a result were written by systems under test. No format passes
// on what a terminal, a log, a browser or a pull request would act on: it shows it.
// For that, every text goes through safe.Text (internal/safe), and then through what
// escapes it for the format.
package report
