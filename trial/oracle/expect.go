package oracle

import (
	"context"
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Expectation is how a trial is to end. The zero value expects nothing.
type Expectation struct {
	Status Status        // "" expects nothing
	Within time.Duration // the longest that it may take; 0 is as long as it likes

	// What else must hold of the way there, by the steps of the trial. The zero values ask nothing.
	MaxAttempts  int                   `json:",omitzero"` // requests to a model for one answer
	MustNotCall  []string              `json:",omitzero"` // tools
	Denied       []string              `json:",omitzero"` // arguments of calls, with * for anything, that must fail
	NoCanary     bool                  `json:",omitzero"` // nothing of what was injected comes out
	BilledTokens trial.Optional[int64] `json:",omitzero"` // at most, of answers, in and out
}

// Asked reports whether anything is expected.
func (x Expectation) Asked() bool { return x.Status != "" }

// Declares reports whether an end is the one that is expected.
func (x Expectation) Declares(e End) bool { return x.Asked() && e.Is(x.Status) }

// Limits are the limits that a trial is held to which ends as expected. One that is cut off on purpose need not tell
// what it took: unless it is to complete, a limit holds where it does.
func (x Expectation) Limits(l Limits) Limits {
	if x.Asked() && x.Status != Completed {
		l.IfTold = true
	}
	return l
}

// ExpectName is the name under which results have what an [Expectation] found.
const ExpectName = "expect"

// Evaluator passes where a trial ended as expected, in the time that it may take. An end of which nothing is known
// cannot be judged.
func (x Expectation) Evaluator() Evaluator {
	return evaluator{ExpectName, sureOfAll, func(ctx context.Context, e Evidence) Result {
		end := x.judge(e)
		if end.Outcome != trial.Pass {
			return end
		}
		return both(end, x.conduct(ctx, e))
	}}
}

// both is what came of the end and of the way there.
func both(end Result, conduct []Result) Result {
	for _, want := range []trial.Outcome{trial.Fail, trial.Error} {
		for _, r := range conduct {
			if r.Outcome == want {
				return r
			}
		}
	}
	for _, r := range conduct {
		end.Text += "; " + r.Text
	}
	return end
}

// judge looks at the end, and then at the time.
func (x Expectation) judge(e Evidence) Result {
	end := e.ended()
	switch {
	case !end.Known():
		return unjudged("expected %s; how the agent ended is not known", x.Status)
	case !x.Declares(end):
		return decided(false, fmt.Sprintf("expected %s, and it %s", x.Status, end))
	}
	text := "as expected, it " + end.String()
	if x.Within == 0 {
		return decided(true, text)
	}
	took := usable(e.Trial.DurationSeconds)
	if !took.Known {
		return unjudged("expected within %v; the duration is not known", x.Within)
	}
	// Durations of records have fewer digits than a float64.
	seconds := fmt.Sprintf("%.4g s", took.Value)
	if took.Value > x.Within.Seconds() {
		return decided(false, fmt.Sprintf("expected %s within %v, and it took %s", x.Status, x.Within, seconds))
	}
	return decided(true, fmt.Sprintf("%s, after %s of %v", text, seconds, x.Within))
}

// ended is how the agent ended: as whoever ran it saw, or else as the record says.
func (e Evidence) ended() End {
	if e.End.Known() || e.Trial == nil {
		return e.End
	}
	return EndOf(e.Trial)
}

// expects reports whether an end is judged.
func expects(evaluators []Evaluator) bool {
	for _, v := range evaluators {
		if own, ok := v.(evaluator); ok && own.name == ExpectName {
			return true
		}
	}
	return false
}

// Admits reports whether a trial that is recorded is judged: one that is no error, and one whose error is what was
// expected, or came of an earlier judging.
func (x Expectation) Admits(t *trial.Trial) bool {
	if t.Outcome != trial.Error || t.Error != nil && t.Error.Origin == JudgeOrigin {
		return true
	}
	return x.Declares(EndOf(t))
}
