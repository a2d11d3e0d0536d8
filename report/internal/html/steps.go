package html

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// step is a step of a trial with its texts made safe.
type step struct{ Action, Tool, Error, Arguments, Output, About string }

// stepRow is a step on each side; nil where only the other side has it.
type stepRow struct {
	Failed, Passed *step
	What           string // "same", "differs" or "alone"
	Says           string // what is not the same, for a person
}

// pageStep is a step with what it took. JSON is indented where all of it is there.
func pageStep(s runs.Step) step {
	var about []string
	if s.InputTokens != nil && s.OutputTokens != nil {
		about = append(about,
			figure.Quantity(float64(*s.InputTokens))+" + "+figure.Quantity(float64(*s.OutputTokens))+" tokens")
	}
	if s.CostUSD != nil {
		about = append(about, figure.Money(*s.CostUSD))
	}
	if s.Duration != nil {
		about = append(about, figure.Duration(*s.Duration))
	}
	return step{
		Action: safe.Text(s.Action), Tool: safe.Text(s.Tool), Error: safe.Text(s.Error),
		Arguments: safe.Lines(indented(s.Arguments)),
		Output:    safe.Lines(indented(s.Output)), About: strings.Join(about, ", "),
	}
}

// indented is JSON in lines, unless it is short, or none, or was cut.
func indented(text string) string {
	// Chosen: what fits on a line stays there.
	const short = 60
	var b bytes.Buffer
	if len(text) <= short || json.Indent(&b, []byte(text), "", "  ") != nil {
		return text
	}
	return b.String()
}

// compareSteps aligns the steps of two trials by what they do: a longest common subsequence of actions and tools. Steps
// of one kind may still differ in what went in and came out.
func compareSteps(failed, passed []runs.Step) (rows []stepRow) {
	same := func(a, b runs.Step) bool { return a.Action == b.Action && a.Tool == b.Tool }
	// lengths[i][j] is that of what is common from i and j on. Results list some thirty steps of a trial.
	lengths := make([][]int, len(failed)+1)
	for i := range lengths {
		lengths[i] = make([]int, len(passed)+1)
	}
	for i := len(failed) - 1; i >= 0; i-- {
		for j := len(passed) - 1; j >= 0; j-- {
			if same(failed[i], passed[j]) {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	one := func(s runs.Step) *step { return new(pageStep(s)) }
	for i, j := 0, 0; i < len(failed) || j < len(passed); {
		switch {
		case i < len(failed) && j < len(passed) && same(failed[i], passed[j]):
			row := stepRow{Failed: one(failed[i]), Passed: one(passed[j]), What: "same"}
			if says := stepDifference(failed[i], passed[j]); says != "" {
				row.What, row.Says = "differs", says
			}
			rows = append(rows, row)
			i, j = i+1, j+1
		case j == len(passed) || i < len(failed) && lengths[i+1][j] >= lengths[i][j+1]:
			rows = append(rows, stepRow{Failed: one(failed[i]), What: "alone", Says: "only in the one that failed"})
			i++
		default:
			rows = append(rows, stepRow{Passed: one(passed[j]), What: "alone", Says: "only in the one that passed"})
			j++
		}
	}
	return rows
}

// stepDifference says in which of their parts two steps of one kind differ.
func stepDifference(a, b runs.Step) string {
	var parts []string
	for _, x := range []struct {
		name   string
		differ bool
	}{{"arguments", a.Arguments != b.Arguments}, {"result", a.Output != b.Output}, {"error", a.Error != b.Error}} {
		if x.differ {
			parts = append(parts, x.name)
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "another " + prose.And(parts)
}
