package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/align"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// step is a step of a trial with its texts made safe.
type step struct{ Action, Tool, Error, Arguments, Output, About string }

// stepRow is a step on each side; nil where only the other side has it.
type stepRow struct {
	Left, Right *step
	What        string // "same", "differs" or "alone"
	Says        string // what is not the same, for a person
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
	for _, e := range s.Events {
		about = append(about, safe.Text(e))
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

// compareSteps sets the steps of two trials side by side, and says what only one of them has. It aligns the steps of
// two trials by what they do, their actions and tools. Steps of one kind may still differ in what went in and came out.
func compareSteps(left, right []runs.Step, only [2]string) (rows []stepRow) {
	one := func(s runs.Step) *step { return new(pageStep(s)) }
	same := func(i, j int) bool { return left[i].Action == right[j].Action && left[i].Tool == right[j].Tool }
	for _, at := range align.Rows(len(left), len(right), same) {
		switch i, j := at[0], at[1]; {
		case j < 0:
			rows = append(rows, stepRow{Left: one(left[i]), What: "alone", Says: only[0]})
		case i < 0:
			rows = append(rows, stepRow{Right: one(right[j]), What: "alone", Says: only[1]})
		default:
			row := stepRow{Left: one(left[i]), Right: one(right[j]), What: "same"}
			if says := stepDifference(left[i], right[j]); says != "" {
				row.What, row.Says = "differs", says
			}
			rows = append(rows, row)
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
	switch {
	case len(parts) == 0:
		return ""
	case len(parts) == 1 && parts[0] != "arguments":
		return parts[0] + " differs"
	}
	return prose.And(parts) + " differ"
}

// flipSteps sets what both trials of a pair did side by side.
func flipSteps(f compare.Flip) []stepRow {
	only := [2]string{"only in the baseline's trial", "only in the candidate's trial"}
	// Beside a trial of which nothing is known, every step would be alone.
	if f.BaselineSteps == nil || f.CandidateSteps == nil {
		only = [2]string{}
	}
	return compareSteps(recordedSteps(f.BaselineSteps), recordedSteps(f.CandidateSteps), only)
}

// recordedSteps are the steps of a trial of a comparison.
func recordedSteps(s *recording.Steps) (list []runs.Step) {
	if s == nil {
		return nil
	}
	for _, x := range s.List {
		list = append(list, runs.Step{Action: x.Action, Tool: x.Tool, Arguments: x.Arguments, Output: x.Output,
			Error: x.Error})
	}
	return list
}

// notListed says of which steps of a pair nothing is shown, and why; "" where all are.
func notListed(f compare.Flip) string {
	var parts []string
	for _, side := range []struct {
		name  string
		steps *recording.Steps
	}{{"baseline's", f.BaselineSteps}, {"candidate's", f.CandidateSteps}} {
		switch {
		case side.steps == nil:
			parts = append(parts, "this result holds no steps of the "+side.name+" trial")
		case side.steps.Omitted > 0:
			parts = append(parts, fmt.Sprintf("there was no room for %s of the %s trial",
				prose.Count(side.steps.Omitted, "further step"), side.name))
		}
	}
	if f.BaselineSteps == nil && f.CandidateSteps == nil {
		parts = []string{"this result holds no steps of either trial"}
	}
	if len(parts) == 0 {
		return ""
	}
	return prose.Capitalised(prose.And(parts)) + "."
}
