package fingerprint

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// populations draw vectors of systems that are hard on a test, one trial at a time.
var populations = []struct {
	name    string
	columns int
	draw    func(random *rand.Rand, values []trial.Optional[float64])
}{
	{"normal", 8, func(random *rand.Rand, values []trial.Optional[float64]) {
		common := random.NormFloat64()
		for j := range values {
			values[j] = trial.Some(common + random.NormFloat64())
		}
	}},
	{"constant columns", 14, func(random *rand.Rand, values []trial.Optional[float64]) {
		for j := range values {
			values[j] = trial.Some(3.0)
			if j < 4 {
				values[j].Value = random.NormFloat64()
			}
		}
	}},
	{"rare errors", 10, func(random *rand.Rand, values []trial.Optional[float64]) {
		for j := range values {
			values[j] = trial.Some(0.0)
			if random.Float64() < 0.05*float64(j%4+1) {
				values[j].Value = 1
			}
		}
		values[0].Value = random.NormFloat64()
	}},
	{"heavy tails", 6, func(random *rand.Rand, values []trial.Optional[float64]) {
		for j := range values {
			values[j] = trial.Some(random.NormFloat64() / random.NormFloat64())
		}
	}},
	{"more columns than trials", 60, func(random *rand.Rand, values []trial.Optional[float64]) {
		factor := random.ExpFloat64()
		for j := range values {
			values[j] = trial.Some(factor*float64(j%3) + random.NormFloat64())
		}
	}},
	{"shares and unknown values", 6, func(random *rand.Rand, values []trial.Optional[float64]) {
		total := 0.0
		for j := range values {
			values[j] = trial.Some(float64(random.IntN(4)))
			total += values[j].Value
		}
		for j := range values {
			values[j].Value /= math.Max(total, 1)
			values[j].Known = random.Float64() > 0.1
		}
	}},
}

// falseAlarms is the share of simulations in which exchangeable halves are found to
// differ, and the chance of so many under a level of exactly 5 %.
func falseAlarms(t *testing.T, population, trials, scenarios, simulations int, o Options) (rate, chance float64) {
	t.Helper()
	shape := populations[population]
	found := 0
	for i := range simulations {
		random := seeded.Stream(uint64(population*1000+trials), uint64(i))
		draw := func() (sample []Vector) {
			for k := range trials {
				v := Vector{Scenario: fmt.Sprint(k % scenarios), Values: make([]trial.Optional[float64], shape.columns)}
				shape.draw(random, v.Values)
				sample = append(sample, v)
			}
			return sample
		}
		o.Seed = uint64(i)
		c, err := CompareVectors(t.Context(), numbered(shape.columns), draw(), draw(), o)
		if err != nil {
			t.Fatal(err)
		}
		if c.Changed {
			found++
		}
	}
	rate = float64(found) / float64(simulations)
	return rate, dist.Binomial{N: simulations, P: 0.05}.Survival(found - 1)
}

// simulations is how many pairs of samples are drawn of each setting, which takes minutes where all is asked for;
// levels and powers in full are measured by tribunal-calibrate.
func simulations() int { return thorough.Draws(100, 2000) }

func TestFalseAlarmRate(t *testing.T) {
	if testing.Short() {
		t.Skip("it simulates for many seconds")
	}
	simulations := simulations()
	for population := range populations {
		for _, trials := range []int{5, 10, 20, 50, 100} {
			for _, scenarios := range []int{1, 5} {
				if population == 4 && trials > 20 || scenarios > 1 && trials == 100 {
					continue
				}
				if !thorough.Asked() && (trials != 5 && trials != 20 || (scenarios > 1) == (population%2 > 0)) {
					continue // a few of them, with all populations
				}
				rate, chance := falseAlarms(t, population, trials, scenarios, simulations, Options{Permutations: 99})
				t.Logf("%s, %d a side, %d scenarios: %.3f", populations[population].name, trials, scenarios, rate)
				if chance < 1e-5 { // there are fifty settings
					t.Errorf("%s, %d a side, %d scenarios: %.3f, with chance %.2g at 5 %%", populations[population].name, trials,
						scenarios, rate, chance)
				}
			}
		}
	}
}

// The probability to name any column of those that did not change stays below alpha
// also if others did.
func TestNamedColumnsHaveChanged(t *testing.T) {
	const simulations, trials, shifted = 400, 15, 2
	wrong, right := 0, 0
	for i := range simulations {
		random := seeded.Stream(11, uint64(i))
		draw := func(shift float64) (rows [][]float64) {
			for range trials {
				row := []float64{shift + random.NormFloat64(), 1.5*shift + random.NormFloat64(), 0, 0, 0, 0}
				for j := shifted; j < len(row); j++ {
					row[j] = random.NormFloat64()
				}
				if random.Float64() > 0.15 {
					row[5] = 0 // a rare event
				}
				rows = append(rows, row)
			}
			return rows
		}
		c, err := CompareVectors(t.Context(), numbered(6), vectors("", draw(0)), vectors("", draw(1)),
			Options{Permutations: 199, Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		named, false1 := 0, false
		for j, column := range c.Columns {
			if column.Changed {
				named++
				false1 = false1 || j >= shifted
			}
		}
		if false1 {
			wrong++
		}
		if named > 0 {
			right++
		}
	}
	t.Logf("a column named wrongly in %d, any named in %d of %d", wrong, right, simulations)
	if limit := 0.05 + 3*math.Sqrt(0.05*0.95/simulations); float64(wrong) > limit*simulations {
		t.Errorf("a column that did not change was named in %d of %d", wrong, simulations)
	}
	if right < simulations*3/4 {
		t.Errorf("a column was named in %d of %d only", right, simulations)
	}
}
