package sample

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
)

// sequence returns f(0) to f(n-1).
func sequence(n int, f func(i int) float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = f(i)
	}
	return values
}

func TestMannWhitneyAgainstSciPy(t *testing.T) {
	for _, test := range []struct {
		call                string
		baseline, candidate []float64
		u, p                float64
		exact               bool
	}{
		{"mannwhitneyu(c, b, method='exact')",
			[]float64{12, 3.5, 7, 9.25, 1, 4}, []float64{8, 15, 11, 6, 20, 13.5, 2}, 31, 0.18065268065268064, true},
		{"mannwhitneyu(range(10, 52, 2), range(1, 41, 2), method='exact')",
			sequence(20, func(i int) float64 { return float64(1 + 2*i) }),
			sequence(21, func(i int) float64 { return float64(10 + 2*i) }), 300, 0.018409268892367228, true},
		{"mannwhitneyu([1.5, 2.5], [1, 2], method='exact')",
			[]float64{1, 2}, []float64{1.5, 2.5}, 3, 0.6666666666666666, true},
		{"mannwhitneyu([9.5 .. 16.5], [1 .. 8], method='exact')",
			sequence(8, func(i int) float64 { return float64(i + 1) }),
			sequence(8, func(i int) float64 { return float64(i) + 9.5 }), 64, 0.0001554001554001554, true},
		{"mannwhitneyu(c, b, method='asymptotic'), with ties",
			sequence(200, func(i int) float64 { return float64(i * 7 % 31) }),
			sequence(150, func(i int) float64 { return float64(i*11%29 + 3) }), 16829, 0.05082114116761996, false},
		{"mannwhitneyu(c, b, method='asymptotic'), without ties",
			sequence(300, func(i int) float64 { return float64(i*i%1009) + float64(i)/1000 }),
			sequence(250, func(i int) float64 { return float64(i*i*i%1009) + float64(i)/999 + 40 }), 41171, 0.04793737344518017, false},
		{"permutation_test on |U - mn/2| of mannwhitneyu, n_resamples=inf",
			[]float64{1, 1, 2, 3}, []float64{2, 2, 3, 5, 5}, 16.5, 0.14285714285714285, true},
		{"permutation_test on |U - mn/2| of mannwhitneyu, n_resamples=inf",
			[]float64{0, 0, 0, 1, 4}, []float64{0, 4, 4, 4, 9, 9}, 25, 0.07142857142857142, true},
	} {
		got, err := MannWhitney(test.baseline, test.candidate)
		if err != nil {
			t.Fatal(err)
		}
		if got.U != test.u || got.Exact != test.exact {
			t.Errorf("%s: U = %v, exact %v", test.call, got.U, got.Exact)
		}
		refdata.Close(t, test.call, got.PTwoSided, test.p, 1e-12)
	}
}

// Rotating rats: Bergmann, Ludbrook & Spooren 2000, The American Statistician
// 54:72; R's exactRankTests and coin print W = 102 and p = 0.03727.
func TestMannWhitneyPublished(t *testing.T) {
	control := slices.Repeat([]float64{300}, 12)
	treatment := append([]float64{18, 22, 75, 163, 271}, slices.Repeat([]float64{300}, 7)...)
	got, err := MannWhitney(treatment, control)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%v %.5f", got.U, got.PTwoSided); text != "102 0.03727" || !got.Exact {
		t.Errorf("got %s, exact %v", text, got.Exact)
	}
}

// All assignments of up to 11 values to the sides, with and without ties.
func TestMannWhitneyMatchesEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string, most int) []float64 {
			values := rapid.SliceOfN(rapid.IntRange(0, 12), 1, most).Draw(t, name)
			return sequence(len(values), func(i int) float64 { return float64(values[i]) })
		}
		baseline, candidate := draw("baseline", 5), draw("candidate", 6)
		got, err := MannWhitney(baseline, candidate)
		if err != nil {
			t.Fatal(err)
		}
		statistic := func(baseline, candidate []float64) (u float64) {
			for _, b := range baseline {
				for _, c := range candidate {
					switch {
					case c > b:
						u++
					case c == b:
						u += 0.5
					}
				}
			}
			return u
		}
		mean := float64(len(baseline)*len(candidate)) / 2
		observed := statistic(baseline, candidate)
		all := slices.Concat(baseline, candidate)
		var extreme, total float64
		for set := range uint(1) << len(all) {
			if bits.OnesCount(set) != len(candidate) {
				continue
			}
			var b, c []float64
			for i, v := range all {
				if set>>i&1 == 1 {
					c = append(c, v)
				} else {
					b = append(b, v)
				}
			}
			total++
			if math.Abs(statistic(b, c)-mean) >= math.Abs(observed-mean) {
				extreme++
			}
		}
		if got.U != observed || math.Abs(got.PTwoSided-extreme/total) > 1e-13 || !got.Exact {
			t.Fatalf("got %+v, want U = %v and p = %v", got, observed, extreme/total)
		}
	})
}

// At the largest exact sizes the normal approximation agrees to a percent or so.
func TestMannWhitneyExactMeetsNormal(t *testing.T) {
	for _, step := range []float64{1, 5} { // without ties, and with ties of five
		baseline := sequence(40, func(i int) float64 { return math.Floor(float64(2*i) / step) })
		candidate := sequence(40, func(i int) float64 { return math.Floor(float64(2*i+9) / step) })
		ranks := rankTogether(baseline, candidate)
		if ranks.work() > maxRankWork {
			t.Fatalf("work %v", ranks.work())
		}
		refdata.Close(t, fmt.Sprint(step), ranks.exactTwoSided(), ranks.normalTwoSided(), 0.02)
	}
}

func TestMannWhitneyLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) []float64 {
			values := rapid.SliceOfN(rapid.IntRange(-50, 50), 1, 80).Draw(t, name)
			return sequence(len(values), func(i int) float64 { return float64(values[i]) })
		}
		baseline, candidate := draw("baseline"), draw("candidate")
		beforeB, beforeC := slices.Clone(baseline), slices.Clone(candidate)
		got, err := MannWhitney(baseline, candidate)
		if err != nil || !(got.PTwoSided > 0 && got.PTwoSided <= 1) || !(got.Superiority >= 0 && got.Superiority <= 1) {
			t.Fatalf("%+v, error %v", got, err)
		}
		if !slices.Equal(baseline, beforeB) || !slices.Equal(candidate, beforeC) {
			t.Fatal("the samples were changed")
		}
		swapped, err := MannWhitney(candidate, baseline)
		if err != nil || swapped.U+got.U != float64(len(baseline)*len(candidate)) ||
			math.Abs(swapped.PTwoSided-got.PTwoSided) > 1e-12 || math.Abs(swapped.CliffsDelta()+got.CliffsDelta()) > 1e-12 {
			t.Fatalf("swapped sides: %+v against %+v, error %v", swapped, got, err)
		}
		// Only the order matters.
		cube := func(values []float64) []float64 {
			return sequence(len(values), func(i int) float64 { return values[i] * values[i] * values[i] })
		}
		if cubed, _ := MannWhitney(cube(baseline), cube(candidate)); cubed != got {
			t.Fatalf("cubed: %+v against %+v", cubed, got)
		}
	})
}

func TestMannWhitneyEdges(t *testing.T) {
	same := slices.Repeat([]float64{7}, 500)
	for _, test := range []struct{ baseline, candidate []float64 }{{same, same}, {same[:3], same[:2]}, {same[:1], same[:1]}} {
		got, err := MannWhitney(test.baseline, test.candidate)
		if err != nil || got.PTwoSided != 1 || got.Superiority != 0.5 || got.CliffsDelta() != 0 {
			t.Errorf("equal values: %+v, error %v", got, err)
		}
	}
	got, err := MannWhitney([]float64{math.Inf(-1), 0}, []float64{math.Inf(1), math.Inf(1)})
	if err != nil || got.U != 4 {
		t.Errorf("infinities: %+v, error %v", got, err)
	}
	for _, test := range []struct {
		baseline, candidate []float64
		argument            string
	}{
		{nil, []float64{1}, "baseline"},
		{[]float64{1}, nil, "candidate"},
		{[]float64{1, math.NaN()}, []float64{1}, "baseline value 1"},
	} {
		_, err := MannWhitney(test.baseline, test.candidate)
		var argument *stats.ArgumentError
		if !errors.As(err, &argument) || argument.Argument != test.argument {
			t.Errorf("%+v: error %v", test, err)
		}
	}
}

func FuzzMannWhitney(f *testing.F) {
	f.Add(1.0, 2.0, 2.0, math.Inf(1), 0.0)
	f.Fuzz(func(t *testing.T, a, b, c, d, e float64) {
		got, err := MannWhitney([]float64{a, b}, []float64{c, d, e})
		if err == nil && !(got.PTwoSided > 0 && got.PTwoSided <= 1 && got.U >= 0 && got.U <= 6) {
			t.Fatalf("%+v", got)
		}
	})
}

func BenchmarkMannWhitney(b *testing.B) {
	for _, n := range []int{10, 44, 114, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			baseline := sequence(n, func(i int) float64 { return float64(i * 7919 % n) })
			candidate := sequence(n, func(i int) float64 { return float64(i*104729%n) + 0.5 })
			for b.Loop() {
				if _, err := MannWhitney(baseline, candidate); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func ExampleMannWhitney() {
	result, err := MannWhitney([]float64{7, 9, 6, 8, 7}, []float64{12, 10, 15, 9, 14})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("the candidate's value is larger with probability %.2f, p = %.3f\n", result.Superiority, result.PTwoSided)
	// Output: the candidate's value is larger with probability 0.98, p = 0.016
}
