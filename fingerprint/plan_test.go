package fingerprint

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// AgentAssay's Equation 40: σ² 0.05, Δ 0.5, d 5, α 0.05, β 0.10 give ⌈1.71+3⌉.
func TestEquations(t *testing.T) {
	if n, err := Equation39(0.05, 5, 0.5, 0.05, 0.10); n != 5 || err != nil {
		t.Errorf("Equation 39: %d, %v", n, err)
	}
	// (1.6449+1.2816)² = 8.5638: 6·8.5638/0.25 + 3 = 208.53
	if n, err := Equation30(5, 0.5, 0.05, 0.10); n != 209 || err != nil {
		t.Errorf("Equation 30: %d, %v", n, err)
	}
	var argument *ArgumentError
	for _, err := range []error{
		second(Equation30(-1, 1, 0.05, 0.1)), second(Equation30(1, 0, 0.05, 0.1)), second(Equation30(1, 1, 0, 0.1)), second(Equation30(1, 1, 0.1, 1)),
		second(Equation39(math.NaN(), 1, 1, 0.05, 0.1)), second(Equation39(1, 1, 1e-200, 0.05, 0.1)), second(Equation39(1, 1, math.Inf(1), 0.05, 0.1)),
	} {
		if !errors.As(err, &argument) {
			t.Errorf("%v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// The smallest number with the power is just that.
func TestHotellingTrials(t *testing.T) {
	for _, d := range []int{1, 4, 9} {
		for _, distance := range []float64{0.4, 1, 4} {
			n, err := HotellingTrials(d, distance, 0.05, 0.1, 5000)
			if err != nil {
				t.Fatal(err)
			}
			at, err := HotellingPower(d, n, n, distance, 0.05)
			if err != nil || at < 0.9 {
				t.Errorf("%d columns, distance %v: power %v at %d, %v", d, distance, at, n, err)
			}
			if below, err := HotellingPower(d, n-1, n-1, distance, 0.05); err == nil && below >= 0.9 {
				t.Errorf("%d columns, distance %v: power %v at %d already", d, distance, below, n-1)
			}
		}
	}
	if n, err := HotellingTrials(3, 0.1, 0.05, 0.1, 50); n != 0 || err != nil {
		t.Errorf("out of reach: %d, %v", n, err)
	}
	for _, err := range []error{second(HotellingPower(0, 5, 5, 1, 0.05)), second(HotellingPower(1, 5, 5, -1, 0.05)), second(HotellingPower(1, 5, 5, 1, 1)), second(HotellingTrials(1, 1, 0.05, 0, 9))} {
		var argument *ArgumentError
		if !errors.As(err, &argument) {
			t.Errorf("%v", err)
		}
	}
	if _, err := HotellingPower(3, 2, 2, 1, 0.05); !errors.Is(err, ErrTooFewTrials) {
		t.Errorf("%v", err)
	}
}

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
	for _, test := range []Test{HotellingT2, PermutationT2} {
		o := BudgetOptions{Distance: 1, Simulations: 400, Options: Options{Test: test, Permutations: 299}}
		b, err := PlanBudgetVectors(context.Background(), numbered(3), vectors("", normalRows(300, 3)), o)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := HotellingPower(3, b.Trials, b.Trials, 1, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%v: %d trials, power %.3f; exactly %.3f; Hotelling needs %d", test, b.Trials, b.Power, exact, b.HotellingTrials)
		if math.Abs(exact-b.Power) > 0.05 || b.Power < 0.9 || b.Components != 3 {
			t.Errorf("%+v", b)
		}
		refdata.Close(t, "standard error", b.PowerErr, math.Sqrt(b.Power*(1-b.Power)/400), 1e-12)
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
	if len(all.Warnings) != 1 || all.Warnings[0].Code != FewCalibration {
		t.Errorf("%v", all.Warnings)
	}
	o.Distance = 3
	if b := plan(); b.Distance != 3 || b.Trials >= all.Trials {
		t.Errorf("%d trials for a larger shift, %d for the smaller", b.Trials, all.Trials)
	}
}

func TestBudgetRefuses(t *testing.T) {
	rows := vectors("", normalRows(10, 2))
	var argument *ArgumentError
	for name, o := range map[string]BudgetOptions{
		"no shift": {}, "negative": {Distance: -1}, "no such column": {Shift: map[string]float64{"x": 1}}, "zero": {Shift: map[string]float64{"c00": 0}},
		"beta": {Distance: 1, Beta: 2}, "simulations": {Distance: 1, Simulations: -1}, "trials": {Distance: 1, MaxTrials: 1}, "NaN": {Shift: map[string]float64{"c00": math.NaN()}},
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

// Lan and DeMets' function 2(1-Φ(z/√t)) at thirds of the trials, by mpmath 1.3.0.
func TestOBrienFleming(t *testing.T) {
	parts, err := OBrienFleming(0.025, []float64{1.0 / 3, 2.0 / 3, 1})
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for i, want := range []float64{0.000103505718147154, 0.00604838912990763, 0.025} {
		sum += parts[i]
		refdata.Close(t, "spent", sum, want, 1e-9)
	}
	for _, shares := range [][]float64{nil, {0.5}, {0.5, 0.5, 1}, {0, 1}, {math.NaN(), 1}, {1.5, 1}} {
		if _, err := OBrienFleming(0.05, shares); err == nil {
			t.Errorf("%v was accepted", shares)
		}
	}
}

// Looks at exchangeable samples find a change at most as often as they may
// altogether; and one that is there, before the last look.
func TestLooks(t *testing.T) {
	alphas, err := OBrienFleming(0.2, []float64{0.5, 1})
	if err != nil {
		t.Fatal(err)
	}
	const runs = 300
	alarms := 0
	for i := range runs {
		looks, err := NewLooks(alphas, Options{Permutations: 199, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		random := seeded.Stream(77, uint64(i))
		var sides [2]Sample
		for n := 0; n < 2; n++ {
			grow(&sides, random, 8, 0)
			c, err := looks.Look(t.Context(), &sides[0], &sides[1])
			if errors.Is(err, ErrNoLookLeft) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Changed {
				alarms++
			}
		}
	}
	t.Logf("%d alarms in %d runs", alarms, runs)
	if limit := 0.2 + 3*math.Sqrt(0.2*0.8/runs); float64(alarms) > limit*runs || alarms == 0 {
		t.Errorf("%d alarms in %d runs", alarms, runs)
	}

	looks, err := NewLooks(alphas, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var sides [2]Sample
	grow(&sides, rand.New(rand.NewPCG(1, 1)), 12, 2000)
	if c, err := looks.Look(t.Context(), &sides[0], &sides[1]); err != nil || !c.Changed || c.Alpha != alphas[0] {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := looks.Look(t.Context(), &sides[0], &sides[1]); !errors.Is(err, ErrNoLookLeft) || looks.Taken() != 1 {
		t.Errorf("%v after %d looks", err, looks.Taken())
	}
	looks, _ = NewLooks([]float64{0, 0.01}, Options{})
	if c, err := looks.Look(t.Context(), &sides[0], &sides[1]); err != nil || c.Changed {
		t.Errorf("a look without a part of the level: %+v, %v", c, err)
	}
	var argument *ArgumentError
	if _, err := looks.Look(t.Context(), &sides[0], &sides[1]); !errors.As(err, &argument) {
		t.Errorf("a look without new trials: %v", err)
	}
	for _, alphas := range [][]float64{nil, {-0.1, 0.2}, {0.5, 0.5}, {math.NaN()}, {0}} {
		if _, err := NewLooks(alphas, Options{}); !errors.As(err, &argument) {
			t.Errorf("%v: %v", alphas, err)
		}
	}
}

// grow adds trials to both sides, the candidate's with so many more tokens.
func grow(sides *[2]Sample, random *rand.Rand, trials int, shift int64) {
	for side := range sides {
		for range trials {
			sides[side].Add(&trial.Trial{Scenario: "s", OutputTokens: trial.Some(1000 + random.Int64N(500) + int64(side)*shift),
				CostUSD: trial.Some(random.Float64())})
		}
	}
}
