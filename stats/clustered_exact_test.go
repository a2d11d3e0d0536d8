package stats

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"testing"
)

// All ways of handing out the inputs are enumerated, for inputs of one size.
func TestClusteredExactAgainstAllAssignments(t *testing.T) {
	for _, c := range []ClusterStratum{
		{[]Counts{{3, 3}, {2, 3}, {3, 3}}, []Counts{{0, 3}, {1, 3}}},
		{[]Counts{{3, 4}, {4, 4}}, []Counts{{1, 4}, {0, 4}, {4, 4}, {2, 4}}},
		{[]Counts{{1, 1}, {0, 1}}, []Counts{{0, 1}, {1, 1}}},
	} {
		all := append(append([]Counts(nil), c.Baseline...), c.Candidate...)
		observed := 0
		for _, x := range c.Candidate {
			observed += x.Passes
		}
		ways, hits := 0, 0
		for set := range 1 << len(all) {
			if bits.OnesCount(uint(set)) != len(c.Candidate) {
				continue
			}
			total := 0
			for i, x := range all {
				if set>>i&1 == 1 {
					total += x.Passes
				}
			}
			ways++
			if total <= observed {
				hits++
			}
		}
		got, err := ClusteredExact(context.Background(), nil, []ClusterStratum{c})
		if want := float64(hits) / float64(ways); err != nil || math.Abs(got.PLess-want) > 1e-12 {
			t.Errorf("%v: p %v, error %v; want %v", c, got.PLess, err, want)
		}
	}
}

// Inputs of sizes that only one side has say nothing, and inputs of one trial are independent trials.
func TestClusteredExactEdges(t *testing.T) {
	unlike := []ClusterStratum{{[]Counts{{3, 3}, {0, 3}}, []Counts{{1, 2}, {0, 2}}}}
	if got, err := ClusteredExact(context.Background(), nil, unlike); err != nil || got.PLess != 1 ||
		got.Informative != 0 {
		t.Errorf("%+v, error %v", got, err)
	}
	single := ClusterStratum{[]Counts{{1, 1}, {1, 1}, {1, 1}}, []Counts{{0, 1}, {0, 1}, {1, 1}}}
	got, err := ClusteredExact(context.Background(), nil, []ClusterStratum{single})
	want, errWant := StratifiedExact(context.Background(), []Stratum{{Counts{3, 3}, Counts{1, 3}}})
	if err != nil || errWant != nil || math.Abs(got.PLess-want.PLess) > 1e-12 {
		t.Errorf("%v against %v, errors %v and %v", got, want, err, errWant)
	}
	if _, err := ClusteredExact(context.Background(), nil, []ClusterStratum{{Baseline: []Counts{{}}}}); err == nil {
		t.Error("an input without trials is accepted")
	}
}

// With its ends cut off the distribution of many strata has the same p-values, a little larger.
func TestStratifiedExactCutOff(t *testing.T) {
	var strata []Stratum
	for i := range 60 {
		strata = append(strata, Stratum{Counts{40 + i%5, 50}, Counts{38 + i%7, 50}})
	}
	exact, err := StratifiedExact(context.Background(), strata)
	if err != nil {
		t.Fatal(err)
	}
	sum := convolution{work: maxConvolutionWork}
	observed := 0
	for _, same := range alike(strata) {
		observed += same.passes
		sum.add(context.Background(), candidatePasses(same.stratum), same.times)
	}
	p, _ := sum.total.tails(observed)
	if sum.lost == 0 || sum.lost > 1e-12 || math.Abs(p-exact.PLess) > sum.lost+1e-12 {
		t.Errorf("p %v and %v, lost %v", p, exact.PLess, sum.lost)
	}
}

// Given the margins and the total there are few tables of two strata: the drawn p-value is near the enumerated
// probability of tables at least as far from the common factor.
func TestHeterogeneityAgainstEnumeration(t *testing.T) {
	a, b := Stratum{Counts{9, 10}, Counts{4, 10}}, Stratum{Counts{5, 10}, Counts{8, 10}}
	got, err := Heterogeneity(context.Background(), slices.Values([][]Stratum{{a}, {b}}), 7)
	if err != nil {
		t.Fatal(err)
	}
	// Of both strata 13 of 20 pass, so the common factor splits the total of 12 into halves, and the tables are
	// ordered by the distance from 6.
	choose := func(n, k int) float64 {
		x := 1.0
		for i := range k {
			x = x * float64(n-i) / float64(i+1)
		}
		return x
	}
	sum, far := 0.0, 0.0
	for x := 3; x <= 10; x++ {
		y := 12 - x
		if y < 3 || y > 10 {
			continue
		}
		w := choose(10, x) * choose(10, 13-x) * choose(10, y) * choose(10, 13-y)
		sum += w
		if math.Abs(float64(x)-6) >= 2 {
			far += w
		}
	}
	if want := far / sum; math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/heterogeneityDraws)+1e-4 {
		t.Errorf("p %v, want about %v", got, want)
	}
	for _, one := range [][][]Stratum{nil, {{a}}, {{a}, {{Counts{5, 5}, Counts{5, 5}}}}} {
		if p, err := Heterogeneity(context.Background(), slices.Values(one), 1); err != nil || p != 1 {
			t.Errorf("%v: p %v, error %v", one, p, err)
		}
	}
}

// One stratum has Newcombe's interval.
func TestStratifiedDifferenceOfOneStratum(t *testing.T) {
	b, k := Counts{56, 70}, Counts{48, 80}
	value, got, err := StratifiedDifference([]Stratum{{b, k}}, nil, .05)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Newcombe(b, k, .05)
	if err != nil || math.Abs(value-(0.6-0.8)) > 1e-12 || math.Abs(got.Low-want.Low) > 1e-9 ||
		math.Abs(got.High-want.High) > 1e-9 {
		t.Errorf("%v %v, want %v, error %v", value, got, want, err)
	}
	// A difference that is the same in two strata is that of both, in whatever proportions.
	value, _, err = StratifiedDifference([]Stratum{{Counts{9, 10}, Counts{64, 80}}, {Counts{48, 80}, Counts{5, 10}}}, nil,
		.05)
	if err != nil || math.Abs(value+.1) > 1e-12 {
		t.Errorf("value %v, error %v", value, err)
	}
}
