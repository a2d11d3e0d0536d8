package sample

import (
	"errors"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

// All assignments within two strata are gone through, for sizes that differ and with ties.
func TestStratifiedRanksByEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 4))
	for range 40 {
		sizes := [2][2]int{{1 + random.IntN(3), 1 + random.IntN(4)}, {1 + random.IntN(2), 1 + random.IntN(3)}}
		var strata []Stratum
		for _, n := range sizes {
			var s Stratum
			for i := range n[0] + n[1] {
				x := float64(random.IntN(5))
				if i < n[0] {
					s.Baseline = append(s.Baseline, x)
				} else {
					s.Candidate = append(s.Candidate, x)
				}
			}
			strata = append(strata, s)
		}
		largest := max(sizes[0][0]+sizes[0][1], sizes[1][0]+sizes[1][1])
		// Every centred U of a stratum, over the subsets that may be the candidate's.
		centred := func(s Stratum) (all []float64, observed float64) {
			values := append(append([]float64{}, s.Baseline...), s.Candidate...)
			weight := math.Round(float64(largest+1) / float64(len(values)+1))
			for subset := range 1 << len(values) {
				if bits.OnesCount(uint(subset)) != len(s.Candidate) {
					continue
				}
				u := -float64(len(s.Baseline)*len(s.Candidate)) / 2
				for i, x := range values {
					for j, y := range values {
						if subset>>i&1 == 1 && subset>>j&1 == 0 {
							if x > y {
								u++
							} else if x == y {
								u += 0.5
							}
						}
					}
				}
				all = append(all, weight*u)
				if subset == (1<<len(values))-(1<<len(s.Baseline)) {
					observed = weight * u
				}
			}
			return all, observed
		}
		first, a := centred(strata[0])
		second, b := centred(strata[1])
		extreme := 0.0
		for _, x := range first {
			for _, y := range second {
				if math.Abs(x+y) >= math.Abs(a+b)-1e-9 {
					extreme++
				}
			}
		}
		p, exact, err := StratifiedRanks(strata)
		if err != nil || !exact {
			t.Fatal(exact, err)
		}
		refdata.Close(t, "p", p, extreme/float64(len(first)*len(second)), 1e-12)
	}
}

func TestStratifiedRanksOfOneStratum(t *testing.T) {
	s := Stratum{[]float64{1, 2, 3, 9, 4}, []float64{5, 7, 9, 11}}
	p, _, err := StratifiedRanks([]Stratum{s, {Baseline: []float64{1}}, {}})
	want, err2 := MannWhitney(s.Baseline, s.Candidate)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "p", p, want.PTwoSided, 1e-12)
	if p, _, err := StratifiedRanks([]Stratum{{Baseline: []float64{1}}}); p != 1 || err != nil {
		t.Error(p, err)
	}
	if _, _, err := StratifiedRanks([]Stratum{{[]float64{math.NaN()}, nil}}); err == nil {
		t.Error("NaN is taken")
	}
}

// The normal distribution is near the exact one where both can be had.
func TestStratifiedRanksOfLargeSamples(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	var strata []Stratum
	for i := range 3 {
		var s Stratum
		for range 12 + 3*i {
			s.Baseline = append(s.Baseline, random.Float64())
			s.Candidate = append(s.Candidate, random.Float64()+0.15)
		}
		strata = append(strata, s)
	}
	p, exact, err := StratifiedRanks(strata)
	if err != nil || !exact {
		t.Fatal(exact, err)
	}
	var all []jointRanks
	for _, s := range strata {
		all = append(all, rankTogether(s.Baseline, s.Candidate))
	}
	// The largest has 36 values, so the weights are 37/25, 37/31 and 1, rounded.
	refdata.Close(t, "normal", normalOfStrata(all, []int{1, 1, 1}), p, 0.1)
}

// All signs are gone through.
func TestSignedRanksByEnumeration(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 4))
	for range 40 {
		var differences []float64
		for range 1 + random.IntN(8) {
			differences = append(differences, float64(random.IntN(9)-4))
		}
		sum := func(sign func(i int, d float64) float64) (total float64) {
			for i, d := range differences {
				rank := 0.0
				for _, e := range differences {
					switch {
					case e == 0:
					case math.Abs(e) < math.Abs(d):
						rank++
					case math.Abs(e) == math.Abs(d):
						rank += 0.5
					}
				}
				if d != 0 {
					total += (rank + 0.5) * sign(i, d)
				}
			}
			return math.Abs(total)
		}
		observed := sum(func(_ int, d float64) float64 { return math.Copysign(1, d) })
		extreme := 0.0
		for signs := range 1 << len(differences) {
			if sum(func(i int, _ float64) float64 { return float64(2*(signs>>i&1) - 1) }) >= observed-1e-9 {
				extreme++
			}
		}
		p, _, err := SignedRanks(differences)
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "p", p, extreme/float64(int(1)<<len(differences)), 1e-12)
	}
}

// Another mix of two strata that are far apart is no difference.
func TestStratifiedMeanDifference(t *testing.T) {
	fill := func(n int, centre float64) (values []float64) {
		for i := range n {
			values = append(values, centre+float64(i%2)) // half of them higher by 1
		}
		return values
	}
	strata := []Stratum{{fill(40, 0), fill(10, 2)}, {fill(10, 100), fill(40, 102)}}
	d, interval, err := StratifiedMeanDifference(strata, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "difference", d, 2, 1e-12)
	// Either stratum has the weight 1/2, and the variance 0.25/39 + 0.25/9 of its difference.
	spread := math.Sqrt(0.5 * (0.25/39 + 0.25/9))
	terms := [2]float64{0.25 * 0.25 / 39, 0.25 * 0.25 / 9}
	freedom := math.Pow(spread, 4) / (2 * (terms[0]*terms[0]/39 + terms[1]*terms[1]/9))
	if !(freedom > 26 && freedom < 27) {
		t.Fatal(freedom)
	}
	// Between the quantiles of t with 27 and 26 degrees of freedom (SciPy, t.isf(.025, ·)), without skewness.
	if reach := interval.High - d; !(reach > 2.0518305164802833*spread && reach < 2.055529438642871*spread) {
		t.Errorf("reach %v of %v", reach, spread)
	}
	refdata.Close(t, "low", interval.Low, 2*d-interval.High, 1e-10)
}

func TestStratifiedMeanDifferenceOfFew(t *testing.T) {
	single := func(n int) (strata []Stratum) {
		for i := range n {
			strata = append(strata, Stratum{[]float64{float64(i)}, []float64{float64(i) - 1 + 2*float64(i%2)}})
		}
		return strata
	}
	// Strata of one trial a side are a sample of differences.
	d, interval, err := StratifiedMeanDifference(single(30), 0.05)
	if err != nil || math.Abs(d) > 1e-12 {
		t.Fatal(d, err)
	}
	reach := 2.045229642132703 * math.Sqrt(1./29) // SciPy, t.isf(.025, 29)
	refdata.Close(t, "high", interval.High, reach, 1e-10)
	for name, strata := range map[string][]Stratum{
		"few strata": single(19),
		"few trials": {{make([]float64, 19), []float64{1, 2, 3}}},
		"nothing":    nil,
		// Of 30 values one holds all the spread.
		"one dear": {{make([]float64, 30), append(make([]float64, 29), 1)}},
	} {
		if _, i, err := StratifiedMeanDifference(strata, 0.05); !errors.Is(err, ErrTooFew) || i != (stats.Interval{}) {
			t.Errorf("%s: %v, error %v", name, i, err)
		}
	}
	if _, _, err := StratifiedMeanDifference([]Stratum{{make([]float64, 20), make([]float64, 20)}}, 0.05); !errors.Is(err, ErrNoSpread) {
		t.Error(err)
	}
}
