package fingerprint

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// alternatives shift four columns by a Mahalanobis distance; the columns' covariance
// is rho^|i-j|.
type alternative struct {
	name      string
	rho       float64
	noise     float64 // deviation of ten more columns; 0: they are constant
	direction func(random *rand.Rand, k int) float64
}

func random4(random *rand.Rand, k int) float64 { return random.NormFloat64() }
func first4(_ *rand.Rand, k int) float64 {
	if k == 0 {
		return 1
	}
	return 0
}

// powers returns the shares of simulations in which the tests find the shift: T² on
// the four columns alone, the permutation test, and the one with the shrunk covariance
// alone on all fourteen.
func powers(
	t *testing.T, a alternative, trials int, distance float64, simulations, permutations int,
) (alone, combined, shrunk float64) {
	t.Helper()
	const d = 4
	for i := range simulations {
		random := seeded.Stream(uint64(trials), uint64(i))
		var z [d]float64 // the shift in coordinates of independent innovations
		length := 0.0
		for k := range z {
			z[k] = a.direction(random, k)
			length += z[k] * z[k]
		}
		draw := func(shifted float64) (all, four [][]float64) {
			for range trials {
				row := make([]float64, 14)
				last := 0.0
				for k := range d {
					innovation := random.NormFloat64() + shifted*distance*z[k]/math.Sqrt(length)
					if k == 0 {
						last = innovation
					} else {
						last = a.rho*last + math.Sqrt(1-a.rho*a.rho)*innovation
					}
					row[k] = last
				}
				for j := d; j < len(row); j++ {
					row[j] = 7 + a.noise*random.NormFloat64()
				}
				all, four = append(all, row), append(four, row[:d])
			}
			return all, four
		}
		baseline, baseline4 := draw(0)
		candidate, candidate4 := draw(1)
		h, err := hotelling.Test(baseline4, candidate4)
		if err != nil {
			t.Fatal(err)
		}
		if h.P <= 0.05 {
			alone++
		}
		for test, found := range map[Test]*float64{PermutationT2: &combined, ShrunkT2: &shrunk} {
			c, err := CompareVectors(t.Context(), numbered(14), vectors("", baseline), vectors("", candidate),
				Options{Test: test, Permutations: permutations, Seed: uint64(i)})
			if err != nil {
				t.Fatal(err)
			}
			if c.Changed {
				*found++
			}
		}
	}
	n := float64(simulations)
	return alone / n, combined / n, shrunk / n
}

// Where four of fourteen columns vary, the permutation test on all has the power of
// T² on the four that shift, less two points and the simulation's error, for shifts
// of no particular direction.
func TestPowerWhereFourOfFourteenColumnsVary(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	simulations := simulations()
	for _, a := range []alternative{{"independent", 0, 0, random4}, {"independent, one column", 0, 0, first4},
		{"correlated", 0.6, 0, random4}} {
		for trials, distance := range map[int]float64{10: 1.8, 20: 1.15, 50: 0.7} {
			if !thorough.Asked() && trials != 20 {
				continue
			}
			alone, combined, shrunk := powers(t, a, trials, distance, simulations, 499)
			t.Logf("%s, %d a side: T² alone %.3f, permutation %.3f, shrunk %.3f", a.name, trials, alone, combined, shrunk)
			// The tests see the same data: most decisions agree, and the difference of the
			// shares varies less than either.
			if deviation := math.Sqrt(0.1 / float64(simulations)); combined < alone-0.02-2*deviation {
				t.Errorf("%s, %d a side: %.3f, T² on the columns that shift has %.3f", a.name, trials, combined, alone)
			}
		}
	}
}

// A candidate of which a fifth fails, after a baseline that never did, is hardly
// seen by T² among many columns; the column that was constant shows it.
func TestConstantColumnIsTestedByItself(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	const trials, columns = 30, 12
	simulations := thorough.Draws(50, 200)
	combined, shrunk := 0, 0
	for i := range simulations {
		random := seeded.Stream(5, uint64(i))
		draw := func(errors int) (rows [][]float64) {
			for k := range trials {
				row := make([]float64, columns)
				for j := range row {
					row[j] = random.NormFloat64()
				}
				row[0] = 0
				if k < errors {
					row[0] = 1
				}
				rows = append(rows, row)
			}
			return rows
		}
		baseline, candidate := draw(0), draw(7)
		for test, found := range map[Test]*int{PermutationT2: &combined, ShrunkT2: &shrunk} {
			c, err := CompareVectors(t.Context(), numbered(columns), vectors("", baseline), vectors("", candidate),
				Options{Test: test, Permutations: 499, Seed: uint64(i)})
			if err != nil {
				t.Fatal(err)
			}
			if c.Changed {
				*found++
			}
			if test != PermutationT2 {
				continue
			}
			// 7 of 60 trials fail, and all of them are among the candidate's 30.
			if len(c.SeparatingEvents) != 1 || c.SeparatingEvents[0].Trials != 7 ||
				math.Abs(c.SeparatingEvents[0].P-2035800.0/386206920) > 1e-12 {
				t.Fatalf("departures %+v", c.SeparatingEvents)
			}
			if c.Changed && !c.Columns[0].Changed {
				t.Fatalf("the failures are not named: %+v", c.Columns[0])
			}
		}
	}
	t.Logf("found in %d of %d, by T² alone in %d", combined, simulations, shrunk)
	if combined < simulations || shrunk > simulations*3/4 {
		t.Errorf("found in %d of %d, by T² alone in %d", combined, simulations, shrunk)
	}
}

func BenchmarkCompare(b *testing.B) {
	random := seeded.Stream(1, 1)
	draw := func(shift float64) (rows [][]float64) {
		for range 100 {
			row := make([]float64, 20)
			for j := range row {
				row[j] = shift + random.NormFloat64()
			}
			rows = append(rows, row)
		}
		return rows
	}
	for name, shift := range map[string]float64{"same": 0, "shifted": 0.5} {
		baseline, candidate := vectors("", draw(0)), vectors("", draw(shift))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := CompareVectors(b.Context(), numbered(20), baseline, candidate, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
