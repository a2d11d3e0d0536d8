package sequential

import (
	"errors"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// stopped is a recording whose test of one scenario ended after so many trials.
func stopped(t *testing.T, outcomes string, judged int) *recording.Recording {
	t.Helper()
	s, err := baseline.Sequential(sample.Design().Boundaries)
	if err != nil {
		t.Fatal(err)
	}
	stops := s.Record()
	r := stream(outcomes)
	r.StoppedBy(recording.Stop{Test: "a", Scenarios: []string{"a"}, Sample: &stops, Judged: judged})
	return r
}

// The trials of one test are judged in the order of launch, and say what the run itself did.
func TestStoppedRecordings(t *testing.T) {
	r := sequential(t, stopped(t, passes(15), 15), Options{})
	if r.Verdict != verdict.Pass || r.Trials != 15 {
		t.Errorf("%s after %d", r.Verdict, r.Trials)
	}
	found, err := r.Rejudge(t.Context())
	if err != nil || found.Again.(*Result).Recording.Stopped == nil {
		t.Errorf("judged again: %v", err)
	}
	o := Options{Design: sample.Design()}
	if _, err := Judge(t.Context(), stopped(t, passes(15), 14), o); !is[*recording.StopError](err) {
		t.Errorf("a run that did not end there: %v", err)
	}
	o.Order = ShuffleOrder
	if _, err := Judge(t.Context(), stopped(t, passes(15), 15), o); !is[*recording.StoppedError](err) {
		t.Errorf("shuffled: %v", err)
	}
	o.Order = FileOrder
	two := stopped(t, passes(15), 15)
	two.StoppedBy(recording.Stop{Test: "b", Scenarios: []string{"b"}})
	if _, err := Judge(t.Context(), two, o); !is[*recording.StoppedError](err) {
		t.Errorf("two tests: %v", err)
	}
	other := stopped(t, passes(15), 15)
	other.Add(&trial.Trial{Scenario: "b", Outcome: trial.Pass})
	if _, err := Judge(t.Context(), other, o); !is[*recording.StoppedError](err) {
		t.Errorf("a scenario of no test: %v", err)
	}
}

// is reports whether an error is of a type.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
