package plan_test

import (
	"context"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// suiteOf plans tests as a suite.
func suiteOf(t *testing.T, tests ...plan.PlannedTest) *plan.Suite {
	t.Helper()
	o := plan.SuiteOptions{Suite: "s", Digest: "sha256:0", Scenarios: 1, Concurrency: 1}
	p := plan.NewSuite(o)
	for _, test := range tests {
		if err := p.AddTest(test); err != nil {
			t.Fatal(err)
		}
	}
	p.Complete(o)
	return p
}

// sides is a short test of both sides.
func sides(t *testing.T) *baseline.Rounds {
	t.Helper()
	found, err := baseline.SideBySide(context.Background(), baseline.Hypotheses{
		Delta: .5, Alpha: .1, Beta: .1, Guarded: stats.Interval{Low: .8, High: 1},
	}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found.Test
}

// short is a short design against a threshold.
func short(t *testing.T) sprt.Design {
	t.Helper()
	found, err := sprt.Optimal(context.Background(),
		sprt.Hypotheses{Threshold: .8, Delta: .5, Alpha: .1, Beta: .1}, sprt.OptimalOptions{MaxTrials: 12})
	if err != nil {
		t.Fatal(err)
	}
	return found.Design
}

// enumerate adds up all sequences of trials of a test by its definition: it goes on until one part has failed
// or both have ended. Each part is told the passes and failures so far, of the baseline first, and says where it
// stands; it is asked no more once it has ended.
func enumerate(most int, baselineRate, rate float64, parts ...func(n, x, f int) sprt.Outcome) float64 {
	var walk func(n, x, f int, ended []sprt.Outcome, mass float64) float64
	walk = func(n, x, f int, ended []sprt.Outcome, mass float64) (expected float64) {
		if n > 0 {
			now, failed, open := make([]sprt.Outcome, len(parts)), false, false
			for i, part := range parts {
				if now[i] = ended[i]; now[i] == sprt.Undecided {
					now[i] = part(n, x, f)
				}
				failed = failed || now[i] == sprt.Fail
				open = open || now[i] == sprt.Undecided
			}
			if failed || !open {
				return float64(n) * mass
			}
			ended = now
		}
		if n == most {
			return float64(n) * mass
		}
		for _, s := range []struct {
			x, f int
			p    float64
		}{
			{0, 0, baselineRate * rate}, {1, 0, (1 - baselineRate) * rate},
			{0, 1, baselineRate * (1 - rate)}, {1, 1, (1 - baselineRate) * (1 - rate)},
		} {
			if s.p > 0 {
				expected += walk(n+1, x+s.x, f+s.f, ended, mass*s.p)
			}
		}
		return expected
	}
	return walk(0, 0, 0, make([]sprt.Outcome, len(parts)), 1)
}

// at is where boundaries stand.
func at(b sprt.Boundaries) func(n, x, f int) sprt.Outcome {
	return func(n, _, f int) sprt.Outcome {
		switch {
		case n > b.MaxTrials():
			return sprt.Inconclusive
		case f <= b.PassAtOrBelow[n-1]:
			return sprt.Pass
		case f >= b.FailAtOrAbove[n-1]:
			return sprt.Fail
		case n == b.MaxTrials():
			return sprt.Inconclusive
		}
		return sprt.Undecided
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9*math.Max(1, math.Abs(want)) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// The expected trials of both tests together are those of all sequences of trials.
func TestThresholdBesideSides(t *testing.T) {
	rounds, design := sides(t), short(t)
	p := suiteOf(t, plan.PlannedTest{Name: "a", Scenarios: []string{"a"}, Design: design, Rounds: rounds})
	got := p.Tests[0]
	most := max(rounds.MaxRounds(), design.Boundaries.MaxTrials())
	if most > 14 {
		t.Fatalf("%d rounds are too many to enumerate", most)
	}
	if got.MaxTrials != 2*most || got.Against.MaxTrials != 2*rounds.MaxRounds() || got.Against.Kind != plan.SidesKind {
		t.Errorf("%+v %+v", got, got.Against)
	}
	expected := func(baselineRate, rate float64) float64 {
		return 2 * enumerate(most, baselineRate, rate, at(design.Boundaries), rounds.Outcome)
	}
	near(t, "at 1", got.ExpectedAt.Perfect, expected(1, 1))
	near(t, "at the threshold", got.ExpectedAt.Threshold, expected(.8, .8))
	near(t, "at the lower rate", got.ExpectedAt.Lower, expected(.8, .3))
	near(t, "unchanged", got.Against.Expected.Unchanged, 2*enumerate(most, .95, .95, rounds.Outcome))
	near(t, "dropped", got.Against.Expected.Dropped, 2*enumerate(most, .95, .45, rounds.Outcome))
}

func TestThresholdBesideAStoredBaseline(t *testing.T) {
	sampled, err := baseline.Fixed(20)
	if err != nil {
		t.Fatal(err)
	}
	came := baseline.Outcome{Trials: 20, Failures: 2}
	found, err := baseline.Against(context.Background(), baseline.Question{Delta: .5, Alpha: .1, Beta: .1, Guard: .8},
		sampled, came, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	boundaries, _ := found.Family.Boundaries(came)
	design := short(t)
	stored := &plan.StoredBaseline{Family: found.Family, Outcome: came, File: "main.json"}
	p := suiteOf(t, plan.PlannedTest{Name: "a", Scenarios: []string{"a"}, Design: design, Stored: stored},
		plan.PlannedTest{Name: "b", Scenarios: []string{"b"}, Stored: stored})
	both, alone := p.Tests[0], p.Tests[1]
	most := max(boundaries.MaxTrials(), design.Boundaries.MaxTrials())
	if most > 24 {
		t.Fatalf("%d trials are too many to enumerate", most)
	}
	expected := func(rate float64) float64 {
		return enumerate(most, 1, rate, at(design.Boundaries), at(boundaries))
	}
	near(t, "at 1", both.ExpectedAt.Perfect, expected(1))
	near(t, "at the threshold", both.ExpectedAt.Threshold, expected(.8))
	near(t, "at the lower rate", both.ExpectedAt.Lower, expected(.3))
	near(t, "unchanged", alone.ExpectedAt.Threshold, enumerate(most, 1, .9, at(boundaries)))
	near(t, "dropped", alone.ExpectedAt.Lower, enumerate(most, 1, .4, at(boundaries)))
	if a := alone.Against; a.Passes != 18 || a.Trials != 20 || a.Rate != .9 || a.Guarded.Low != .8 ||
		a.File != "main.json" ||
		alone.Threshold != 0 || alone.Delta != .5 || alone.Undecided != nil || alone.MaxTrials != boundaries.MaxTrials() {
		t.Errorf("%+v %+v", alone, a)
	}
	if p.Total.MaxTrials != most+boundaries.MaxTrials() {
		t.Errorf("%+v", p.Total)
	}
}

// Of matched pairs beside a threshold, the figure is at least what either test takes by itself, and both
// together are no more than their sum.
func TestThresholdBesideMatchedPairs(t *testing.T) {
	found, err := baseline.Matched(context.Background(), baseline.MatchedHypotheses{
		Delta: .4, Alpha: .1, Beta: .1, MostDiscordant: .6,
	}, baseline.Options{})
	if err != nil {
		t.Fatal(err)
	}
	design := short(t)
	p := suiteOf(t, plan.PlannedTest{Name: "both", Scenarios: []string{"a"}, Design: design, Rounds: found.Test},
		plan.PlannedTest{Name: "pairs", Scenarios: []string{"a"}, Rounds: found.Test},
		plan.PlannedTest{Name: "threshold", Scenarios: []string{"a"}, Design: design})
	both, pairs, threshold := p.Tests[0].ExpectedAt.Threshold, p.Tests[1].Against, 2*p.Tests[2].ExpectedAt.Threshold
	if pairs.Kind != plan.MatchedKind || pairs.Rate != .15 || pairs.Guarded.High != .6 {
		t.Errorf("%+v", pairs)
	}
	near(t, "pairs", pairs.Expected.Unchanged, 2*found.Test.AtPairs(.075, .075).ExpectedTrials)
	if both < pairs.Expected.Unchanged || both < threshold || both > pairs.Expected.Unchanged+threshold {
		t.Errorf("%v beside %v and %v", both, pairs.Expected.Unchanged, threshold)
	}
}

// How often a design ends Inconclusive is that of its last row; the peak is as high as that of a fine grid.
func TestUndecided(t *testing.T) {
	cut, err := sprt.Wald(sample.Hypotheses, 30)
	if err != nil {
		t.Fatal(err)
	}
	p := suiteOf(t, plan.PlannedTest{Name: "a", Scenarios: []string{"a"}, Design: cut},
		plan.PlannedTest{Name: "b", Scenarios: []string{"b"}, Design: cut},
		plan.PlannedTest{Name: "c", Scenarios: []string{"c"}, Design: sample.Design()})
	lattice, err := cut.Boundaries.Lattice()
	if err != nil {
		t.Fatal(err)
	}
	largest := 0.0
	for i := range 10001 {
		largest = math.Max(largest, lattice.At(float64(i)/10000).Inconclusive)
	}
	u := p.Tests[0].Undecided
	near(t, "at the threshold", u.Threshold, lattice.At(.9).Inconclusive)
	if u.Largest < largest || u.Largest > largest+1e-6 || u.Largest != lattice.At(u.At).Inconclusive || u.Threshold < .7 {
		t.Errorf("%+v, and on a grid %v", u, largest)
	}
	if u := p.Tests[2].Undecided; u.Largest != 0 {
		t.Errorf("an optimal design is undecided: %+v", u)
	}
	count := 0
	for _, w := range p.Warnings {
		if w.Code == "often-inconclusive" {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d warnings: %+v", count, p.Warnings)
	}
}

// A test of both sides that is cut short is undecided as often as its own characteristics say, and warned of
// once for all tests of the kind.
func TestUndecidedSides(t *testing.T) {
	found, err := baseline.SideBySide(context.Background(), baseline.Hypotheses{
		Delta: .4, Alpha: .1, Beta: .1, Guarded: stats.Interval{Low: .8, High: 1},
	}, baseline.Options{MaxTrials: 10})
	if err != nil {
		t.Fatal(err)
	}
	p := suiteOf(t, plan.PlannedTest{Name: "a", Scenarios: []string{"a"}, Rounds: found.Test},
		plan.PlannedTest{Name: "b", Scenarios: []string{"b"}, Rounds: found.Test})
	u := p.Tests[1].Against.Undecided
	near(t, "unchanged", u.Unchanged, found.Test.At(.95, .95).Inconclusive)
	near(t, "dropped", u.Dropped, found.Test.At(.95, .55).Inconclusive)
	if u.Dropped < .05 {
		t.Fatalf("%+v is too little to warn of", u)
	}
	if len(p.Warnings) != 2 || p.Warnings[0].Code != "often-inconclusive" {
		t.Errorf("%+v", p.Warnings)
	}
}

func TestVariantsAddUp(t *testing.T) {
	d := sample.Design()
	p := suiteOf(t, plan.PlannedTest{Name: "a [x]", Variant: "x", Scenarios: []string{"a"}, Design: d},
		plan.PlannedTest{Name: "a [y]", Variant: "y", Scenarios: []string{"a"}, Design: d},
		plan.PlannedTest{Name: "b [x]", Variant: "x", Scenarios: []string{"b"}, Design: d})
	if len(p.Variants) != 2 || p.Variants[0].Name != "x" || p.Variants[0].Tests != 2 || p.Variants[0].MaxTrials != 304 ||
		p.Variants[1].MaxTrials != 152 {
		t.Errorf("%+v", p.Variants)
	}
	near(t, "of x", p.Variants[0].Expected.Threshold, 2*p.Tests[0].ExpectedAt.Threshold)
	near(t, "of all", p.Total.Expected.Threshold, 3*p.Tests[0].ExpectedAt.Threshold)
}

func TestSuiteEndsWithItsBudget(t *testing.T) {
	for _, c := range []struct {
		name   string
		budget plan.SuiteOptions
		trials int
		worst  float64 // -1 is not bounded
		ends   bool
	}{
		{"none", plan.SuiteOptions{}, 24, -1, false},
		{"of trials", plan.SuiteOptions{MaxTrials: 10}, 10, -1, true},
		{"of trials at a price", plan.SuiteOptions{MaxTrials: 10, PriceUSD: new(.5)}, 10, 5, true},
		{"that suffices", plan.SuiteOptions{MaxTrials: 25, PriceUSD: new(.5), BudgetUSD: new(13.)}, 24, 12, false},
		{"of money", plan.SuiteOptions{PriceUSD: new(.5), BudgetUSD: new(11.)}, 24, 11, true},
		{"of money without a price", plan.SuiteOptions{BudgetUSD: new(11.)}, 24, 11, true},
		{"of time", plan.SuiteOptions{Timed: true}, 24, -1, true},
	} {
		p := plan.NewSuite(c.budget)
		for _, name := range []string{"a", "b"} { // 12 trials each at most
			if err := p.AddTest(plan.PlannedTest{Name: name, Scenarios: []string{name}, Design: short(t)}); err != nil {
				t.Fatal(err)
			}
		}
		p.Complete(c.budget)
		worst := -1.0
		if p.Total.WorstUSD != nil {
			worst = *p.Total.WorstUSD
		}
		if p.Total.MaxTrials != c.trials || worst != c.worst || p.Total.BudgetEnds() != c.ends {
			t.Errorf("a budget %s: %d trials for %g, ends the run %t; want %d, %g, %t", c.name, p.Total.MaxTrials, worst,
				p.Total.BudgetEnds(), c.trials, c.worst, c.ends)
		}
	}
}
