package fingerprint

import (
	"context"
	"errors"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/stats"
)

func normalRows(n, d int) (rows [][]float64) {
	random := seeded.Stream(8, 8)
	for range n {
		row := make([]float64, d)
		for j := range row {
			row[j] = 100*float64(j) + random.NormFloat64()*float64(j+1)
		}
		rows = append(rows, row)
	}
	return rows
}

// For many normal calibration trials the simulated budget of either test is near the
// exact one of Hotelling's.
func TestBudgetOfNormalVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	simulations := thorough.Draws(200, 400)
	for _, test := range []Test{HotellingT2, PermutationT2} {
		o := BudgetOptions{Distance: 1, Simulations: simulations, Options: Options{Test: test, Permutations: 299}}
		b, err := PlanBudgetVectors(context.Background(), numbered(3), vectors("", normalRows(300, 3)), o)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := hotelling.Power(3, b.Trials, b.Trials, 1, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %d trials, power %.3f; exactly %.3f; Hotelling needs %d", test, b.Trials, b.Power, exact,
			b.HotellingTrials)
		if math.Abs(exact-b.Power) > 0.05 || b.Power < 0.9 || b.Components != 3 {
			t.Errorf("%+v", b)
		}
		refdata.Close(t, "standard error", b.PowerErr, math.Sqrt(b.Power*(1-b.Power)/float64(simulations)), 1e-12)
	}
}

// A shift of one column is its own Mahalanobis distance where columns do not
// correlate, and the result does not depend on the number of processors.
func TestBudgetOfAShift(t *testing.T) {
	o := BudgetOptions{Shift: map[string]float64{"c01": 1.2}, Simulations: 60, Options: Options{Permutations: 99}}
	rows := [][]float64{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}
	plan := func() *Budget {
		b, err := PlanBudgetVectors(context.Background(), numbered(2), vectors("", rows), o)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	all := plan()
	before := runtime.GOMAXPROCS(1)
	one := plan()
	runtime.GOMAXPROCS(before)
	if diff := cmp.Diff(all, one); diff != "" {
		t.Error(diff)
	}
	refdata.Close(t, "distance", all.Distance, 1.2, 1e-9)
	refdata.Close(t, "variance", all.Variance, 16.0/7, 1e-9) // 8/7 for either column
	if len(all.Warnings) != 1 || all.Warnings[0].Code != fewCalibration {
		t.Errorf("%v", all.Warnings)
	}
	o.Distance = 3
	if b := plan(); b.Distance != 3 || b.Trials >= all.Trials {
		t.Errorf("%d trials for a larger shift, %d for the smaller", b.Trials, all.Trials)
	}
}

func TestBudgetRefuses(t *testing.T) {
	rows := vectors("", normalRows(10, 2))
	var argument *stats.ArgumentError
	for name, o := range map[string]BudgetOptions{
		"no shift": {}, "negative": {Distance: -1}, "no such column": {Shift: map[string]float64{"x": 1}},
		"zero": {Shift: map[string]float64{"c00": 0}},
		"beta": {Distance: 1, Beta: 2}, "simulations": {Distance: 1, Simulations: -1}, "trials": {Distance: 1, MaxTrials: 1},
		"NaN": {Shift: map[string]float64{"c00": math.NaN()}},
	} {
		if _, err := PlanBudgetVectors(context.Background(), numbered(2), rows, o); !errors.As(err, &argument) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := BudgetOptions{Distance: 1}
	if _, err := PlanBudgetVectors(context.Background(), numbered(2), rows[:2], o); !errors.Is(err, ErrTooFewTrials) {
		t.Errorf("%v", err)
	}
	for i := range rows {
		rows[i].Scenario = string(rune('a' + i))
	}
	if _, err := PlanBudgetVectors(context.Background(), numbered(2), rows, o); !errors.Is(err, ErrTooFewTrials) {
		t.Errorf("one trial of each scenario: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o.Pooled = true
	if _, err := PlanBudgetVectors(ctx, numbered(2), rows, o); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
