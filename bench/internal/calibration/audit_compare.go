package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// calibrateWithin measures what an audit found of comparisons over scenarios: mixes that differ, rates that
// are unlike, inputs that are repeated, changes that cancel, and how often a page alarms.
func calibrateWithin(c *calibrator) error {
	for _, measure := range []func() error{
		c.mixesFail, c.mixesPass, c.unlikeRates, c.unlikePairs, c.clusteredInputs, c.oppositeChanges, c.pageAlarms,
	} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// mixesFail enumerates an unchanged agent that passes easy scenarios at .99 and hard ones at .60, where the
// candidate tried another share of the easy ones. Before, the trials were pooled.
func (c *calibrator) mixesFail() error {
	const alpha, trials = .05, 100
	settings := []struct {
		easy   [2]int
		before float64
	}{{[2]int{50, 50}, .025}, {[2]int{50, 40}, .115}, {[2]int{50, 30}, .315}, {[2]int{80, 50}, .768},
		{[2]int{90, 50}, .976}}
	settings = settings[:pick(c, 3, len(settings))]
	return c.each(len(settings), func(c *calibrator, i int) error {
		s := settings[i]
		var counts [4][]float64 // masses of the passes: easy and hard of the baseline, of the candidate
		for side, n := range s.easy {
			counts[2*side] = binomialMasses(n, .99)
			counts[2*side+1] = binomialMasses(trials-n, .60)
		}
		// Given the passes of both scenarios the test looks at the candidate's total.
		critical := map[[2]int]int{}
		rate := 0.0
		const least = 1e-9
		for be, p1 := range counts[0] {
			for ke, p2 := range counts[2] {
				if p1*p2 < least {
					continue
				}
				for bh, p3 := range counts[1] {
					for kh, p4 := range counts[3] {
						if p1*p2*p3*p4 < least*least {
							continue
						}
						at := [2]int{be + ke, bh + kh}
						most, known := critical[at]
						if !known {
							var err error
							if most, err = c.largestFail(s.easy, at, trials, alpha); err != nil {
								return err
							}
							critical[at] = most
						}
						if ke+kh <= most {
							rate += p1 * p2 * p3 * p4
						}
					}
				}
			}
		}
		c.exact("margin, another mix", fmt.Sprintf("100/100, rates .99 and .60, %d and %d easy", s.easy[0], s.easy[1]),
			falseFail, rate, atMost(alpha))
		c.before(s.before)
		return nil
	})
}

// largestFail is the candidate's largest total of passes at which the test fails, given both scenarios' passes.
func (c *calibrator) largestFail(easy, passes [2]int, trials int, alpha float64) (int, error) {
	fails := func(total int) (bool, error) {
		// Any split of the total over the scenarios will do, as it does not matter to the test.
		var ke int
		for ke = max(0, passes[0]-easy[0]); total-ke > min(passes[1], trials-easy[1]); ke++ {
		}
		kh := total - ke
		r, err := stats.StratifiedTest.P(c.ctx, stats.Table{
			Baseline:  stats.Counts{Passes: passes[0] + passes[1] - total, Trials: trials},
			Candidate: stats.Counts{Passes: total, Trials: trials},
			Strata: []stats.Stratum{
				{Baseline: stats.Counts{Passes: passes[0] - ke, Trials: easy[0]},
					Candidate: stats.Counts{Passes: ke, Trials: easy[1]}},
				{Baseline: stats.Counts{Passes: passes[1] - kh, Trials: trials - easy[0]},
					Candidate: stats.Counts{Passes: kh, Trials: trials - easy[1]}},
			},
		})
		return r.P <= alpha, err
	}
	low := max(0, passes[0]-easy[0]) + max(0, passes[1]-(trials-easy[0])) - 1
	high := min(passes[0], easy[1]) + min(passes[1], trials-easy[1]) + 1
	for high-low > 1 {
		middle := (low + high) / 2
		yes, err := fails(middle)
		if err != nil {
			return 0, err
		}
		if yes {
			low = middle
		} else {
			high = middle
		}
	}
	return low, nil
}

// mixesPass simulates a candidate that is worse by .15 in both scenarios and tried more of the easy one.
func (c *calibrator) mixesPass() error {
	const beta, delta, drop = .10, .10, .15
	for _, s := range []struct {
		easy   [2]int
		before float64
	}{{[2]int{50, 80}, .42}, {[2]int{30, 80}, .86}} {
		err := c.simulate("margin, another mix", fmt.Sprintf("100/100, rates .99 and .60, drop .15, %d and %d easy",
			s.easy[0], s.easy[1]), falsePass, c.runs(300, 3000), atMost(beta), func(random *rand.Rand) (bool, error) {
			n := [2][2]int{{s.easy[0], 100 - s.easy[0]}, {s.easy[1], 100 - s.easy[1]}}
			var strata []stats.Stratum
			for scenario, rate := range []float64{.99, .60} {
				strata = append(strata, stats.Stratum{
					Baseline: flipped(random, n[0][scenario], rate), Candidate: flipped(random, n[1][scenario], rate-drop),
				})
			}
			r, err := stats.StratifiedNonInferiority(c.ctx, strata, nil, delta)
			return r.P <= beta, err
		})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	return nil
}

// flipped is a number of trials that pass at a rate.
func flipped(random *rand.Rand, n int, rate float64) stats.Counts {
	counts := stats.Counts{Trials: n}
	for range n {
		if random.Float64() < rate {
			counts.Passes++
		}
	}
	return counts
}

// unlikeRates climbs over the rates of the scenarios, from several starts, to where a candidate whose mean
// is worse by delta passes most often; each point is enumerated.
func (c *calibrator) unlikeRates() error {
	const beta = .10
	settings := []struct {
		n         [2]int
		delta     float64
		scenarios int
		before    float64
	}{{[2]int{10, 10}, .1, 10, .110}, {[2]int{20, 20}, .05, 20, .122}, {[2]int{10, 100}, .1, 10, .122},
		{[2]int{30, 30}, .1, 30, .104}}
	return c.each(len(settings), func(c *calibrator, i int) error {
		s := settings[i]
		// cut[b] is the fewest passes of the candidate that pass, where the baseline has b.
		cut := make([]int, s.n[0]+1)
		least := 0
		for b := range cut {
			for ; least <= s.n[1]; least++ {
				r, err := stats.StratifiedNonInferiority(c.ctx, []stats.Stratum{{
					Baseline: stats.Counts{Passes: b, Trials: s.n[0]}, Candidate: stats.Counts{Passes: least, Trials: s.n[1]},
				}}, nil, s.delta)
				if err != nil {
					return err
				}
				if r.P <= beta {
					break
				}
			}
			cut[b] = least
		}
		rate := climb(rand.New(rand.NewPCG(c.seed, uint64(i))), s.scenarios, s.delta, pick(c, 2, 8), pick(c, 400, 3000),
			func(rates [2][]float64) float64 {
				b := masses(s.n[0], func(trial int) float64 { return rates[0][trial%s.scenarios] })
				k := masses(s.n[1], func(trial int) float64 { return rates[1][trial%s.scenarios] })
				sum, above := 0.0, 0.0
				for at, k1 := s.n[0], s.n[1]; at >= 0; at-- {
					if at == s.n[0] {
						above = sumWhere(k, func(x int) bool { return x >= cut[at] })
						k1 = cut[at]
					}
					for ; k1 > cut[at]; k1-- {
						above += k[k1-1]
					}
					sum += b[at] * above
				}
				return sum
			})
		c.exact("margin, unlike rates", fmt.Sprintf("%d/%d, %d scenarios, drop %v in the mean, climbed", s.n[0], s.n[1],
			s.scenarios, s.delta), falsePass, rate, atMost(beta))
		c.before(s.before)
		return nil
	})
}

// climb moves the rates of two scenarios of a side against each other, or the means of both sides, as long as
// the chance grows; the mean of the candidate stays delta below the baseline's.
func climb(
	random *rand.Rand, scenarios int, delta float64, starts, steps int, chance func([2][]float64) float64,
) float64 {
	best := 0.0
	for start := range starts {
		mean := delta + (1-delta)*random.Float64()
		rates := [2][]float64{make([]float64, scenarios), make([]float64, scenarios)}
		for j := range scenarios {
			rates[0][j], rates[1][j] = mean, mean-delta
		}
		if start%2 == 1 {
			// One scenario of each side holds what is left of constants.
			spread(rates[0], mean)
			spread(rates[1], mean-delta)
		}
		at := chance(rates)
		for step := range steps {
			size := .3 * math.Pow(.01, float64(step)/float64(steps)) * random.Float64()
			next := [2][]float64{append([]float64(nil), rates[0]...), append([]float64(nil), rates[1]...)}
			if step%4 == 0 {
				for side := range next {
					next[side][random.IntN(scenarios)] += size
				}
				if random.IntN(2) == 0 {
					for side := range next {
						for j := range next[side] {
							next[side][j] = rates[side][j] - size/float64(scenarios)
						}
					}
				}
			} else {
				side, from, to := random.IntN(2), random.IntN(scenarios), random.IntN(scenarios)
				next[side][from] -= size
				next[side][to] += size
			}
			if !within(next) {
				continue
			}
			if value := chance(next); value > at {
				rates, at = next, value
			}
		}
		best = math.Max(best, at)
	}
	return best
}

// spread sets rates of 0 and 1 with this mean, but for one between.
func spread(rates []float64, mean float64) {
	left := mean * float64(len(rates))
	for j := range rates {
		rates[j] = math.Max(0, math.Min(1, left))
		left -= rates[j]
	}
}

// within reports whether all rates are probabilities.
func within(rates [2][]float64) bool {
	for _, side := range rates {
		for _, p := range side {
			if !(p >= 0 && p <= 1) {
				return false
			}
		}
	}
	return true
}

// unlikePairs climbs over the rates of the inputs where every input is a pair. The promise is one for inputs
// that are drawn; the row says how far rates that are chosen for the worst go beyond it.
func (c *calibrator) unlikePairs() error {
	const beta, delta = .10, .10
	n := pick(c, 12, 20)
	passes := make([][]bool, n+1)
	for broke := range passes {
		passes[broke] = make([]bool, n+1-broke)
		for mended := range passes[broke] {
			p, err := stats.PairedNonInferiority(c.ctx, stats.Pairs{BothPass: n - broke - mended, Broke: broke, Mended: mended},
				delta)
			if err != nil {
				return err
			}
			passes[broke][mended] = p <= beta
		}
	}
	rate := climb(rand.New(rand.NewPCG(c.seed, 99)), n, delta, pick(c, 2, 4), pick(c, 300, 1500),
		func(rates [2][]float64) float64 {
			mass := make([][]float64, n+2)
			for i := range mass {
				mass[i] = make([]float64, n+2)
			}
			mass[0][0] = 1
			for i := range n {
				breaks := rates[0][i] * (1 - rates[1][i])
				mends := (1 - rates[0][i]) * rates[1][i]
				for b := i + 1; b >= 0; b-- {
					for m := i + 1 - b; m >= 0; m-- {
						sum := mass[b][m] * (1 - breaks - mends)
						if b > 0 {
							sum += mass[b-1][m] * breaks
						}
						if m > 0 {
							sum += mass[b][m-1] * mends
						}
						mass[b][m] = sum
					}
				}
			}
			sum := 0.0
			for b := range passes {
				for m, is := range passes[b] {
					if is {
						sum += mass[b][m]
					}
				}
			}
			return sum
		})
	c.exact("mcnemar, unlike inputs", fmt.Sprintf("%d pairs, drop %v in the mean, climbed", n, delta), falsePass, rate,
		unpromised(beta))
	return nil
}

// clusteredInputs simulates ten inputs of each side's own, ten trials of each, with a correlation of .2 within
// an input: a share of the inputs always passes or always fails.
func (c *calibrator) clusteredInputs() error {
	const inputs, each, correlation, alpha, beta, delta = 10, 10, .2, .05, .10, .10
	side := func(random *rand.Rand, rate float64) (list []stats.Counts) {
		for range inputs {
			p := rate
			if random.Float64() < correlation {
				p = math.Floor(random.Float64() + rate) // 1 at the rate
			}
			list = append(list, flipped(random, each, p))
		}
		return list
	}
	text := fmt.Sprintf("%d own inputs of %d trials a side, correlation .2", inputs, each)
	err := c.simulate("margin, repeated inputs", text+", .9", falseFail, c.runs(500, 5000), atMost(alpha),
		func(random *rand.Rand) (bool, error) {
			r, err := stats.ClusteredExact(c.ctx, nil,
				[]stats.ClusterStratum{{Baseline: side(random, .9), Candidate: side(random, .9)}})
			return r.PLess <= alpha, err
		})
	if err != nil {
		return err
	}
	c.before(.14)
	err = c.simulate("margin, repeated inputs", text+", .9 and .8", falsePass, c.runs(500, 5000), atMost(beta),
		func(random *rand.Rand) (bool, error) {
			r, err := stats.StratifiedNonInferiority(c.ctx, nil,
				[]stats.ClusterStratum{{Baseline: side(random, .9), Candidate: side(random, .8)}}, delta)
			return r.P <= beta, err
		})
	c.before(.21)
	return err
}

// oppositeChanges simulates scenarios that change by the same odds, and scenarios that go opposite ways.
func (c *calibrator) oppositeChanges() error {
	const alpha, scenarios, each = .05, 10, 15
	for _, s := range []struct {
		name, kind string
		after      func(i int, p float64) float64
		p          promise
	}{
		{"odds halved everywhere", falseAlarm, func(_ int, p float64) float64 { return p / (2 - p) }, atMost(alpha)},
		{"half better, half worse by .3", missed, func(i int, p float64) float64 { return p + .3*float64(2*(i%2)-1) },
			atMost(.2)},
	} {
		err := c.simulate("changes differ", fmt.Sprintf("10 scenarios, 15/15, %s", s.name), s.kind, c.runs(60, 600), s.p,
			func(random *rand.Rand) (bool, error) {
				groups := make([][]stats.Stratum, scenarios)
				for i := range groups {
					p := .65 - .05*float64(i%3)
					groups[i] = []stats.Stratum{{Baseline: flipped(random, each, p), Candidate: flipped(random, each, s.after(i, p))}}
				}
				p, err := stats.Heterogeneity(c.ctx, slices.Values(groups), random.Uint64())
				return (p <= alpha) == (s.kind == falseAlarm), err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// pageAlarms judges whole comparisons of an unchanged agent: any Fail, scenario that is worse, difference
// between the scenarios, or metric that changed is an alarm.
func (c *calibrator) pageAlarms() error {
	const scenarios, each = 5, 10
	err := c.simulate("page of a comparison", "5 scenarios, 10/10, rates .7 to .95, tokens and cost", falseAlarm,
		c.runs(40, 500), atMost(.10),
		func(random *rand.Rand) (bool, error) {
			var sides [2]*recording.Recording
			for i := range sides {
				sides[i] = &recording.Recording{Name: fmt.Sprint(i)}
				for j := range scenarios * each {
					t := &trial.Trial{Scenario: fmt.Sprint(j % scenarios), Outcome: trial.Fail}
					if random.Float64() < .7+.0625*float64(j%scenarios) {
						t.Outcome = trial.Pass
					}
					t.InputTokens, t.OutputTokens = trial.Some(int64(1000*random.ExpFloat64())), trial.Some(int64(100))
					t.CostUSD = trial.Some(random.ExpFloat64())
					sides[i].Add(t)
				}
			}
			r, err := compare.Judge(c.ctx, sides[0], sides[1], compare.Options{})
			if err != nil {
				return false, err
			}
			alarm := r.Verdict == verdict.Fail || r.Heterogeneity != nil && r.Heterogeneity.Differ
			for _, s := range r.Scenarios {
				alarm = alarm || s.Verdict == verdict.Fail
			}
			for _, m := range r.Metrics {
				alarm = alarm || m.Changed
			}
			return alarm, nil
		})
	c.before(.15)
	return err
}
