package gate

import (
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Where tests share the alpha a Fail of one is one beside all others; where each has all of it, it is not
// unless its p-value is small enough.
func TestFailsOfTestsThatShareAlphaBlock(t *testing.T) {
	h := sprt.Hypotheses{Threshold: .8, Delta: .4, Alpha: .05 / 5, Beta: .1}
	plan, err := sprt.Optimal(t.Context(), h, sprt.OptimalOptions{MaxTrials: 40})
	if err != nil {
		t.Fatal(err)
	}
	passes := strings.Repeat("P", 40)
	r := gatedBy(t, plan.Design, strings.Repeat("FFP", 13), passes, passes, passes, passes)
	for _, shared := range []int{0, 5} {
		for i := range r.Tests {
			r.Tests[i].Shared = shared
		}
		g, err := Judge(t.Context(), r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		want := map[int]Decision{0: Review, 5: Block}[shared]
		if g.Decision != want || g.Run.Tests[0].Verdict != verdict.Fail {
			t.Errorf("shared by %d: %v %+v", shared, g.Decision, g.Reasons)
		}
		// Each has its alpha of .01, or all of them have .05 together.
		if all := map[int]float64{0: .01, 5: .05}[shared]; math.Abs(g.Family.All-all) > 1e-12 || len(g.Family.Rules) != 1 {
			t.Errorf("shared by %d: %+v", shared, g.Family)
		}
		warned := strings.Contains(warningsOf(g), "planned by themselves")
		if warned != (shared == 0) {
			t.Errorf("shared by %d: %s", shared, warningsOf(g))
		}
	}
}

// Families that are there are counted, each with its alpha.
func TestFamilies(t *testing.T) {
	passes := strings.Repeat("P", 20)
	before := TestsOf(gated(t, passes))
	g, err := Judge(t.Context(), gated(t, passes), Options{Floor: Floor{Rate: .4}, Baseline: &BaselineRun{Run: before}})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(g.Family.Rules, ", "); got != "suite-verdict, regression, floor" ||
		math.Abs(g.Family.All-.15) > 1e-12 {
		t.Errorf("%s: %v", got, g.Family.All)
	}
	g, err = Judge(t.Context(), gated(t, passes), Options{Floor: Floor{Rate: .4, Point: true}})
	if err != nil || len(g.Family.Rules) != 1 {
		t.Errorf("%+v %v", g.Family, err)
	}
}

func warningsOf(g *Result) (text string) {
	for _, w := range g.Warnings {
		text += w.Text + "\n"
	}
	return text
}
