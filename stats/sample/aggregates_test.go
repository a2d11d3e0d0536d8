package sample

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
)

// What is read back from JSON gives the very result of the values: of skewed ones, of ones that may be log-normal, of
// pairs, and of values that are all equal.
func TestAggregatesAreAllThatCounts(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	draws := map[string]func() float64{
		"exponential": random.ExpFloat64, "rare": func() float64 { return float64(max(random.IntN(400)-398, 0)) },
		"log-normal": func() float64 { return math.Exp(0.5 * random.NormFloat64()) }, "equal": func() float64 { return 3 },
	}
	for name, draw := range draws {
		for _, size := range []int{1, 2, 500} {
			strata := make([]Stratum, 6000/size)
			for i := range strata {
				for range size {
					strata[i].Baseline = append(strata[i].Baseline, draw())
					strata[i].Candidate = append(strata[i].Candidate, draw()*1.01)
				}
			}
			for _, alpha := range []float64{0.05, 0.2} {
				want, err := CompareMeans(strata, alpha, 1)
				if err != nil || want.Aggregates == nil {
					t.Fatalf("%s: %v, %v", name, want, err)
				}
				text, err := json.Marshal(want.Aggregates)
				if err != nil {
					t.Fatal(err)
				}
				var read Aggregates
				if err := json.Unmarshal(text, &read); err != nil {
					t.Fatal(err)
				}
				have, err := read.Compare(alpha)
				if err != nil || !reflect.DeepEqual(have, want) {
					t.Errorf("%s in groups of %d: %v, and of the values %v; %v", name, size, have, want, err)
				}
			}
		}
	}
}

// Few values are permuted: nothing stands for them.
func TestAggregatesOfFewValues(t *testing.T) {
	r, err := CompareMeans([]Stratum{{[]float64{1, 2, 3}, []float64{2, 3, 5}}}, 0.05, 1)
	if err != nil || r.Aggregates != nil {
		t.Errorf("%v, %v", r, err)
	}
}

func TestAggregatesValidate(t *testing.T) {
	good := func() *Aggregates {
		return &Aggregates{Constant: 1, Square: 1e-6, Unit: 1, Rarity: 9, Means: []MeanAggregates{
			{Variance: 1, Freedom: 0.1}, {Variance: 1, Freedom: 0.1, Log: &LogAggregates{0, 0.1, 1, 100}},
		}}
	}
	if err := good().Validate(); err != nil {
		t.Fatal(err)
	}
	for i, spoil := range []func(a *Aggregates){
		func(a *Aggregates) { a.Constant = -1 }, func(a *Aggregates) { a.Difference = math.NaN() },
		func(a *Aggregates) { a.Unit = math.Inf(1) }, func(a *Aggregates) { a.Square = -1 },
		func(a *Aggregates) { a.Means = append(a.Means, a.Means[0]) },
		func(a *Aggregates) { a.Means[0].Variance = -1 }, func(a *Aggregates) { a.Means[0].Freedom = 0 },
		func(a *Aggregates) { a.Means[0].Freedom = 2 }, func(a *Aggregates) { a.Means[1].Log.Variance = 5 },
		func(a *Aggregates) { a.Means[1].Log.Freedom = 0 }, func(a *Aggregates) { a.Means[1].Log.Level = math.NaN() },
	} {
		a := good()
		spoil(a)
		if a.Validate() == nil {
			t.Errorf("%d is taken", i)
		}
		if _, err := a.Compare(0.05); err == nil {
			t.Errorf("%d is compared", i)
		}
	}
}
