package oracle

import (
	"context"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Judgement is what came of a trial, and why.
type Judgement struct {
	Outcome trial.Outcome           // Pass, Fail or Error
	Score   trial.Optional[float64] // the smallest of the evaluators', or the trial's own
	Results []Result                // of the evaluators, in their order
	Limits  []LimitResult           // of the limits that are set
	Text    string                  // the first reason why it is not a pass; "" for a pass
	Judge   string                  // a digest of what judged, where whoever judges says so; "" is not known
	Ended   End                     // how the agent ended, where an [Expectation] asked; else not known
}

// Judge judges a trial that ran. Where there are evaluators they decide, all of
// them together as by [All]; the outcome that the trial brings along counts only
// where there are none. Limits hold whatever the evaluators say: a pass that
// breaks one is a fail, and a pass of which it is unknown is an error, unless the
// limits only warn. A fail stays a fail and an error an error.
//
// A trial that could not be run has nothing to judge: its outcome is for the
// caller to say.
func Judge(ctx context.Context, e Evidence, evaluators []Evaluator, limits Limits) Judgement {
	if e.Trial == nil {
		return Judgement{Outcome: trial.Error, Text: "there is no trial"}
	}
	var j Judgement
	switch {
	case slices.Contains(evaluators, nil):
		j.Outcome, j.Text = trial.Error, "an evaluator is nil"
	case len(evaluators) > 0:
		j.Results = evaluate(ctx, evaluators, e)
		together := all(j.Results)
		j.Outcome, j.Score = together.Outcome, together.Score
		j.Text = reason(j.Results, j.Outcome)
		if expects(evaluators) {
			j.Ended = e.ended()
		}
	default:
		j.ownOutcome(e.Trial)
		if e.Truncated && j.Outcome == trial.Pass {
			j.Outcome, j.Text = trial.Error, errTruncated
		}
	}
	// Limits are checked for every trial, so that they are on record; they only make a pass worse.
	j.Limits = limits.Check(e)
	// First those that are broken, then those that are unknown: a fail is the stronger statement.
	for _, limit := range j.Limits {
		if j.Outcome == trial.Pass && limit.Outcome == trial.Fail && !limit.Warn {
			j.Outcome, j.Text = trial.Fail, limit.String()
		}
	}
	for _, limit := range j.Limits {
		if j.Outcome == trial.Pass && limit.Outcome != trial.Pass && !limit.Warn {
			j.Outcome, j.Text = trial.Error, limit.String()
		}
	}
	return j
}

// mostMessage is how much of an agent's error stands in the text of its judgement. It is chosen: reports have that text
// alone, and what matters of an error often stands at its end, such as that of a standard error.
const mostMessage = 400

// ownOutcome takes the outcome that the trial brings along, where nobody else judges it.
func (j *Judgement) ownOutcome(t *trial.Trial) {
	j.Outcome, j.Score = t.Outcome, t.Score
	switch t.Outcome {
	case trial.Pass:
	case trial.Fail:
		j.Text = "reported as failed"
	case trial.Error:
		j.Text = "reported as an error"
	default:
		j.Outcome, j.Text = trial.Error, "there are no evaluators, and the trial brings no outcome"
	}
	if t.Error != nil && t.Error.Message != "" && j.Text != "" {
		j.Text += ": " + prose.PrintableUpTo(prose.OneLine(t.Error.Message), mostMessage)
	}
}

// reason is the text of the first result with the outcome; "" for a pass.
func reason(results []Result, outcome trial.Outcome) string {
	for _, r := range results {
		if r.Outcome == outcome && outcome != trial.Pass {
			return r.Evaluator + ": " + r.Text
		}
	}
	return ""
}
