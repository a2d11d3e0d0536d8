package runs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// Why is what a result says of why the trial did not pass; "" where nothing of it is known, and for a trial that
// did not end.
func (x TrialEvidence) Why() string {
	if x.Trial == nil || x.Trial.Outcome == trial.Pass {
		return ""
	}
	judgement, _ := oracle.Recorded(x.Trial)
	return failureText(x, judgement)
}

// failureText is why a trial did not pass: what the judges said, or else the agent's own error, and how its
// program ended, where that was not well; "" where nothing of it is known.
func failureText(x TrialEvidence, j oracle.Judgement) string {
	// Chosen: a message with the end of a standard error fits.
	const most = 400
	var parts []string
	text := reasons(j)
	if text == "" && x.Trial.Error != nil {
		text = prose.PrintableUpTo(x.Trial.Error.Message, most)
	}
	if text != "" {
		parts = append(parts, text)
	}
	ending := x.Process.String()
	if ending == "" {
		return text
	}
	// Messages of crashes say it already.
	if signal := x.Process.Signal; !strings.Contains(text, ending) && (signal == "" || !strings.Contains(text, signal)) {
		parts = append(parts, "the agent ended with "+ending)
	}
	const complaint = "its standard error ends with "
	if line := x.Process.LastLine(); line != "" && !strings.Contains(text, complaint) {
		parts = append(parts, complaint+prose.Quote(line))
	}
	return strings.Join(parts, "; ")
}

// reasons are those of all evaluators that the trial did not pass, that which decided first: the others may be the
// cause of it. What did not come from them, such as a limit that was broken, stands alone.
func reasons(j oracle.Judgement) string {
	list := []string{j.Text}
	fromThem := false
	for _, r := range j.Results {
		switch reason := r.Evaluator + ": " + r.Text; {
		case r.Outcome == trial.Pass:
		case reason == j.Text:
			fromThem = true
		default:
			list = append(list, reason)
		}
	}
	// Chosen: more do not fit a line of a report, and are listed with the trial.
	const most = 4
	switch {
	case !fromThem:
		return j.Text
	case len(list) > most:
		list = append(list[:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(list, "; ")
}

// How much a result holds of what evaluators found of a trial. The numbers are chosen.
const (
	mostEvaluators     = 30  // of a trial, parts of combinations among them
	mostEvaluatorBytes = 300 // of one text
)

// evaluatorsOf are what the evaluators found, as far as there is room: texts are cut to their beginnings.
func evaluatorsOf(j oracle.Judgement) (list []oracle.Result, omitted int) {
	room := mostEvaluators
	list = boundedResults(j.Results, &room)
	return list, countResults(j.Results) - countResults(list)
}

// boundedResults are the first of some results with their parts, as many as there is room for.
func boundedResults(results []oracle.Result, room *int) (list []oracle.Result) {
	for _, r := range results {
		if *room == 0 {
			break
		}
		*room--
		r.Text = phrase.Excerpt(r.Text, mostEvaluatorBytes)
		r.Parts = boundedResults(r.Parts, room)
		list = append(list, r)
	}
	return slices.Clip(list)
}

// countResults counts results and their parts.
func countResults(results []oracle.Result) (n int) {
	for _, r := range results {
		n += 1 + countResults(r.Parts)
	}
	return n
}
