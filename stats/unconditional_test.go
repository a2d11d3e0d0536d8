package stats

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
)

// table is a 2×2 table as the reference rows and the tests below name it.
type table struct {
	BaselinePasses  int `json:"baseline_passes"`
	BaselineTrials  int `json:"baseline_trials"`
	CandidatePasses int `json:"candidate_passes"`
	CandidateTrials int `json:"candidate_trials"`
}

func (t table) baseline() Counts  { return Counts{t.BaselinePasses, t.BaselineTrials} }
func (t table) candidate() Counts { return Counts{t.CandidatePasses, t.CandidateTrials} }

func TestBoschlooReference(t *testing.T) {
	type want struct{ Statistic, P float64 }
	refdata.Each(t, "boschloo-less", func(t *testing.T, row table, want want) {
		fisher, err := FisherLess(row.baseline(), row.candidate())
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "statistic", fisher, want.Statistic, 1e-9)
		p, err := Boschloo(context.Background(), row.baseline(), row.candidate())
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "p", p, want.P, 1e-4)
	})
}

// SciPy's documentation gives this value for boschloo_exact.
func TestBoschlooDocumentedValue(t *testing.T) {
	// boschloo_exact([[74, 31], [43, 32]], alternative="greater"): the first
	// column's share in row one is larger; here column two is the candidate.
	p, err := Boschloo(context.Background(), Counts{74, 117}, Counts{31, 63})
	if err != nil {
		t.Fatal(err)
	}
	refdata.Close(t, "boschloo", p, 0.0355640, 1e-4)
}

// bruteMaximum takes the largest probability, over a grid of the nuisance, of the
// tables whose ordering value is at least the observed one, up to ties.
func bruteMaximum(order [][]float64, i, j int, rates func(u float64) (pb, pc float64)) float64 {
	nb, nc := len(order)-1, len(order[0])-1
	least := order[i][j] - 1e-6
	largest := 0.0
	const grid = 300
	for g := 0; g <= grid; g++ {
		pb, pc := rates(float64(g) / grid)
		sum := 0.0
		for a := range order {
			row := dist.Binomial{N: nb, P: pb}.Prob(a)
			for b := range order[a] {
				if order[a][b] >= least {
					sum += row * dist.Binomial{N: nc, P: pc}.Prob(b)
				}
			}
		}
		largest = math.Max(largest, sum)
	}
	return largest
}

// orderTables computes an ordering value for every table.
func orderTables(nb, nc int, value func(i, j int) float64) [][]float64 {
	order := make([][]float64, nb+1)
	for i := range order {
		order[i] = make([]float64, nc+1)
		for j := range order[i] {
			order[i][j] = value(i, j)
		}
	}
	return order
}

func equalRates(u float64) (pb, pc float64) { return u, u }

// checkEveryTable compares a p-value with the brute maximum on every table. The
// grid may miss the top by a little; the bound may exceed it by its tolerance.
func checkEveryTable(t *testing.T, order [][]float64, rates func(u float64) (pb, pc float64),
	p func(baseline, candidate Counts) (float64, error)) {
	t.Helper()
	nb, nc := len(order)-1, len(order[0])-1
	for i := range order {
		for j := range order[i] {
			want := bruteMaximum(order, i, j, rates)
			got, err := p(Counts{i, nb}, Counts{j, nc})
			if err != nil {
				t.Fatal(err)
			}
			if got < want*(1-1e-9) || got > want*1.0005+1e-7 {
				t.Errorf("%d/%d, %d/%d: p = %v, enumeration %v", i, nb, j, nc, got, want)
			}
		}
	}
}

func TestBoschlooAgainstEnumeration(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {2, 3}, {5, 5}, {8, 4}, {3, 11}} {
		order := orderTables(n[0], n[1], func(i, j int) float64 {
			return -math.Log(dist.Hypergeometric{Population: n[0] + n[1], Successes: i + j, Draws: n[1]}.CDF(j))
		})
		checkEveryTable(t, order, equalRates, func(baseline, candidate Counts) (float64, error) {
			return Boschloo(context.Background(), baseline, candidate)
		})
	}
}

// score is the Farrington-Manning statistic with the restricted estimate found by
// golden-section search on the likelihood: no shared code with constrainedMLE.
func score(i, nb, j, nc int, delta float64) float64 {
	logLikelihood := func(pb float64) float64 {
		pc := pb - delta
		return countLog(i, pb) + countLog(nb-i, 1-pb) + countLog(j, pc) + countLog(nc-j, 1-pc)
	}
	low, high := delta, 1.0
	const golden = 0.6180339887498949
	for range 200 {
		a, b := high-golden*(high-low), low+golden*(high-low)
		if logLikelihood(a) < logLikelihood(b) {
			low = a
		} else {
			high = b
		}
	}
	pb := (low + high) / 2
	pc := math.Max(pb-delta, 0)
	excess := float64(j)/float64(nc) - float64(i)/float64(nb) + delta
	return excess / math.Sqrt(pb*(1-pb)/float64(nb)+pc*(1-pc)/float64(nc))
}

func countLog(k int, p float64) float64 {
	if k == 0 {
		return 0
	}
	return float64(k) * math.Log(math.Max(p, 1e-300))
}

func TestNonInferiorityAgainstEnumeration(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {4, 4}, {6, 3}, {3, 7}} {
		for _, delta := range []float64{0.05, 0.1, 0.3} {
			order := orderTables(n[0], n[1], func(i, j int) float64 { return score(i, n[0], j, n[1], delta) })
			boundary := func(u float64) (pb, pc float64) {
				pb = delta + u*(1-delta)
				return pb, math.Max(pb-delta, 0)
			}
			checkEveryTable(t, order, boundary, func(baseline, candidate Counts) (float64, error) {
				return NonInferiority(context.Background(), baseline, candidate, delta)
			})
		}
	}
}

// Where the largest probability lies at the end of the range, at which the candidate never passes, the slope there is
// no number: 1 - (1 - delta) is not delta in binary for most.
func TestNonInferiorityWithTheMaximumAtTheEnd(t *testing.T) {
	const nb, nc, delta = 40, 192, 0.3999
	order := orderTables(nb, nc, func(i, j int) float64 { return score(i, nb, j, nc, delta) })
	want := bruteMaximum(order, 34, 104, func(u float64) (pb, pc float64) {
		pb = delta + u*(1-delta)
		return pb, math.Max(pb-delta, 0)
	})
	got, err := NonInferiority(context.Background(), Counts{34, nb}, Counts{104, nc}, delta)
	if err != nil || !(got >= want*(1-1e-9) && got <= want*1.0005+1e-7) {
		t.Errorf("p = %v, %v, enumeration %v", got, err, want)
	}
	for step := range 400 {
		delta := float64(2*step+1) / 801
		for passes := 0; passes <= 12; passes += 3 {
			p, err := NonInferiority(context.Background(), Counts{8, 9}, Counts{passes, 12}, delta)
			if err != nil || !(p >= 0 && p <= 1) {
				t.Errorf("%d of 12 passes, delta %v: p = %v, %v", passes, delta, p, err)
			}
		}
	}
}

// The walk along the edge, and the maximum on the boundary of H0 alone, both
// need the orderings to be monotone in each count.
func TestOrderingsAreMonotone(t *testing.T) {
	for _, n := range [][2]int{{1, 1}, {5, 9}, {13, 13}, {30, 17}, {60, 60}, {7, 90}} {
		for _, delta := range []float64{0.01, 0.05, 0.1, 0.25, 0.5, 0.9} {
			event := newNonInferiorityEvent(n[0], n[1], delta)
			for i := 0; i <= n[0]; i++ {
				for j := 0; j <= n[1]; j++ {
					here := event.ordering(i, j)
					if i < n[0] && event.ordering(i+1, j) > here+1e-9 || j < n[1] && event.ordering(i, j+1) < here-1e-9 {
						t.Fatalf("n %v, delta %v: not monotone at failures %d, %d", n, delta, i, j)
					}
				}
			}
			paired := newPairedEvent(n[0], delta)
			for b := 0; b <= n[0]; b++ {
				for c := 0; b+c <= n[0]; c++ {
					here := paired.ordering(b, c)
					if b+c < n[0] && (paired.ordering(b+1, c) < here-1e-9 || paired.ordering(b, c+1) > here+1e-9) {
						t.Fatalf("pairs %d, delta %v: not monotone at %d broke, %d mended", n[0], delta, b, c)
					}
				}
			}
		}
	}
}

// searchedTangoScore is Tango's statistic with the restricted estimate found on a grid.
func searchedTangoScore(broke, mended, pairs int, delta float64) float64 {
	concordant := pairs - broke - mended
	logLikelihood := func(x float64) float64 {
		return countLog(broke, x+delta) + countLog(mended, x) + countLog(concordant, 1-delta-2*x)
	}
	low, high := 0.0, (1-delta)/2
	const golden = 0.6180339887498949
	for range 200 {
		a, b := high-golden*(high-low), low+golden*(high-low)
		if logLikelihood(a) < logLikelihood(b) {
			low = a
		} else {
			high = b
		}
	}
	x := (low + high) / 2
	variance := float64(pairs) * (2*x + delta - delta*delta)
	return (float64(mended-broke) + float64(pairs)*delta) / math.Sqrt(variance)
}

func TestPairedNonInferiorityAgainstEnumeration(t *testing.T) {
	for _, pairs := range []int{1, 2, 5, 8} {
		for _, delta := range []float64{0.1, 0.3} {
			order := orderTables(pairs, pairs, func(b, c int) float64 {
				if b+c > pairs {
					return math.Inf(-1)
				}
				return searchedTangoScore(b, c, pairs, delta)
			})
			for broke := range order {
				for mended := 0; broke+mended <= pairs; mended++ {
					want := brutePairedMaximum(order, broke, mended, delta)
					got, err := PairedNonInferiority(context.Background(), Pairs{0, broke, mended, pairs - broke - mended}, delta)
					if err != nil {
						t.Fatal(err)
					}
					if got < want*(1-1e-9) || got > want*1.001+1e-7 {
						t.Errorf("%d pairs, %d broke, %d mended, delta %v: p = %v, enumeration %v", pairs, broke, mended, delta, got,
							want)
					}
				}
			}
		}
	}
}

func brutePairedMaximum(order [][]float64, broke, mended int, delta float64) float64 {
	pairs := len(order) - 1
	least := order[broke][mended] - 1e-6
	largest := 0.0
	const grid = 300
	for g := 0; g <= grid; g++ {
		x := float64(g) / grid * (1 - delta) / 2
		sum := 0.0
		for b := range order {
			for c := 0; b+c <= pairs; c++ {
				if order[b][c] >= least {
					sum += trinomial(pairs, b, c, x+delta, x)
				}
			}
		}
		largest = math.Max(largest, sum)
	}
	return largest
}

func trinomial(n, b, c int, pb, pc float64) float64 {
	multiplicity, _ := math.Lgamma(float64(n + 1))
	for _, k := range []int{b, c, n - b - c} {
		l, _ := math.Lgamma(float64(k + 1))
		multiplicity -= l
	}
	return math.Exp(multiplicity + countLog(b, pb) + countLog(c, pc) + countLog(n-b-c, 1-pb-pc))
}

func TestMaximumIsFoundOnAFineGrid(t *testing.T) {
	// Twenty thousand points of the nuisance never show a larger probability than
	// the bound, nor a bound that is further above than promised.
	for _, row := range []table{{93, 100, 71, 100}, {95, 100, 90, 100}, {500, 1000, 470, 1000}, {980, 1000, 965, 1000},
		{20, 20, 60, 80}} {
		d := newDiagonals(row.BaselineTrials, row.CandidateTrials)
		fisher, _ := FisherLess(row.baseline(), row.candidate())
		d.orderByFisher(fisher)
		checkBound(t, fmt.Sprint("boschloo ", row), d)
		n := newNonInferiorityEvent(row.BaselineTrials, row.CandidateTrials, 0.1)
		n.orderUpTo(n.ordering(row.baseline().Fails(), row.candidate().Fails()))
		checkBound(t, fmt.Sprint("non-inferiority ", row), n)
	}
	for _, p := range []Pairs{{64, 15, 3, 32}, {900, 40, 45, 15}} {
		e := newPairedEvent(p.Total(), 0.1)
		e.orderUpTo(e.ordering(p.Broke, p.Mended))
		checkBound(t, fmt.Sprint("paired ", p), e)
	}
}

func checkBound(t *testing.T, name string, family nuisanceFamily) {
	t.Helper()
	found, bound, err := maximum(context.Background(), family)
	if err != nil {
		t.Fatal(err)
	}
	grid := 0.0
	for g := 1; g < 20000; g++ {
		value, _ := family.probability(family.parameter(float64(g) / 20000))
		grid = math.Max(grid, value)
	}
	if grid > bound || grid < found*(1-1e-4) || bound > found*(1+1e-6)+1e-7*family.ceiling() {
		t.Errorf("%s: found %v, bound %v, grid %v", name, found, bound, grid)
	}
}

func BenchmarkBoschloo(b *testing.B) {
	for _, n := range []int{30, 100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := Boschloo(context.Background(), Counts{n * 95 / 100, n}, Counts{n * 90 / 100, n}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNonInferiority(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := NonInferiority(context.Background(), Counts{n * 95 / 100, n}, Counts{n * 90 / 100, n},
					0.1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkPairedNonInferiority(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := PairedNonInferiority(context.Background(), Pairs{n * 80 / 100, n / 10, n / 20, n / 20},
					0.1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLargeSamples(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint("independent/", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := NonInferiority(context.Background(), Counts{n * 95 / 100, n}, Counts{n * 94 / 100, n},
					0.1); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprint("paired/", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := PairedNonInferiority(context.Background(), Pairs{n * 90 / 100, n * 4 / 100, n * 3 / 100, n * 3 / 100},
					0.1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
