package rank

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// run is a result of scenarios: of each the outcomes, and the points on axes tone and, of contracts, rules.
func run(t testing.TB, scenarios ...scenario) *runs.Result {
	t.Helper()
	r := &runs.Result{Suite: "s", Digest: "d"}
	for _, s := range scenarios {
		var trials []*trial.Trial
		for i := range s.outcomes {
			x := &trial.Trial{}
			found := &score.Trial{}
			if s.rules != nil {
				found.Axes = append(found.Axes, score.AxisResult{Name: "rules", From: score.Contracts, Max: 1,
					Points: new(s.rules[i])})
			}
			if s.tone != nil {
				found.Axes = append(found.Axes, score.AxisResult{Name: "tone", Max: 10, Digest: s.digest, Points: new(s.tone[i])})
			}
			if len(found.Axes) > 0 {
				found.Record(x)
			}
			trials = append(trials, x)
		}
		axes, err := score.SeriesOf(trials)
		if err != nil {
			t.Fatal(err)
		}
		d, err := sprt.Recording(len(s.outcomes))
		if err != nil {
			t.Fatal(err)
		}
		r.Tests = append(r.Tests, runs.Test{Name: s.name, Outcomes: s.outcomes, Axes: axes, Trials: len(s.outcomes),
			Design: design.Design{Kind: d.Kind.String(), MaxTrials: len(s.outcomes), Digest: d.Digest(),
				Boundaries: design.Of(d.Boundaries)}})
	}
	return r
}

type scenario struct {
	name, outcomes string
	tone, rules    []float64
	digest         string
}

// simple is a scenario of n trials that pass but for the first fails, with equal points but for some noise.
func simple(n, fails int, tone float64) scenario {
	s := scenario{name: "a", outcomes: strings.Repeat("F", fails) + strings.Repeat("P", n-fails)}
	for i := range n {
		s.tone = append(s.tone, tone+float64(i%3)/10)
		s.rules = append(s.rules, 1)
	}
	return s
}

func judged(t *testing.T, o Options, list ...*runs.Result) *Result {
	t.Helper()
	var sources []Source
	for i, r := range list {
		sources = append(sources, Source{fmt.Sprint(i), r})
	}
	r, err := Judge(t.Context(), sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Of results far apart each rank is known; of equal ones none is.
func TestRanks(t *testing.T) {
	r := judged(t, Options{}, run(t, simple(40, 0, 3)), run(t, simple(40, 0, 9)), run(t, simple(40, 0, 6)))
	tone := r.Axes[2]
	for i, want := range []int{3, 1, 2} {
		if got := tone.Ranks[i]; got.Low != want || got.High != want {
			t.Errorf("result %d has the ranks %d to %d, want %d", i, got.Low, got.High, want)
		}
		if got := r.Axes[0].Ranks[i]; got.Low != 1 || got.High != 3 {
			t.Errorf("with equal rates result %d has the ranks %d to %d", i, got.Low, got.High)
		}
	}
	if tone.Name != "tone" || *tone.Ranks[1].Mean < 9 || r.Header().Judged || r.ExitCode != 0 {
		t.Errorf("%+v", r)
	}
	if !r.Results[1].Efficient || r.Results[0].Efficient || r.Results[2].Efficient {
		t.Error("the one with the most points is not the unbeaten one")
	}
}

// The intervals of ranks are those of a brute force over Holm's procedure, step by step.
func TestRanksByHand(t *testing.T) {
	source := rand.New(rand.NewPCG(1, 2))
	var list []*runs.Result
	for range 5 {
		s := simple(16, 0, 0)
		mean := source.Float64() * 5
		for i := range s.tone {
			s.tone[i] = min(10, max(0, 4+mean+source.NormFloat64()))
		}
		list = append(list, run(t, s))
	}
	r := judged(t, Options{Alpha: 0.1}, list...)
	a := r.Axes[2]
	shown := map[[2]int]bool{}
	// Holm: the smallest p against alpha over the number that is left, until one is not rejected.
	for left := len(a.Ranks) * (len(a.Ranks) - 1); ; left-- {
		best, at := math.Inf(1), [2]int{}
		for _, p := range a.Pairs {
			better := [2]int{p.First, p.Second}
			if *p.Difference > 0 {
				better = [2]int{p.Second, p.First}
			}
			if !shown[better] && p.P/2 < best {
				best, at = p.P/2, better
			}
		}
		if best > 0.1/float64(left) {
			break
		}
		shown[at] = true
	}
	if len(shown) < 2 || len(shown) == 10 {
		t.Fatalf("%d pairs are told apart, which shows nothing", len(shown))
	}
	for i, rank := range a.Ranks {
		low, high := 1, len(a.Ranks)
		for pair := range shown {
			if pair[1] == i {
				low++
			}
			if pair[0] == i {
				high--
			}
		}
		if rank.Low != low || rank.High != high {
			t.Errorf("result %d has %d to %d, want %d to %d", i, rank.Low, rank.High, low, high)
		}
	}
}

// An improvement holds only after what goes before it does.
func TestImprovement(t *testing.T) {
	broken := simple(100, 2, 8)
	broken.rules[5] = 0.5
	for name, c := range map[string]struct {
		candidate scenario
		verdict   verdict.Verdict
		code      verdict.Code
		steps     int
	}{
		"better":                {simple(100, 2, 8), verdict.Pass, codeImproved, 3},
		"the same":              {simple(100, 2, 5), verdict.Inconclusive, codeAxisOpen, 3},
		"worse":                 {simple(100, 2, 3), verdict.Fail, codeAxisWorse, 1},
		"better, fails more":    {simple(100, 30, 8), verdict.Fail, codeAxisWorse, 1},
		"better, drop open":     {simple(100, 7, 8), verdict.Inconclusive, codeStepBroken, 2},
		"better, broken rules":  {broken, verdict.Fail, codeStepBroken, 1},
		"better, of few trials": {simple(5, 0, 8), verdict.Inconclusive, codeStepBroken, 2},
	} {
		r := judged(t, Options{Improve: "tone"}, run(t, simple(100, 2, 5)), run(t, c.candidate))
		if r.Verdict != c.verdict || r.Reasons[0].Code != c.code || len(r.Improvement.Steps) != c.steps ||
			r.ExitCode != c.verdict.ExitCode() {
			t.Errorf("%s: %v %+v %+v", name, r.Verdict, r.Reasons, r.Improvement.Steps)
		}
	}
}

// No verdict contradicts the ranks beside it, nor the means: two scenarios of unlike numbers of trials, in which a
// candidate may be better by the means and worse within the scenarios.
func TestVerdictsHoldTheLaw(t *testing.T) {
	t.Parallel()
	known := map[verdict.Verdict]int{}
	sizes := [2]int{2, 9}
	// of is a result whose scenarios have so many trials that fail, without points on tone, and against the rules.
	runWith := func(fails, toneless, broken [2]int) *runs.Result {
		var list []scenario
		for i, n := range sizes {
			s := simple(n, fails[i], 0)
			s.name = string(rune('a' + i))
			for k := range n {
				s.tone[k] = map[bool]float64{false: 10}[k < toneless[i]]
				s.rules[k] = map[bool]float64{false: 1}[k < broken[i]]
			}
			list = append(list, s)
		}
		return run(t, list...)
	}
	ends := [][2]int{{0, 0}, {2, 0}, {0, 7}}
	for _, tone := range ends {
		for _, tone2 := range ends {
			for _, rules := range ends {
				for _, rules2 := range ends {
					for _, fails := range ends[:2] {
						r := judged(t, Options{Alpha: 0.3, Improve: "tone", Delta: 0.6}, runWith([2]int{}, tone, rules),
							runWith(fails, tone2, rules2))
						known[r.Verdict]++
						claims := r.Claims()
						if len(claims) == 0 && r.Verdict != verdict.Inconclusive {
							t.Fatalf("%v has no claims: %+v", r.Verdict, r.Reasons)
						}
						if err := verdict.CheckClaims(claims); err != nil {
							t.Errorf("%v: %v", r.Reasons, err)
						}
						if tone := r.Axes[2]; r.Verdict == verdict.Pass && *tone.Ranks[1].Mean <= *tone.Ranks[0].Mean {
							t.Errorf("%v", r.Reasons)
						}
					}
				}
			}
		}
	}
	if known[verdict.Pass] == 0 || known[verdict.Fail] == 0 {
		t.Errorf("verdicts are %v", known)
	}
}

// With nothing better, or a rate that drops by delta, the chance of a false improvement stays at alpha, also where the
// other one of the two would hold.
func TestFalseImprovements(t *testing.T) {
	const alpha = 0.1
	runsOf := thorough.Draws(40, 150)
	source := rand.New(rand.NewPCG(3, 4))
	side := func(rate, tone float64) *runs.Result {
		s := scenario{name: "a"}
		for range 80 {
			mark := "F"
			if source.Float64() < rate {
				mark = "P"
			}
			s.outcomes += mark
			level := 0.0 // of 0, 5 and 10, as of a judge
			for range 2 {
				if source.Float64() < tone {
					level += 5
				}
			}
			s.tone = append(s.tone, level)
		}
		return run(t, s)
	}
	for name, c := range map[string]struct{ rate, tone float64 }{
		"nothing changed":     {0.9, 0.5},
		"rate drops by delta": {0.7, 0.9},
	} {
		wrong := 0
		for i := range runsOf {
			r := judged(t, Options{Improve: "tone", Alpha: alpha, Delta: 0.2, Seed: uint64(i + 1)}, side(0.9, 0.5),
				side(c.rate, c.tone))
			if r.Verdict == verdict.Pass {
				wrong++
			}
		}
		t.Logf("%s: %d of %d", name, wrong, runsOf)
		// Three standard deviations above alpha.
		n := float64(runsOf)
		if most := n*alpha + 3*math.Sqrt(n*alpha*(1-alpha)); float64(wrong) > most {
			t.Errorf("%s: %d of %d are false improvements, beyond %.0f", name, wrong, runsOf, most)
		}
	}
}

// What cannot be ranked is refused.
func TestRefused(t *testing.T) {
	other := simple(10, 0, 5)
	other.digest = "other"
	named := simple(10, 0, 5)
	named.name = "b"
	for problem, c := range map[string]struct {
		options Options
		list    []*runs.Result
	}{
		"from 2 to":        {Options{}, []*runs.Result{run(t, simple(10, 0, 5))}},
		"other scenarios":  {Options{}, []*runs.Result{run(t, simple(10, 0, 5)), run(t, named)}},
		"scored otherwise": {Options{}, []*runs.Result{run(t, simple(10, 0, 5)), run(t, other)}},
		"no axis":          {Options{Improve: "tune"}, []*runs.Result{run(t, simple(10, 0, 5)), run(t, simple(10, 0, 5))}},
		"of two results": {Options{Improve: "tone"}, []*runs.Result{run(t, simple(10, 0, 5)), run(t, simple(10, 0, 5)), run(t,
			simple(10, 0, 5))}},
		"alpha": {Options{Alpha: 2}, []*runs.Result{run(t, simple(10, 0, 5)), run(t, simple(10, 0, 5))}},
		"delta": {Options{Improve: "tone", Delta: 2}, []*runs.Result{run(t, simple(10, 0, 5)), run(t, simple(10, 0, 5))}},
	} {
		var sources []Source
		for i, r := range c.list {
			sources = append(sources, Source{fmt.Sprint(i), r})
		}
		_, err := Judge(context.Background(), sources, c.options)
		var refused *optionError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), problem) {
			t.Errorf("%s: %v", problem, err)
		}
	}
}

// Which results no other beats, of a table by hand.
func TestPareto(t *testing.T) {
	r := &Result{Axes: []Axis{{Name: RateAxis}}, Results: make([]Entry, 5)}
	for i, x := range []struct{ points, cost, time float64 }{
		{80, 2, 10}, {90, 3, 20}, {80, 3, 10}, {85, 2.5, 30}, {90, 3, 20},
	} {
		r.Results[i] = Entry{Points: new(x.points), CostUSD: new(x.cost), Duration: new(x.time)}
	}
	r.pareto()
	for i, want := range []bool{true, true, false, true, true} {
		if r.Results[i].Efficient != want {
			t.Errorf("result %d: %v", i, !want)
		}
	}
	// Without the time of one, time is left out.
	r.Results[4].Duration = nil
	r.pareto()
	if !r.Results[3].Efficient || r.Results[2].Efficient {
		t.Errorf("%+v", r.Results)
	}
}
