package history_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/history"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

var night = time.Date(2026, 3, 1, 2, 0, 0, 0, time.UTC)

// nights are runs of so many trials, with a rate that drops at one of them.
func nights(runs, trials, drop int, before, after float64) (list []history.Point) {
	random := seeded.Stream(11, uint64(runs))
	for i := range runs {
		p := history.Point{From: night.AddDate(0, 0, i), Runs: 1, Commit: fmt.Sprintf("c%02d", i), Branch: "main"}
		rate := before
		if i >= drop {
			rate = after
		}
		for range trials {
			if random.Float64() < rate {
				p.Passes++
			} else {
				p.Failures++
			}
		}
		list = append(list, p)
	}
	return list
}

// A drop is found where it is, by either unit, and the result is what its points come to.
func TestJudgeFindsADrop(t *testing.T) {
	for _, byTrials := range []bool{false, true} {
		points := nights(21, 40, 14, 0.95, 0.6)
		r, err := history.Judge(t.Context(), points, nil, history.Options{Suite: "shop", ByTrials: byTrials, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Changes) != 1 || r.Changes[0].At != 14 || r.Changes[0].P > 0.05 || r.Changes[0].Difference > -0.2 {
			t.Fatalf("%+v", r.Changes)
		}
		if r.Runs != 21 || len(r.Segments) != 2 || r.Segments[1].From != 14 || r.Segments[1].To != 21 || r.Variation != nil {
			t.Errorf("%+v", r)
		}
		passes := 0
		for _, p := range points[14:] {
			passes += p.Passes
		}
		refdata.Close(t, "value", r.Segments[1].Value, float64(passes)/280, 1e-12)
		again(t, r)
	}
}

// again checks that a result comes back from its JSON, and is verified.
func again(t *testing.T, r *history.Result) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	read, err := verify.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(verdict.Result(r), read); diff != "" {
		t.Error(diff)
	}
	if v, err := verify.Verify(t.Context(), read); err != nil || v.Judged || v.Compared < 20 {
		t.Errorf("%+v, %v", v, err)
	}
}

// Values and intervals of points: Wilson's of 45 of 50 is in the reference (statsmodels), and that of 1..5 is
// 3 ± 2.7764451 √(2.5/5), with the t of tables.
func TestPoints(t *testing.T) {
	five := history.Sum{Known: 5, Total: 15, Squares: 55}
	for _, c := range []struct {
		metric           history.Metric
		point            history.Point
		value, low, high float64 // NaN is none
	}{
		{history.Rate, history.Point{Passes: 45, Failures: 5, Errors: 3}, 0.9, 0.786398, 0.956524},
		{history.Rate, history.Point{Errors: 3}, math.NaN(), math.NaN(), math.NaN()},
		{history.Cost, history.Point{Sum: &five, Passes: 5}, 3, 3 - 1.963243, 3 + 1.963243},
		{history.Turns, history.Point{Sum: &history.Sum{Known: 1, Total: 4, Squares: 16}}, 4, math.NaN(), math.NaN()},
		{history.Tokens, history.Point{Sum: &history.Sum{Known: 2, Total: 8, Squares: 32}}, 4, math.NaN(), math.NaN()},
		{history.Duration, history.Point{Passes: 2}, math.NaN(), math.NaN(), math.NaN()},
		{history.Distance, history.Point{Distance: new(0.5)}, 0.5, math.NaN(), math.NaN()},
	} {
		c.point.Runs = 1
		r, err := history.Judge(t.Context(), []history.Point{c.point}, nil, history.Options{Metric: c.metric})
		if err != nil {
			t.Fatal(err)
		}
		p := r.Points[0]
		for i, want := range []float64{c.value, c.low, c.high} {
			got := []*float64{p.Value, p.Low, p.High}[i]
			switch {
			case (got == nil) != math.IsNaN(want):
				t.Errorf("%v of %+v: figure %d is %v, want %v", c.metric, c.point, i, got, want)
			case got != nil:
				refdata.Close(t, fmt.Sprint(c.metric, i), *got, want, 1e-6)
			}
		}
		again(t, r)
	}
}

// Scenarios on both sides of a change: the table [[8,2],[1,5]] has .03496503 two-sided (SciPy), [[20,0],[2,18]] by
// enumeration less than 1e-8, and Holm takes 3 and 2 times these.
func TestScenariosOfAChange(t *testing.T) {
	points := nights(20, 50, 10, 0.95, 0.4)
	sides := map[int][]history.Tally{
		0: {{Name: "a", Counts: counts(8, 10)}, {Name: "b", Counts: counts(20, 20)}, {Name: "c", Counts: counts(5, 5)},
			{Name: "old", Counts: counts(1, 1)}},
		10: {{Name: "b", Counts: counts(2, 20)}, {Name: "a", Counts: counts(1, 6)}, {Name: "c", Counts: counts(5, 5)},
			{Name: "new", Counts: counts(3, 4)}},
	}
	r, err := history.Judge(t.Context(), points, func(_ context.Context, from, _ int) ([]history.Tally, error) {
		return sides[from], nil
	}, history.Options{Suite: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Changes) != 1 || r.Changes[0].At != 10 || len(r.Changes[0].Scenarios) != 5 {
		t.Fatalf("%+v", r.Changes)
	}
	by := map[string]history.ScenarioChange{}
	for _, s := range r.Changes[0].Scenarios {
		by[s.Name] = s
	}
	refdata.Close(t, "p", by["a"].P, 0.03496503, 1e-6)
	refdata.Close(t, "p by Holm", by["a"].Adjusted, 2*0.03496503, 1e-6)
	if b := by["b"]; !b.Changed || b.P > 1e-8 || r.Changes[0].Scenarios[0].Name != "b" {
		t.Errorf("%+v", r.Changes[0].Scenarios)
	}
	if by["a"].Changed || by["c"].P != 1 || !by["new"].New || !by["old"].Gone || by["new"].P != 1 {
		t.Errorf("%+v", by)
	}
	// What the last segment comes to: 11 of 35 in four scenarios.
	if v := r.Variation; v == nil || v.Scenarios != 4 || v.Trials != 35 || math.Abs(v.Rate-11.0/35) > 1e-12 {
		t.Errorf("%+v", v)
	}
	again(t, r)
	// A figure that is changed is found.
	r.Changes[0].Scenarios[1].PassesAfter++
	if _, err := verify.Verify(t.Context(), r); err == nil {
		t.Error("another count is not found")
	}
}

func counts(passes, trials int) stats.Counts { return stats.Counts{Passes: passes, Trials: trials} }

// Three groups of four with 4, 2 and 0 passes have a correlation of 2/3: the standard error is √(1/4 · (1+3·2/3) / 12)
// of the rate, 10 more groups of 4 make 13 of them, and 10 more trials groups of 14.
func TestVariation(t *testing.T) {
	tallies := []history.Tally{{Name: "a", Counts: counts(4, 4)}, {Name: "b", Counts: counts(2, 4)},
		{Name: "c", Counts: counts(0, 4)}}
	r, err := history.Judge(t.Context(), nights(3, 4, 9, 0.5, 0.5), func(context.Context, int, int) ([]history.Tally,
		error) {
		return tallies, nil
	}, history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v := r.Variation
	refdata.Close(t, "correlation", *v.Correlation, 2.0/3, 1e-12)
	refdata.Close(t, "standard error", *v.StandardError, math.Sqrt(0.25*3/12), 1e-12)
	refdata.Close(t, "of more scenarios", v.MoreScenarios.StandardError, math.Sqrt(0.25*3/52), 1e-12)
	refdata.Close(t, "of more trials", v.MoreTrials.StandardError, math.Sqrt(0.25*(1+13*2.0/3)/42), 1e-12)
	if v.MoreScenarios.Trials != 40 || v.MoreTrials.Trials != 30 || v.Low != nil {
		t.Errorf("%+v", v)
	}
	again(t, r)
}

// What weakens a history is said.
func TestWarnings(t *testing.T) {
	codes := func(points []history.Point, o history.Options) (list []verdict.Code) {
		r, err := history.Judge(t.Context(), points, nil, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range r.Warnings {
			list = append(list, w.Code)
		}
		again(t, r)
		return list
	}
	few := nights(7, 10, 9, 0.9, 0.9)
	few[2].Branch, few[3].Errors = "side", 2
	few[1].Task, few[4].Task, few[5].Task = "t1", "t1", "t2"
	want := []verdict.Code{"few-runs", "several-branches", "suite-changed", "errors-not-counted"}
	if diff := cmp.Diff(want, codes(few, history.Options{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[1:], codes(few, history.Options{ByTrials: true})); diff != "" {
		t.Error(diff)
	}
	pooled := nights(12, 10, 20, 0.9, 0.9)
	pooled[3].Runs = 5
	if diff := cmp.Diff([]verdict.Code{"runs-taken-together"}, codes(pooled, history.Options{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]verdict.Code{"nothing-known"},
		codes(pooled, history.Options{Metric: history.Cost})); diff != "" {
		t.Error(diff)
	}
}

func TestJudgeRefuses(t *testing.T) {
	many := make([]history.Point, history.MostPoints+1)
	for _, c := range []struct {
		points []history.Point
		o      history.Options
	}{
		{many, history.Options{}}, {nil, history.Options{Alpha: 1}}, {nil, history.Options{Alpha: math.NaN()}},
		{nights(9, 5, 9, .5, .5), history.Options{Permutations: -1}},
		{nights(9, 1<<17, 9, .5, .5), history.Options{ByTrials: true}},
	} {
		if r, err := history.Judge(t.Context(), c.points, nil, c.o); err == nil {
			t.Errorf("%+v: %+v", c.o, r)
		}
	}
}
