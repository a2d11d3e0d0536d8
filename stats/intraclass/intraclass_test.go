package intraclass

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
)

// Fractions worked out by hand from the mean squares.
func TestCorrelationByHand(t *testing.T) {
	for _, c := range []struct {
		groups []stats.Counts
		want   float64
	}{
		// B 1, W 1/9, n₀ 4
		{[]stats.Counts{{Passes: 4, Trials: 4}, {Passes: 2, Trials: 4}, {Passes: 0, Trials: 4}}, 2.0 / 3},
		// B 5/8, W 1/8, n₀ 26/9
		{[]stats.Counts{{Passes: 2, Trials: 2}, {Passes: 1, Trials: 4}, {Passes: 0, Trials: 3}}, 18.0 / 31},
		{[]stats.Counts{{Passes: 5, Trials: 5}, {Passes: 0, Trials: 5}, {}}, 1},
		{[]stats.Counts{{Passes: 1, Trials: 2}, {Passes: 1, Trials: 2}, {Passes: 1, Trials: 2}}, -1}, // -1/(n₀-1)
		{[]stats.Counts{{Passes: 1, Trials: 3}, {Passes: 1, Trials: 3}}, -0.5},
	} {
		rho, known := Correlation(c.groups)
		if !known {
			t.Errorf("%v: not known", c.groups)
		}
		refdata.Close(t, "rho", rho, c.want, 1e-12)
	}
	for _, groups := range [][]stats.Counts{
		nil, {{Passes: 3, Trials: 5}}, {{Passes: 5, Trials: 5}, {Passes: 2, Trials: 2}}, {{Trials: 5}, {Trials: 5}},
		{{Passes: 1, Trials: 1}, {Passes: 0, Trials: 1}}, {{}, {Passes: 2, Trials: 4}, {}},
	} {
		if rho, known := Correlation(groups); known {
			t.Errorf("%v: %v", groups, rho)
		}
	}
}

// anova is the estimate from the outcomes one by one, as a table of analysis of variance has it.
func anova(groups []stats.Counts) float64 {
	var values [][]float64
	var sum, all, squares float64
	for _, c := range groups {
		group := make([]float64, c.Trials)
		for i := range c.Passes {
			group[i] = 1
		}
		values = append(values, group)
		sum += float64(c.Passes)
		all += float64(c.Trials)
		squares += float64(c.Trials * c.Trials)
	}
	var between, within float64
	for i, group := range values {
		mean := groups[i].Rate()
		between += float64(len(group)) * (mean - sum/all) * (mean - sum/all)
		for _, x := range group {
			within += (x - mean) * (x - mean)
		}
	}
	k := float64(len(groups))
	between, within = between/(k-1), within/(all-k)
	size := (all - squares/all) / (k - 1)
	return (between - within) / (between + (size-1)*within)
}

func TestCorrelationIsThatOfAnAnalysisOfVariance(t *testing.T) {
	random := seeded.Stream(1, 1)
	tried := 0
	for range 500 {
		groups := make([]stats.Counts, 2+random.IntN(12))
		for i := range groups {
			groups[i].Trials = 1 + random.IntN(9)
			groups[i].Passes = random.IntN(groups[i].Trials + 1)
		}
		if rho, known := Correlation(groups); known {
			tried++
			if want := anova(groups); math.Abs(rho-want) > 1e-9 {
				t.Errorf("%v: %v, want %v", groups, rho, want)
			}
		}
	}
	if tried < 400 {
		t.Errorf("%d were told", tried)
	}
}

// The rates of groups are drawn from a Beta distribution, of which the correlation is 1/(a+b+1).
func TestCorrelationIsNearlyUnbiased(t *testing.T) {
	for _, rho := range []float64{0, 0.3, 0.8} {
		random := seeded.Stream(2, uint64(100*rho))
		var sum float64
		const times = 400
		for range times {
			found, _ := Correlation(betaGroups(random, 40, 6, 0.7, rho))
			sum += found
		}
		// A standard error of at most .007, and a bias of the order of 1/40.
		if mean := sum / times; math.Abs(mean-rho) > 0.04 {
			t.Errorf("a mean of %v, and the correlation is %v", mean, rho)
		}
	}
}

func TestInterval(t *testing.T) {
	random := seeded.Stream(3, 0)
	groups := betaGroups(random, 40, 10, 0.6, 0.5)
	rho, _ := Correlation(groups)
	interval, known := Interval(groups, 0.05, 1)
	if !known || !interval.Contains(rho) || interval.High-interval.Low < 0.1 || interval.High-interval.Low > 0.5 {
		t.Errorf("%+v, %v around %v", interval, known, rho)
	}
	if again, _ := Interval(groups, 0.05, 1); again != interval {
		t.Errorf("%v, and again %v", interval, again)
	}
	if wider, _ := Interval(groups, 0.01, 1); !(wider.Low < interval.Low && wider.High > interval.High) {
		t.Errorf("%v is not within %v", interval, wider)
	}
	// In which groups always or never pass, every sample of them does.
	sure := make([]stats.Counts, 20)
	for i := range sure {
		sure[i] = stats.Counts{Passes: 3 * (i % 2), Trials: 3}
	}
	if interval, known := Interval(sure, 0.05, 1); !known || interval != (stats.Interval{Low: 1, High: 1}) {
		t.Errorf("%v, %v", interval, known)
	}
	// One group that fails is not in a third of the samples.
	few := make([]stats.Counts, 12)
	for i := range few {
		few[i] = stats.Counts{Passes: 3, Trials: 3}
	}
	few[0].Passes = 0
	if interval, known := Interval(few, 0.05, 1); known {
		t.Errorf("%v", interval)
	}
	if _, known := Interval(groups[:FewestGroups-1], 0.05, 1); known {
		t.Error("of too few groups")
	}
}

func TestStandardError(t *testing.T) {
	ten := []int{10, 10, 10, 10}
	for _, c := range []struct {
		rho   float64
		sizes []int
		want  float64
	}{
		{0, ten, math.Sqrt(0.21 / 40)}, {1, ten, math.Sqrt(0.21 / 4)}, {-0.1, ten, math.Sqrt(0.21 / 40)},
		{0.5, []int{2}, math.Sqrt(0.21 * 1.5 / 2)},
		{0.25, []int{1, 3, 0}, math.Sqrt(0.21 * (1 + 3*1.5) / 16)},
	} {
		refdata.Close(t, "standard error", StandardError(0.7, c.rho, c.sizes), c.want, 1e-12)
	}
	// At a correlation of .8 ten more trials of each of ten scenarios tried ten times take 1 % off, and ten more scenarios
	// 29 %.
	now := StandardError(0.7, 0.8, repeated(10, 10))
	repeats, scenarios := StandardError(0.7, 0.8, repeated(10, 20)), StandardError(0.7, 0.8, repeated(20, 10))
	refdata.Close(t, "repeats", repeats/now, math.Sqrt((0.8+0.2/20)/(0.8+0.2/10)), 1e-12)
	refdata.Close(t, "scenarios", scenarios/now, math.Sqrt(0.5), 1e-12)
	if !math.IsNaN(StandardError(0.5, 0.5, nil)) {
		t.Error("of no trials")
	}
}

// repeated is so many scenarios with so many trials each.
func repeated(scenarios, trials int) []int {
	sizes := make([]int, scenarios)
	for i := range sizes {
		sizes[i] = trials
	}
	return sizes
}
