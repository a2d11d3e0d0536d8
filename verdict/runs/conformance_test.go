package runs

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// small is a design that can be enumerated: it decides by 6 trials at the latest.
func small(t *testing.T) sprt.Design {
	t.Helper()
	p, err := sprt.Optimal(t.Context(), sprt.Hypotheses{Threshold: 0.8, Delta: 0.5, Alpha: 0.2, Beta: 0.2},
		sprt.OptimalOptions{MaxTrials: 6})
	if err != nil {
		t.Fatal(err)
	}
	return p.Design
}

// shown is evidence of scenarios by their names, each with its kind, capabilities and outcomes.
type shown struct {
	name, kind, outcomes string
	capabilities         []string
	costs                float64
}

func evidenceOf(d sprt.Design, list ...shown) Evidence {
	e := Evidence{Suite: "s", Task: &Task{Scenarios: map[string]TaskScenario{}}, StoppedBy: StoppedByDecision}
	for _, x := range list {
		e.Task.Scenarios[x.name] = TaskScenario{Kind: x.kind, Capabilities: x.capabilities}
		test := TestEvidence{Name: x.name, Scenarios: []string{x.name}, Design: d}
		for i, letter := range x.outcomes {
			o := map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[letter]
			test.Trials = append(test.Trials, TrialEvidence{Scenario: x.name, Number: i, CostUSD: trial.Some(x.costs),
				Trial: &trial.Trial{Scenario: x.name, Outcome: o}})
		}
		e.Tests = append(e.Tests, test)
	}
	return e
}

func judged(t *testing.T, e Evidence) *Result {
	t.Helper()
	r, err := Judge(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What is counted is worked out by hand: passes, tests, cost of a success, what is urgent.
func TestConformanceCounts(t *testing.T) {
	d := small(t)
	r := judged(t, evidenceOf(d,
		shown{"a", "conformance", "PPPPPP", []string{"files", "web"}, 1},
		shown{"b", "conformance", "FFFFFF", []string{"files"}, 2},
		shown{"c", "security", "EFFFFF", []string{"files"}, 0},
		shown{"d", "faults", "F", nil, 0},
		shown{"plain", "", "PPPPPP", []string{"files"}, 1},
	))
	c := r.Conformance
	if c == nil {
		t.Fatal("no conformance")
	}
	if diff := cmp.Diff([]string{"conformance", "faults", "security"}, c.Kinds); diff != "" {
		t.Error(diff)
	}
	type row struct {
		Capability, Kind      string
		Tests, Passed, Failed int
		Passes, Fails, Errors int
		Verdict               verdict.Verdict
	}
	var have []row
	for _, x := range c.Cells {
		have = append(have, row{x.Capability, x.Kind, x.Tests, x.Passed, x.Failed, x.Passes, x.Fails, x.Errors, x.Verdict})
	}
	a, b, s, f := &r.Tests[0], &r.Tests[1], &r.Tests[2], &r.Tests[3]
	want := []row{
		{"", "faults", 1, 0, 0, 0, f.Fails, 0, verdict.Inconclusive},
		{"files", "conformance", 2, 1, 1, a.Passes, b.Fails, 0, verdict.Fail},
		{"files", "security", 1, 0, 1, 0, s.Fails, 1, verdict.Fail},
		{"web", "conformance", 1, 1, 0, a.Passes, 0, 0, verdict.Pass},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// All six trials of a cost 1, and those of b 2: the six passes cost 18 in all.
	if per := c.Cells[1].CostPerSuccess; per == nil || *per != 3 {
		t.Errorf("cost of a success %v, want 3", per)
	}
	if c.Cells[0].Interval != nil || len(c.Cells[0].PassHatK) != 0 {
		t.Error("a cell whose test has not ended has figures")
	}
	if x := c.Attacks; x == nil || x.Tests != 1 || x.Errors != 1 || x.Through != s.Fails || x.Succeeded != 1 ||
		x.Resisted != 0 {
		t.Errorf("attacks %+v", x)
	}
	var order []string
	for _, x := range c.Backlog {
		order = append(order, x.Test)
	}
	if diff := cmp.Diff([]string{"c", "b", "d"}, order); diff != "" {
		t.Error(diff)
	}
}

// No scenario says what it is to show: there is nothing to say.
func TestNoConformance(t *testing.T) {
	if r := judged(t, evidenceOf(small(t), shown{"a", "", "PPPPPP", nil, 0})); r.Conformance != nil {
		t.Errorf("%+v", r.Conformance)
	}
}

// The interval of a cell of two scenarios covers the mean of their rates in 95 % of all runs, at the least. All ends of
// both tests are enumerated.
func TestCellIntervalCovers(t *testing.T) {
	d := small(t)
	// All sequences of outcomes of one test up to its end.
	var ends []string
	var walk func(outcomes string)
	walk = func(outcomes string) {
		r := judged(t, evidenceOf(d, shown{"a", "conformance", outcomes, nil, 0}))
		if len(outcomes) > 0 && r.Tests[0].Estimate != nil && r.Tests[0].Trials == len(outcomes) {
			ends = append(ends, outcomes)
			return
		}
		if len(outcomes) > 6 {
			t.Fatal("no end")
		}
		walk(outcomes + "P")
		walk(outcomes + "F")
	}
	walk("")
	type pair struct{ a, b string }
	intervals := map[pair]CellInterval{}
	for _, a := range ends {
		for _, b := range ends {
			r := judged(t, evidenceOf(d, shown{"a", "faults", a, []string{"x"}, 0}, shown{"b", "faults", b, []string{"x"}, 0}))
			intervals[pair{a, b}] = *r.Conformance.Cells[0].Interval
		}
	}
	chance := func(outcomes string, rate float64) float64 {
		p := 1.0
		for _, letter := range outcomes {
			if letter == 'P' {
				p *= rate
			} else {
				p *= 1 - rate
			}
		}
		return p
	}
	for _, p := range []float64{0.02, 0.2, 0.5, 0.8, 0.93, 0.99} {
		for _, q := range []float64{0.02, 0.3, 0.6, 0.8, 0.95, 0.99} {
			covered, all := 0.0, 0.0
			for ends, x := range intervals {
				weight := chance(ends.a, p) * chance(ends.b, q)
				all += weight
				if mean := (p + q) / 2; x.Low <= mean && mean <= x.High {
					covered += weight
				}
			}
			if math.Abs(all-1) > 1e-9 || covered < 0.95 {
				t.Errorf("rates %v and %v: covered in %v of %v", p, q, covered, all)
			}
		}
	}
}
