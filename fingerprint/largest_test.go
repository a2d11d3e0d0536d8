package fingerprint

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// With three trials, one of them the candidate, the square of a coordinate of a
// random direction in the plane has the arcsine distribution: P(X > x) is
// 1 - 2/π·arcsin √x.
func TestLargestHasItsReference(t *testing.T) {
	p := poolOfRows([][]float64{{0, 5}, {1, 3}}, [][]float64{{4, 4}})
	test, ok := newPermutationTest(p, nil, PermutationT2, 0.05)
	if !ok || test.single == nil {
		t.Fatal("no largest sum")
	}
	test.measure(p.permutation())
	// Of 0, 1 and 4 about 5/3 the squares sum up to 26/3, of which (7/3)²·3/2 = 49/6
	// is between the sides: the share is 49/52. In the second column it is 0.
	want := -math.Log(1-2/math.Pi*math.Asin(math.Sqrt(49.0/52))) - math.Log(2*2)
	if got := test.single.minusLogP(test.sums); math.Abs(got-want) > 1e-3 {
		t.Errorf("surprise %v, want %v", got, want)
	}
}

// A shift that a column shows by itself is found where T² on all columns is not
// enough, and that column is the one that is named.
func TestOneColumnAmongManyIsFound(t *testing.T) {
	const simulations, trials, columns = 200, 10, 14
	combined, shrunk, named := 0, 0, 0
	for i := range simulations {
		random := seeded.Stream(23, uint64(i))
		draw := func(shift float64) (rows [][]float64) {
			for range trials {
				row := make([]float64, columns)
				for j := range row {
					row[j] = random.NormFloat64()
				}
				row[3] += shift
				rows = append(rows, row)
			}
			return rows
		}
		baseline, candidate := vectors("", draw(0)), vectors("", draw(3))
		for test, found := range map[Test]*int{PermutationT2: &combined, ShrunkT2: &shrunk} {
			c, err := CompareVectors(t.Context(), numbered(columns), baseline, candidate,
				Options{Test: test, Permutations: 199, Seed: uint64(i)})
			if err != nil {
				t.Fatal(err)
			}
			if c.Changed {
				*found++
			}
			if test == PermutationT2 && c.Changed && c.Columns[3].Changed {
				named++
			}
		}
	}
	t.Logf("found in %d of %d, by T² alone in %d, named in %d", combined, simulations, shrunk, named)
	if combined < simulations*95/100 || shrunk > simulations*9/10 || named < combined*95/100 {
		t.Errorf("found in %d of %d, by T² alone in %d, named in %d", combined, simulations, shrunk, named)
	}
}

// Two sides of equal size that are exchanged as a whole differ as before: however
// plainly they differ, the p-value counts two permutations. Rounding must not tell
// them apart.
func TestExchangedSidesTie(t *testing.T) {
	for _, noise := range []float64{1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-10} {
		for columns := 1; columns <= 3; columns++ {
			for seed := range uint64(20) {
				random := seeded.Stream(31, seed)
				draw := func(level float64) (rows [][]float64) {
					for range 5 {
						row := make([]float64, columns)
						for j := range row {
							row[j] = random.NormFloat64()
						}
						row[0] = level + noise*row[0]
						rows = append(rows, row)
					}
					return rows
				}
				for _, test := range []Test{PermutationT2, ShrunkT2} {
					c, err := CompareVectors(t.Context(), numbered(columns), vectors("", draw(0.1)), vectors("", draw(0.8)),
						Options{Test: test})
					if err != nil {
						t.Fatal(err)
					}
					if want := 2.0 / 252; !c.Exhaustive || c.P < want*(1-1e-9) {
						t.Errorf("%s, %d columns, noise %g, seed %d: p = %v, want at least %v", test, columns, noise, seed, c.P, want)
					}
				}
			}
		}
	}
}
