package plan_test

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// What a gate does over three tests, by enumeration of all sequences of trials of each, and by the words of
// Holm's correction: of one Fail beside passes three times the p-value is at most alpha.
func TestGateOfSeveralTests(t *testing.T) {
	d := short(t)
	h := d.Hypotheses
	for _, shared := range []int{0, 3} {
		o := plan.SuiteOptions{Suite: "s", Digest: "sha256:0", Scenarios: 3, Concurrency: 1, Tests: 3}
		p := plan.NewSuite(o)
		for _, name := range []string{"a", "b", "c"} {
			if err := p.AddTest(plan.PlannedTest{Name: name, Scenarios: []string{name}, Design: d, Shared: shared}); err != nil {
				t.Fatal(err)
			}
		}
		p.Complete(o)
		blocks := func(rate float64) (block, pass float64) {
			visitEnds(d.Boundaries, rate, func(n, f int, outcome sprt.Outcome, mass float64) {
				switch outcome {
				case sprt.Pass:
					pass += mass
				case sprt.Fail:
					p := 0.0 // of ends that are as low: Fails after as many trials or fewer
					visitEnds(d.Boundaries, h.Threshold, func(m, g int, o sprt.Outcome, mass float64) {
						if o == sprt.Fail && (m < n || m == n && g >= f) {
							p += mass
						}
					})
					if shared > 0 || 3*p <= h.Alpha {
						block += mass
					}
				}
			})
			return block, pass
		}
		good := 1 - (1-h.Threshold)/10
		goodBlock, goodPass := blocks(good)
		lowBlock, lowPass := blocks(h.Lower())
		want := plan.GateChances{
			Block:  1 - (1-lowBlock)*(1-goodBlock)*(1-goodBlock),
			Deploy: lowPass * goodPass * goodPass,
		}
		want.Review = 1 - want.Block - want.Deploy
		got := p.Gate.TooLow
		if math.Abs(got.Block-want.Block) > 1e-9 || math.Abs(got.Deploy-want.Deploy) > 1e-9 ||
			math.Abs(got.Review-want.Review) > 1e-9 {
			t.Errorf("shared by %d: %+v, want %+v", shared, got, want)
		}
		if got := p.Gate.Good.Deploy; math.Abs(got-goodPass*goodPass*goodPass) > 1e-9 {
			t.Errorf("all good: deploys %v", got)
		}
		if p.Gate.Shared != (shared > 0) {
			t.Error("whether the alpha is shared")
		}
	}
	if suiteOf(t, plan.PlannedTest{Name: "a", Scenarios: []string{"a"}, Design: d}).Gate != nil {
		t.Error("a gate of one test")
	}
}

// visitEnds walks all sequences of trials to their ends.
func visitEnds(b sprt.Boundaries, rate float64, visit func(n, f int, o sprt.Outcome, mass float64)) {
	var walk func(n, f int, mass float64)
	walk = func(n, f int, mass float64) {
		if n > 0 {
			switch {
			case f <= b.PassAtOrBelow[n-1]:
				visit(n, f, sprt.Pass, mass)
				return
			case f >= b.FailAtOrAbove[n-1]:
				visit(n, f, sprt.Fail, mass)
				return
			case n == b.MaxTrials():
				visit(n, f, sprt.Inconclusive, mass)
				return
			}
		}
		walk(n+1, f, mass*rate)
		walk(n+1, f+1, mass*(1-rate))
	}
	walk(0, 0, 1)
}
