package results

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/running"
	"github.com/tribunal-dev/tribunal/internal/align"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/trial"
)

// diffTrials prints two trials step by step: what both did, and what only one did or did otherwise, with the first
// difference above.
func diffTrials(p *running.TriedPage, both [2]*diffSide) {
	left, right := both[0].chosen, both[1].chosen
	for i, t := range []*trial.Trial{left, right} {
		name := prose.Printable(t.Scenario)
		if t.Index.Known {
			name += fmt.Sprintf("#%d", t.Index.Value)
		}
		p.Linef("%c %s of %s: %s", "-+"[i], name, prose.FileName(both[i].name), p.Paint(t.Outcome, t.Outcome.String()))
	}
	if text := inputDifference(left, right); text != "" {
		p.Linef("%s", text)
	}
	rows := align.Rows(len(left.Steps), len(right.Steps), func(i, j int) bool {
		return left.Steps[i].Action == right.Steps[j].Action && left.Steps[i].Tool == right.Steps[j].Tool
	})
	var lines []string
	first := ""
	mark := func(sign byte, text string) {
		for i, line := range table.Wrap(text, max(20, p.Screen.Width-4)) {
			if i > 0 {
				sign = ' '
			}
			lines = append(lines, fmt.Sprintf("%c %s", sign, line))
		}
	}
	differs := func(place, what string) {
		if first == "" {
			first = "first difference: " + place + ", " + what
		}
	}
	for k, at := range rows {
		place := fmt.Sprintf("step %d", k+1)
		switch i, j := at[0], at[1]; {
		case j < 0:
			differs(place, "only before: "+running.StepName(left.Steps[i]))
			mark('-', stepLine(left.Steps[i]))
		case i < 0:
			differs(place, "only after: "+running.StepName(right.Steps[j]))
			mark('+', stepLine(right.Steps[j]))
		default:
			x, y := left.Steps[i], right.Steps[j]
			if what := stepChange(x, y); what != "" {
				differs(place, running.StepName(x)+": another "+what)
				mark('-', stepLine(x))
				mark('+', stepLine(y))
			} else {
				mark(' ', stepLine(x))
			}
		}
	}
	if a, b := left.Output.Text(), right.Output.Text(); a != b {
		differs("the output", "after "+prose.Count(len(rows), "step"))
		mark('-', "output "+prose.Excerpt(a))
		mark('+', "output "+prose.Excerpt(b))
	} else if a != "" {
		mark(' ', "output "+prose.Excerpt(a))
	}
	if left.Steps == nil && right.Steps == nil {
		p.Linef("no steps are recorded of either")
	}
	if first == "" {
		first = "both did the same"
	}
	p.Linef("%s\n", first)
	for _, line := range lines {
		p.Linef("%s", line)
	}
}

// inputDifference says that both had another input.
func inputDifference(left, right *trial.Trial) string {
	a, b := left.Input.Text(), right.Input.Text()
	if a == b || a == "" || b == "" {
		return ""
	}
	return "their inputs differ"
}

// stepLine is a step with what went in and came out of it.
func stepLine(s trial.Step) string { return running.StepName(s) + running.StepDetails(s) }

// stepChange names the parts in which two steps of one kind differ.
func stepChange(a, b trial.Step) string {
	var parts []string
	if string(a.Arguments) != string(b.Arguments) {
		parts = append(parts, "input")
	}
	if string(a.Output) != string(b.Output) {
		parts = append(parts, "result")
	}
	if a.Error != b.Error {
		parts = append(parts, "error")
	}
	return prose.And(parts)
}
