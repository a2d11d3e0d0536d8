package stats

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestFisherReference(t *testing.T) {
	refdata.Each(t, "fisher-less", func(t *testing.T, row table, want float64) {
		got, err := FisherLess(row.baseline(), row.candidate())
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "FisherLess", got, want, 1e-9)
	})
	refdata.Each(t, "fisher-two-sided", func(t *testing.T, row table, want float64) {
		got, err := FisherTwoSided(row.baseline(), row.candidate())
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "FisherTwoSided", got, want, 1e-9)
	})
}

func TestFisherTwoSidedAgainstEnumeration(t *testing.T) {
	for nb := 1; nb <= 9; nb++ {
		for nc := 1; nc <= 9; nc++ {
			for i := 0; i <= nb; i++ {
				for j := 0; j <= nc; j++ {
					h := dist.Hypergeometric{Population: nb + nc, Successes: i + j, Draws: nc}
					want := 0.0
					for x := 0; x <= nc; x++ {
						if h.Prob(x) <= h.Prob(j)*(1+1e-7) {
							want += h.Prob(x)
						}
					}
					got, err := FisherTwoSided(Counts{i, nb}, Counts{j, nc})
					if err != nil {
						t.Fatal(err)
					}
					refdata.Near(t, "two-sided", got, want, 1e-12)
				}
			}
		}
	}
}

func TestZPooledReference(t *testing.T) {
	refdata.Each(t, "z-pooled-less", func(t *testing.T, row table, want struct{ Z, P float64 }) {
		z, p, err := ZPooled(row.baseline(), row.candidate())
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "z", z, want.Z, 1e-9)
		refdata.Close(t, "p", p, want.P, 1e-9)
	})
}

func TestMcNemarReference(t *testing.T) {
	type args struct {
		Broke  int `json:"baseline_only"`
		Mended int `json:"candidate_only"`
	}
	refdata.Each(t, "mcnemar-exact-two-sided", func(t *testing.T, a args, want float64) {
		got, err := McNemarTwoSided(Pairs{10, a.Broke, a.Mended, 10})
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "two-sided", got, want, 1e-9)
	})
	refdata.Each(t, "mcnemar-midp-less", func(t *testing.T, a args, want float64) {
		got, err := McNemarMidP(Pairs{10, a.Broke, a.Mended, 10})
		if err != nil {
			t.Fatal(err)
		}
		refdata.Close(t, "mid-p", got, want, 1e-9)
	})
}

func TestMcNemarWithoutFlips(t *testing.T) {
	p, err := McNemarLess(Pairs{BothPass: 5, BothFail: 2})
	if err != nil || p != 1 {
		t.Errorf("p = %v, %v; want 1", p, err)
	}
}

func countsGenerator(most int) *rapid.Generator[Counts] {
	return rapid.Custom(func(t *rapid.T) Counts {
		n := rapid.IntRange(1, most).Draw(t, "trials")
		return Counts{rapid.IntRange(0, n).Draw(t, "passes"), n}
	})
}

// Swapping passes with failures and baseline with candidate is the same question
// asked in other words.
func TestTestsAreSymmetricUnderRelabelling(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		b, c := countsGenerator(60).Draw(t, "baseline"), countsGenerator(60).Draw(t, "candidate")
		mirrorB, mirrorC := Counts{c.Fails(), c.Trials}, Counts{b.Fails(), b.Trials}
		for name, test := range map[string]func(b, c Counts) (float64, error){
			"fisher":          FisherLess,
			"boschloo":        func(b, c Counts) (float64, error) { return Boschloo(context.Background(), b, c) },
			"non-inferiority": func(b, c Counts) (float64, error) { return NonInferiority(context.Background(), b, c, 0.1) },
			"z":               func(b, c Counts) (float64, error) { return onlyP(ZPooled(b, c)) },
		} {
			p, err := test(b, c)
			q, errMirror := test(mirrorB, mirrorC)
			if err != nil || errMirror != nil {
				t.Fatal(err, errMirror)
			}
			if math.Abs(p-q) > 2e-6*p+2e-7 {
				t.Fatalf("%s: %v and mirrored %v", name, p, q)
			}
			if !(p >= 0 && p <= 1) {
				t.Fatalf("%s: p = %v", name, p)
			}
		}
	})
}

func TestMorePassesOfTheCandidateRaiseP(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		b, c := countsGenerator(50).Draw(t, "baseline"), countsGenerator(50).Draw(t, "candidate")
		if c.Passes == c.Trials {
			t.Skip()
		}
		better := Counts{c.Passes + 1, c.Trials}
		p, _ := Boschloo(context.Background(), b, c)
		q, _ := Boschloo(context.Background(), b, better)
		if q < p*(1-2e-6) {
			t.Fatalf("Boschloo falls from %v to %v with one more pass", p, q)
		}
		p, _ = NonInferiority(context.Background(), b, c, 0.1)
		q, _ = NonInferiority(context.Background(), b, better, 0.1)
		if q > p*(1+2e-6)+2e-7 {
			t.Fatalf("NonInferiority rises from %v to %v with one more pass", p, q)
		}
	})
}

func TestCountsThatCannotBe(t *testing.T) {
	good := Counts{3, 5}
	for _, bad := range []Counts{{6, 5}, {-1, 5}, {0, -1}, {0, 0}, {0, MaxTrials + 1}} {
		for name, err := range map[string]error{
			"fisher":         errorOf(FisherLess(bad, good)),
			"fisher 2":       errorOf(FisherTwoSided(good, bad)),
			"boschloo":       errorOf(Boschloo(context.Background(), good, bad)),
			"z":              errorOf(onlyP(ZPooled(bad, good))),
			"noninferiority": errorOf(NonInferiority(context.Background(), bad, good, 0.1)),
			"region":         errorOf(BoschlooTest.Region(context.Background(), bad.Trials, 0, 0.05)),
		} {
			var argument *ArgumentError
			if !errors.As(err, &argument) {
				t.Errorf("%s with %v: %v, want an ArgumentError", name, bad, err)
			}
		}
	}
	for _, delta := range []float64{0, 1, -0.1, math.NaN(), math.Inf(1)} {
		if _, err := NonInferiority(context.Background(), good, good, delta); err == nil {
			t.Errorf("delta %v accepted", delta)
		}
		if _, err := PairedNonInferiority(context.Background(), Pairs{1, 1, 1, 1}, delta); err == nil {
			t.Errorf("paired delta %v accepted", delta)
		}
	}
	for _, bad := range []Pairs{{-1, 0, 0, 0}, {0, MaxTrials, MaxTrials, 0}} {
		if _, err := McNemarLess(bad); err == nil {
			t.Errorf("%v accepted", bad)
		}
	}
}

// onlyP leaves out the statistic of a test.
func onlyP(_, p float64, err error) (float64, error) { return p, err }

func errorOf[T any](_ T, err error) error { return err }

func FuzzTwoRates(f *testing.F) {
	f.Add(93, 100, 71, 100, 0.1)
	f.Add(0, 1, 1, 1, 0.9)
	f.Fuzz(func(t *testing.T, kb, nb, kc, nc int, delta float64) {
		baseline, candidate := Counts{kb, nb % 500}, Counts{kc, nc % 500}
		for _, test := range []func(b, c Counts) (float64, error){
			FisherLess, FisherTwoSided,
			func(b, c Counts) (float64, error) { return Boschloo(context.Background(), b, c) },
			func(b, c Counts) (float64, error) { return NonInferiority(context.Background(), b, c, delta) },
		} {
			p, err := test(baseline, candidate)
			if err == nil && !(p >= 0 && p <= 1) {
				t.Fatalf("%v %v delta %v: p = %v", baseline, candidate, delta, p)
			}
		}
	})
}

func FuzzPairs(f *testing.F) {
	f.Add(64, 15, 3, 32, 0.1)
	f.Fuzz(func(t *testing.T, both, broke, mended, none int, delta float64) {
		p := Pairs{both % 300, broke % 300, mended % 300, none % 300}
		for _, test := range []func(Pairs) (float64, error){
			McNemarLess, McNemarTwoSided, McNemarMidP,
			func(p Pairs) (float64, error) { return PairedNonInferiority(context.Background(), p, delta) },
		} {
			value, err := test(p)
			if err == nil && !(value >= 0 && value <= 1) {
				t.Fatalf("%+v delta %v: p = %v", p, delta, value)
			}
		}
	})
}

func BenchmarkFisher(b *testing.B) {
	for _, n := range []int{30, 100, 1000, 10000} {
		baseline, candidate := Counts{n * 95 / 100, n}, Counts{n * 90 / 100, n}
		for _, test := range []struct {
			name string
			p    func(baseline, candidate Counts) (float64, error)
		}{{"less", FisherLess}, {"two-sided", FisherTwoSided}} {
			b.Run(fmt.Sprint(test.name, "/", n), func(b *testing.B) {
				for b.Loop() {
					if _, err := test.p(baseline, candidate); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkNewcombe(b *testing.B) {
	for b.Loop() {
		if _, err := Newcombe(Counts{95, 100}, Counts{90, 100}, 0.05); err != nil {
			b.Fatal(err)
		}
	}
}
