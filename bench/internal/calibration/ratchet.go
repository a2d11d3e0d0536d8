package calibration

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/sprt/keep"
)

// ratchetRounds is how many challengers a session has here.
const ratchetRounds = 20

// calibrateRatchet measures how often a loop keeps what is no better: one challenger, over all ends of its test,
// whatever share of pairs differs; and sessions of twenty challengers that change nothing, where each has the level of
// its turn. The rows without a promise are rules that others have, which keep the best that was seen.
func calibrateRatchet(c *calibrator) error {
	const alpha = keep.DefaultAlpha
	sessions := map[keep.Spending][]*keep.Design{}
	for _, spending := range []keep.Spending{keep.Bonferroni, keep.LORD} {
		designs, err := sessionOf(c, spending, alpha)
		if err != nil {
			return err
		}
		sessions[spending] = designs
	}
	first := sessions[keep.Bonferroni][0]
	level := first.Question().Alpha
	for _, half := range []float64{.02, .08, .16, .3, .5} {
		setting := "a candidate that is no better, of pairs that differ " + percentOf(2*half)
		c.exact("kept by pairs", setting, falseAlarm, keptBy(first, half, half), atMost(level))
	}
	// Errors hide every pair that broke.
	err := c.simulate("kept by pairs, errors", "what broke ends in an error, of pairs that differ 32 %", falseAlarm,
		c.runs(2000, 40_000), atMost(level), func(random *rand.Rand) (bool, error) {
			test := first.Begin()
			for test.Decision() == keep.Open {
				switch u := random.Float64(); {
				case u < .16:
					test.Observe(keep.Unknown)
				case u < .32:
					test.Observe(keep.Mended)
				default:
					test.Observe(keep.BothPassed)
				}
			}
			return test.Decision() == keep.Keep, nil
		})
	if err != nil {
		return err
	}
	for _, spending := range []keep.Spending{keep.Bonferroni, keep.LORD} {
		err := c.simulate("session by pairs", "20 that change nothing, "+spending.String(), falseAlarm, c.runs(2000, 40_000),
			atMost(alpha), func(random *rand.Rand) (bool, error) {
				for _, design := range sessions[spending] {
					if challenged(random, design) == keep.Keep {
						return true, nil
					}
				}
				return false, nil
			})
		if err != nil {
			return err
		}
	}
	for _, rule := range []struct {
		name string
		mads float64
	}{{"best so far", 0}, {"best so far, 2 MAD", 2}} {
		err := c.simulate(rule.name, "20 that change nothing, 20 trials each", falseAlarm, c.runs(2000, 40_000),
			unpromised(alpha), func(random *rand.Rand) (bool, error) { return tracked(random, rule.mads), nil })
		if err != nil {
			return err
		}
	}
	return nil
}

// percentOf is a share for the name of a setting.
func percentOf(x float64) string { return strconv.FormatFloat(100*x, 'g', -1, 64) + " %" }

// keptBy is the chance that a design keeps a challenger whose pairs break and are mended at these rates: a walk over
// all states, round by round.
func keptBy(d *keep.Design, broke, mended float64) (kept float64) {
	at := map[[2]int]float64{{}: 1}
	for n := 1; n <= d.MaxPairs() && len(at) > 0; n++ {
		next := map[[2]int]float64{}
		for state, mass := range at {
			next[state] += mass * (1 - broke - mended)
			next[[2]int{state[0] + 1, state[1]}] += mass * broke
			next[[2]int{state[0], state[1] + 1}] += mass * mended
		}
		for state, mass := range next {
			switch d.Decide(n, state[0], state[1]) {
			case keep.Keep:
				kept += mass
				delete(next, state)
			case keep.Revert, keep.Undecided:
				delete(next, state)
			}
		}
		at = next
	}
	return kept
}

// sessionOf are the tests of a session of which nothing has been kept: by LORD++ what is kept first is all that is
// false of a session that changes nothing.
func sessionOf(c *calibrator, spending keep.Spending, alpha float64) (designs []*keep.Design, err error) {
	most := 150
	if c.short {
		most = 60
	}
	for round := range ratchetRounds {
		level, err := spending.Next(alpha, make([]bool, round))
		if err != nil {
			return nil, err
		}
		d, err := keep.New(c.ctx, keep.Question{Alpha: level, MaxPairs: most})
		if err != nil {
			return nil, err
		}
		designs = append(designs, d)
	}
	return designs, nil
}

// challenged tries a challenger that passes as often as the champion, four of five times.
func challenged(random *rand.Rand, d *keep.Design) keep.Decision {
	test := d.Begin()
	for test.Decision() == keep.Open {
		champion, challenger := random.Float64() < keep.DefaultRate, random.Float64() < keep.DefaultRate
		switch {
		case champion == challenger && champion:
			test.Observe(keep.BothPassed)
		case champion == challenger:
			test.Observe(keep.BothFailed)
		case champion:
			test.Observe(keep.Broke)
		default:
			test.Observe(keep.Mended)
		}
	}
	return test.Decision()
}

// tracked reports whether a session that keeps what passes more of twenty trials than the best before, by so many
// median absolute deviations of all so far, keeps anything of what changes nothing.
func tracked(random *rand.Rand, mads float64) bool {
	const n = 20
	draw := func() (passes float64) {
		for range n {
			if random.Float64() < keep.DefaultRate {
				passes++
			}
		}
		return passes
	}
	all := []float64{draw()}
	best := all[0]
	for range ratchetRounds {
		x := draw()
		all = append(all, x)
		if x > best+mads*deviation(all) {
			return true
		}
	}
	return false
}

// deviation is the median absolute deviation from the median.
func deviation(values []float64) float64 {
	middle := func(values []float64) float64 {
		sorted := slices.Sorted(slices.Values(values))
		half := len(sorted) / 2
		if len(sorted)%2 == 1 {
			return sorted[half]
		}
		return (sorted[half-1] + sorted[half]) / 2
	}
	centre := middle(values)
	away := make([]float64, len(values))
	for i, x := range values {
		away[i] = math.Abs(x - centre)
	}
	return middle(away)
}
