package recording

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
)

// twoOf stops at two passes or two failures among three trials at most.
func twoOf(t *testing.T) *baseline.SampleRecord {
	t.Helper()
	s, err := baseline.Sequential(sprt.Boundaries{
		PassAtOrBelow: []int{-1, 0, 1}, FailAtOrAbove: []int{sprt.Never, 2, 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := s.Record()
	return &r
}

func recorded(scenario, outcomes string, stops ...Stop) *Recording {
	r := &Recording{}
	for _, letter := range outcomes {
		o := map[rune]trial.Outcome{'p': trial.Pass, 'f': trial.Fail, 'e': trial.Error}[letter]
		r.Add(&trial.Trial{Scenario: scenario, Outcome: o})
	}
	r.StoppedBy(stops...)
	return r
}

func TestStopped(t *testing.T) {
	fixed := Stop{Test: "a", Scenarios: []string{"a"}, Judged: 3, Sample: &baseline.SampleRecord{Fixed: 3}}
	if s := recorded("a", "ppp").Stopped(); s != nil {
		t.Errorf("trials of nobody: %v", s)
	}
	if s := recorded("a", "ppp", fixed).Stopped(); s != nil {
		t.Errorf("a number that was fixed: %v", s)
	}
	s := recorded("a", "ppp", fixed, Stop{Test: "b", Scenarios: []string{"b", "c"}}).Stopped()
	if s == nil || s.Ended() || len(s.Of("c")) != 1 || len(s.Of("d")) != 0 ||
		!strings.HasPrefix(s.Sentence(), "the run has no verdict") {
		t.Errorf("%+v", s)
	}
	ended := Stop{Test: "b", Scenarios: []string{"b"}, Judged: 2, Outcome: "pass"}
	together := Stop{Test: "c", Scenarios: []string{"c"}, Outcome: "pass"}
	if s := recorded("b", "pp", ended, together).Stopped(); !s.Ended() || !strings.HasPrefix(s.Sentence(), "2 tests ended") {
		t.Errorf("tests that have ended: %+v", s)
	}
	cut := Stop{Test: "a", Scenarios: []string{"a"}, Sample: &baseline.SampleRecord{Fixed: 3}}
	if s := recorded("a", "pp", cut).Stopped(); !s.IsCut() || s.Ended() ||
		!strings.Contains(s.Sentence(), "of 3 trials") {
		t.Errorf("a fixed number that was stopped before its end: %+v", s)
	}
	if s.IsCut() || recorded("a", "pp", fixed, cut, Stop{Test: "b"}).Stopped().IsCut() {
		t.Error("a test that stops by itself is taken for a recording that was stopped")
	}
	if !recorded("a", "pp", fixed, cut).Stopped().IsCut() {
		t.Error("one recording of two was stopped")
	}
	var none *StoppedTests
	if !none.Ended() || none.Of("a") != nil {
		t.Error("none has tests")
	}
}

func TestEnds(t *testing.T) {
	stop := Stop{Test: "a", Scenarios: []string{"a"}, Sample: twoOf(t)}
	for _, c := range []struct {
		outcomes    string
		judged      int
		best, worst baseline.Outcome
		problem     string
	}{
		{"pp", 2, baseline.Outcome{Trials: 2}, baseline.Outcome{Trials: 2}, ""},
		// one beyond the end
		{"pfpf", 3, baseline.Outcome{Trials: 3, Failures: 1}, baseline.Outcome{Trials: 3, Failures: 1}, ""},
		{"pep", 3, baseline.Outcome{Trials: 2}, baseline.Outcome{Trials: 3, Failures: 1}, ""},
		{"pf", 0, baseline.Outcome{}, baseline.Outcome{}, "stopped before"},
		{"pf", 2, baseline.Outcome{}, baseline.Outcome{}, "was it changed"},
		{"ppp", 3, baseline.Outcome{}, baseline.Outcome{}, "was it changed"},
		{"pf", 3, baseline.Outcome{}, baseline.Outcome{}, "was it changed"},
	} {
		stop.Judged = c.judged
		r := recorded("a", c.outcomes, stop)
		e, err := r.End(stop)
		if c.problem != "" {
			if _, ok := errors.AsType[*StopError](err); !ok || !strings.Contains(err.Error(), c.problem) {
				t.Errorf("%s after %d: %v", c.outcomes, c.judged, err)
			}
			continue
		}
		if err != nil || e.Best != c.best || e.Worst != c.worst {
			t.Errorf("%s after %d: %+v, %v", c.outcomes, c.judged, e, err)
		}
	}
}

// What is saved says how the trials were stopped.
func TestStoppedIsSaved(t *testing.T) {
	stop := Stop{Test: "a", Scenarios: []string{"a"}, Sample: twoOf(t), Judged: 2, Outcome: "pass"}
	scenarios, sides, ok := Sides(recorded("a", "pp", stop), recorded("a", "fp"), false)
	if !ok {
		t.Fatal("not saved")
	}
	for i, want := range []*StoppedTests{{Tests: []Stop{stop}}, nil} {
		r, err := sides[i].Recording("x", scenarios)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, r.Stopped()); diff != "" {
			t.Errorf("side %d (-want +got):\n%s", i, diff)
		}
	}
}
