package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
)

// calibrateSuites measures suites that are tested as one question: about the mean of their pass rates, and about any
// scenario that has collapsed. The promise is for every vector of rates, so vectors are searched for the worst one, by
// exact chances, and whole runs are simulated at vectors that people have.
func calibrateSuites(c *calibrator) error {
	for _, step := range []func() error{c.suiteMeans, c.suitesSimulated} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// suiteMeans searches for the vector of rates at which the mean test errs the most: of equal rates, of scenarios that
// always pass beside others, and of random ones. No scenario is beyond its floor, which has a promise of its own.
func (c *calibrator) suiteMeans() error {
	for _, scenarios := range []int{20, 50} {
		d, err := stratified.New(c.ctx, stratified.Question{Scenarios: scenarios})
		if err != nil {
			return err
		}
		q, p := d.Question(), d.Promise()
		for _, x := range []struct {
			mean, least float64
			kind        string
			promise     float64
			chance      func(stratified.Chances) float64
		}{
			{q.Threshold, q.Floor.From, falseFail, p.MeanFails, func(x stratified.Chances) float64 { return x.MeanFails }},
			{q.Lower(), q.Floor.To, falsePass, p.MeanPasses, func(x stratified.Chances) float64 { return x.MeanPasses }},
		} {
			worst := 0.0
			for n := range c.runs(40, 400) {
				random := rand.New(rand.NewPCG(c.rowSeed("suite mean", x.kind), uint64(n)))
				at, known := d.At(ratesOf(random, scenarios, x.mean, x.least, n), nil)
				if !known {
					return fmt.Errorf("the chances of %d scenarios are not known", scenarios)
				}
				worst = math.Max(worst, x.chance(at))
			}
			c.exact("suite, mean", fmt.Sprintf("%d scenarios, worst of the rates", scenarios), x.kind, worst, atMost(x.promise))
		}
		// A scenario on the edge of its floor is cleared or collapses by its own trials alone.
		rates := ratesOf(nil, scenarios, 1, 0, 0)
		rates[0] = q.Floor.To
		at, _ := d.At(rates, nil)
		c.exact("suite, one scenario", fmt.Sprintf("%d scenarios, one at %.1f", scenarios, q.Floor.To), falsePass,
			at.Clears[0], atMost(p.Clears))
	}
	return nil
}

// ratesOf is a vector of rates of a mean, none of which is below the least: equal ones first, then few scenarios that
// have all failures, and then random ones.
func ratesOf(random *rand.Rand, scenarios int, mean, least float64, n int) []float64 {
	weights := make([]float64, scenarios)
	for i := range weights {
		switch {
		case n == 0, n <= scenarios && i < n:
			weights[i] = 1
		case n > scenarios && random.IntN(2) == 0:
			weights[i] = random.ExpFloat64()
		default:
			weights[i] = 1e-9 // it fails only where the others cannot have all failures
		}
	}
	// Each scenario fails in proportion to its weight, up to what the least rate allows.
	lost := func(i int, scale float64) float64 { return math.Min(1-least, weights[i]*scale) }
	low, high := 0.0, 1e12
	for range 200 {
		scale, sum := (low+high)/2, 0.0
		for i := range weights {
			sum += lost(i, scale)
		}
		if sum < (1-mean)*float64(scenarios) {
			low = scale
		} else {
			high = scale
		}
	}
	rates := make([]float64, scenarios)
	for i := range rates {
		rates[i] = 1 - lost(i, low)
	}
	return rates
}

// suitesSimulated runs whole suites: against a threshold, a baseline that runs beside, and one that was recorded.
func (c *calibrator) suitesSimulated() error {
	const scenarios = 20
	equal := func(rate float64) []float64 {
		rates := make([]float64, scenarios)
		for i := range rates {
			rates[i] = rate
		}
		return rates
	}
	except := func(rate float64, others ...float64) []float64 {
		rates := equal(rate)
		copy(rates, others)
		return rates
	}
	half := append(equal(1)[:10], equal(.8)[:10]...)
	for _, x := range []struct {
		decision            string
		question            stratified.Question
		setting, kind       string
		candidate, baseline []float64
	}{
		{"suite", stratified.Question{}, "all at the threshold", falseFail, equal(.9), nil},
		{"suite", stratified.Question{}, "ten always pass, ten at 0.8", falseFail, half, nil},
		{"suite", stratified.Question{}, "all too low", falsePass, equal(.8), nil},
		{"suite", stratified.Question{}, "one at 0.3, others pass", falsePass, except(1, .3), nil},
		{"suite", stratified.Question{}, "four at 0.6, others 0.85", falsePass, except(.85, .6, .6, .6, .6), nil},
		{"suite side by side", stratified.Question{Sides: stratified.SideBySide}, "nothing changed", falseFail, equal(.9),
			equal(.9)},
		{"suite side by side", stratified.Question{Sides: stratified.SideBySide}, "all dropped", falsePass, equal(.85),
			equal(.95)},
		{"suite side by side", stratified.Question{Sides: stratified.SideBySide}, "one lost 0.7", falsePass, except(1, .3),
			equal(1)},
		{"suite, recorded baseline", stratified.Question{Sides: stratified.Stored, MaxRounds: 15}, "nothing changed",
			falseFail, equal(.9), equal(.9)},
		{"suite, recorded baseline", stratified.Question{Sides: stratified.Stored, MaxRounds: 15}, "all dropped",
			falsePass, equal(.85), equal(.95)},
		{"suite, recorded baseline", stratified.Question{Sides: stratified.Stored, MaxRounds: 15}, "two sorts, unchanged",
			falseFail, half, half},
	} {
		x.question.Scenarios = scenarios
		d, err := stratified.New(c.ctx, x.question)
		if err != nil {
			return err
		}
		p := d.Promise()
		most, wrong := p.FalseFail, sprt.Fail
		if x.kind == falsePass {
			most, wrong = p.FalsePass, sprt.Pass
		}
		errs := func(random *rand.Rand) (bool, error) {
			o, err := suiteEnd(d, random, x.candidate, x.baseline)
			return o == wrong, err
		}
		if err := c.simulate(x.decision, x.setting, x.kind, c.runs(500, 10_000), atMost(most), errs); err != nil {
			return err
		}
	}
	return nil
}

// suiteEnd runs a suite to its end, in an order that depends on outcomes: scenarios that failed most are tried first.
func suiteEnd(d *stratified.Design, random *rand.Rand, candidate, baseline []float64) (sprt.Outcome, error) {
	letter := func(rate float64) string {
		if random.Float64() < rate {
			return "P"
		}
		return "F"
	}
	q := d.Question()
	e := stratified.Evidence{Candidate: make([]string, len(candidate)), Baseline: make([]string, len(baseline))}
	if q.Sides == stratified.Stored {
		for i, rate := range baseline {
			for range q.MaxRounds {
				e.Baseline[i] += letter(rate)
			}
		}
	}
	for {
		x, err := d.Judge(e)
		if err != nil || x.Outcome != sprt.Undecided {
			return x.Outcome, err
		}
		next := x.Next
		if x.Mean != sprt.Undecided { // each scenario for itself
			next = next[:1]
		}
		for _, i := range next {
			e.Candidate[i] += letter(candidate[i])
			if q.Sides == stratified.SideBySide {
				e.Baseline[i] += letter(baseline[i])
			}
		}
	}
}
