package runs

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Sentence says why a run ended, such as "the cost budget was used up"; budget is the one that ran out, if one did. A
// cause that is not known is "the run was stopped".
func (c StopCause) Sentence(budget string) string {
	switch c {
	case StoppedByDecision:
		return "every test was decided"
	case StoppedByMaxTrials:
		return "a test ended without a decision"
	case StoppedByFirstFail:
		return "every agent was decided, by its first test that failed or by all of its tests"
	case StoppedByRace:
		return "the race was over for it"
	case StoppedByBudget:
		if budget == "duration" {
			budget = "time"
		}
		return strings.TrimSpace("the "+prose.Excerpt(budget)) + " budget was used up"
	case StoppedByInterrupt:
		return "the run was interrupted"
	case StoppedByDeadline:
		return "the time for the run was over"
	case StoppedByRecording:
		return "the recording ended"
	case StoppedByErrors:
		return "the agent could not be run"
	case StoppedByFailure:
		return "the run could not go on"
	}
	return "the run was stopped"
}

// StopOf says why tests ended that nothing else stopped: by their decisions, by their last trials,
// or, where one has not ended, by the end of a recording.
func StopOf(tests []TestEvidence) (StopCause, error) {
	cause := StoppedByDecision
	deciders, err := decideAll(tests)
	if err != nil {
		return cause, err
	}
	for _, d := range deciders {
		switch {
		case !d.Decided():
			return StoppedByRecording, nil
		case d.Outcome() == sprt.Inconclusive:
			cause = StoppedByMaxTrials
		}
	}
	return cause, nil
}

// openVariants reports whether a variant has a test that has not ended, and none that failed.
func openVariants(tests []TestEvidence) (bool, error) {
	open, failed := map[string]bool{}, map[string]bool{}
	deciders, err := decideAll(tests)
	if err != nil {
		return false, err
	}
	for i, t := range tests {
		d := deciders[i]
		open[t.Variant] = open[t.Variant] || !d.Decided()
		failed[t.Variant] = failed[t.Variant] || d.Outcome() == sprt.Fail
	}
	for variant := range open {
		if open[variant] && !failed[variant] {
			return true, nil
		}
	}
	return false, nil
}

// checkStop compares why a run ended with how its tests stand. Whether it was a budget, an interrupt
// or something else that ended it before a test did, they do not tell.
func (r *Result) checkStop(e *Evidence) error {
	tests, err := StopOf(e.Tests)
	if err != nil {
		return err
	}
	ended, want := tests != StoppedByRecording && !r.Calibration.Short(), ""
	switch r.StoppedBy {
	case StoppedByDecision, StoppedByMaxTrials:
		switch {
		case r.StoppedBy != tests:
			want = string(tests)
		case r.Calibration.Short():
			want = "a cause for which not all trials were recorded"
		}
	case StoppedByRecording, StoppedByBudget:
		// A budget of time may run out while the last trials run, and they may decide, and so do those of cost and tokens
		// where they cut off others on the wire. Else a budget ends launching, and so a test that has not ended.
		onWire := r.Spent.Cut > 0 && (r.Budget == "cost" || r.Budget == "tokens")
		if ended && (r.StoppedBy == StoppedByRecording || r.Budget != "duration" && !onWire) {
			want = string(tests)
		}
	case StoppedByFirstFail:
		open, err := openVariants(e.Tests)
		switch {
		case err != nil:
			return err
		case ended:
			want = string(tests)
		case open:
			want = "a cause for which a variant has not ended"
		}
	case StoppedByRace:
		if ended {
			want = string(tests)
		}
	case StoppedByInterrupt, StoppedByDeadline, StoppedByErrors, StoppedByFailure:
	default:
		want = "one of the causes that there are"
	}
	if want == string(StoppedByRecording) {
		want = "a cause for which a test has not ended"
	}
	if want != "" {
		return &verdict.DifferenceError{Path: "stopped_by", Have: fmt.Sprintf("%q", r.StoppedBy), Want: want}
	}
	if (r.Budget != "") != (r.StoppedBy == StoppedByBudget) {
		return &verdict.DifferenceError{Path: "budget", Have: fmt.Sprintf("%q", r.Budget),
			Want: fmt.Sprintf("one only where that stopped the run, and it was stopped by %s", r.StoppedBy)}
	}
	return nil
}
