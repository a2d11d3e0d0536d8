package calibration

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench/internal/spending"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// calibrateSequential computes the errors of sequential designs by walking their
// lattice, and simulates what no walk shows: errors, and trials of several scenarios.
//
// The promise is made to whoever stops early: at a rate of the threshold or more, Fail has at most
// alpha; at the threshold less delta or below, Pass has at most beta, whatever number of trials the
// test ends at. Most designs promise that; Wald's and the density ratio only print what their
// errors exactly are.
func calibrateSequential(c *calibrator) error {
	for _, step := range []func() error{c.designs, c.extended, c.unequalTrials, c.brokenTrials, c.recordings} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// usualHypotheses are those of the manual's example.
//
// It is also the question of AgentAssay's Example 3.2, so that its figures can be compared.
var usualHypotheses = sprt.Hypotheses{Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}

// usualDesign is the design of the manual's example.
//
// 152 trials are 7/5 of the 109 that a fixed sample takes, as plan offers.
func usualDesign(ctx context.Context) (sprt.Design, error) {
	p, err := sprt.Optimal(ctx, usualHypotheses, sprt.OptimalOptions{MaxTrials: 152})
	return p.Design, err
}

// designKind is a kind of designs, and what is promised of the errors of each: given
// what they are asked to be at most, and what they are exactly.
type designKind struct {
	// as the rows have it in their decision
	name    string
	promise func(target, exact float64) promise
	// makes the one that is measured
	design newDesign
}

// newDesign makes a design that tells hypotheses apart, for which a fixed sample would
// take so many trials.
type newDesign func(ctx context.Context, h sprt.Hypotheses, fixed sprt.FixedDesign) (sprt.Design, error)

func withinTarget(target, _ float64) promise { return atMost(target) }
func exactPrinted(_, exact float64) promise  { return asPrinted(exact) }

// optimal makes the designs with the fewest expected trials under these options.
func optimal(o func(h sprt.Hypotheses, fixed int) (sprt.OptimalOptions, error)) newDesign {
	return func(ctx context.Context, h sprt.Hypotheses, fixed sprt.FixedDesign) (sprt.Design, error) {
		options, err := o(h, fixed.Trials)
		if err != nil {
			return sprt.Design{}, err
		}
		// 7/5 of the fixed sample, the default of plan.
		if options.MaxTrials == 0 {
			options.MaxTrials = fixed.Trials * 7 / 5
		}
		p, err := sprt.Optimal(ctx, h, options)
		return p.Design, err
	}
}

// history weights by trials of the past that passed with a rate.
func history(trials int, rate func(sprt.Hypotheses) float64) func(sprt.Hypotheses, int) (sprt.OptimalOptions, error) {
	return func(h sprt.Hypotheses, _ int) (sprt.OptimalOptions, error) {
		w, err := sprt.History(stats.Counts{Passes: int(math.Round(float64(trials) * rate(h))), Trials: trials})
		return sprt.OptimalOptions{Weighting: w}, err
	}
}

func atThreshold(h sprt.Hypotheses) float64 { return h.Threshold }

// halfAsGood is a history that no longer holds: it must cost trials, not error.
func halfAsGood(h sprt.Hypotheses) float64 { return h.Threshold / 2 }

// looks makes a design of six looks, at equal shares of the trials.
func looks(s spending.Function) newDesign {
	return func(_ context.Context, h sprt.Hypotheses, fixed sprt.FixedDesign) (sprt.Design, error) {
		most := fixed.Trials * 7 / 5
		plan, err := spending.New(h, most, s)
		if err != nil {
			return sprt.Design{}, err
		}
		// A look needs a trial more than the one before, also where there are few.
		for k := 1; k <= 6; k++ {
			if err := plan.Look(max(most*k/6, k)); err != nil {
				return sprt.Design{}, err
			}
		}
		return plan.Design(), nil
	}
}

// designKinds are all kinds, of which the short form leaves out a few.
func designKinds(short bool) []designKind {
	list := []designKind{
		// the default of plan and run
		{"optimal, stable", withinTarget, optimal(func(sprt.Hypotheses, int) (o sprt.OptimalOptions, err error) {
			return
		})},
		{"optimal, groups of 10", withinTarget, optimal(func(sprt.Hypotheses, int) (sprt.OptimalOptions, error) {
			return sprt.OptimalOptions{Group: 10}, nil
		})},
		// Fewer trials than any test needs that always decides: the errors must hold all the same, and
		// what is lost are verdicts. The same goes for the fixed one below.
		{"optimal, few trials", withinTarget, optimal(func(_ sprt.Hypotheses, fixed int) (sprt.OptimalOptions, error) {
			return sprt.OptimalOptions{MaxTrials: fixed * 2 / 3}, nil
		})},
		{"warm, right history", withinTarget, optimal(history(200, atThreshold))},
		{"warm, wrong history", withinTarget, optimal(history(200, halfAsGood))},
		// Four times the fixed sample leaves little undecided.
		{"wald", exactPrinted, func(_ context.Context, h sprt.Hypotheses, fixed sprt.FixedDesign) (sprt.Design, error) {
			return sprt.Wald(h, 4*fixed.Trials)
		}},
		{"fixed", withinTarget,
			func(_ context.Context, h sprt.Hypotheses, fixed sprt.FixedDesign) (sprt.Design, error) {
				return sprt.Fixed(h, fixed.Trials)
			}},
		{"fixed, few trials", withinTarget,
			func(_ context.Context, h sprt.Hypotheses, fixed sprt.FixedDesign) (sprt.Design, error) {
				return sprt.Fixed(h, fixed.Trials*2/3)
			}},
		{"O'Brien-Fleming", withinTarget, looks(spending.OBrienFleming)},
		{"Pocock", withinTarget, looks(spending.Pocock)},
		{"linear spending", withinTarget, looks(spending.Linear)},
		{"density ratio", exactPrinted,
			func(_ context.Context, h sprt.Hypotheses, fixed sprt.FixedDesign) (sprt.Design, error) {
				// a history that speaks for the system, and may be wrong
				return sprt.DensityRatio(h, stats.Counts{Passes: 19, Trials: 20}, 4*fixed.Trials)
			}},
	}
	if short {
		return list
	}
	return append(list,
		designKind{"optimal, worst", withinTarget, optimal(func(sprt.Hypotheses, int) (sprt.OptimalOptions, error) {
			return sprt.OptimalOptions{Weighting: sprt.Worst()}, nil
		})},
		designKind{"optimal, beta", withinTarget, optimal(func(h sprt.Hypotheses, _ int) (sprt.OptimalOptions, error) {
			w, err := sprt.Beta(20*h.Threshold, 20*(1-h.Threshold))
			return sprt.OptimalOptions{Weighting: w}, err
		})},
	)
}

// manyHypotheses is the grid of what is told apart.
//
// The first three, of the short form, are the usual one, a wide and a narrow margin; the others
// add low thresholds, small alpha, and errors in other proportions. Order matters: other groups
// take some of them by their index.
func manyHypotheses(short bool) []sprt.Hypotheses {
	list := []sprt.Hypotheses{
		usualHypotheses,
		{Threshold: .8, Delta: .2, Alpha: .05, Beta: .05},
		{Threshold: .99, Delta: .09, Alpha: .05, Beta: .1},
	}
	if short {
		return list
	}
	return append(list,
		sprt.Hypotheses{Threshold: .5, Delta: .2, Alpha: .1, Beta: .1},
		sprt.Hypotheses{Threshold: .7, Delta: .15, Alpha: .01, Beta: .05},
		sprt.Hypotheses{Threshold: .8, Delta: .1, Alpha: .05, Beta: .05},
		sprt.Hypotheses{Threshold: .9, Delta: .2, Alpha: .01, Beta: .1},
		sprt.Hypotheses{Threshold: .95, Delta: .05, Alpha: .05, Beta: .1},
		sprt.Hypotheses{Threshold: .95, Delta: .1, Alpha: .1, Beta: .2},
		sprt.Hypotheses{Threshold: .3, Delta: .15, Alpha: .05, Beta: .1},
	)
}

// setting names hypotheses: both rates, then alpha and beta.
func setting(h sprt.Hypotheses) string {
	return fmt.Sprintf("%v/%v, %.3g/%.3g%%", h.Threshold, h.Lower(), 100*h.Alpha, 100*h.Beta)
}

// designs measures every kind of design for all hypotheses. Exact: a walk carries the probability
// of every state of the test from trial to trial.
func (c *calibrator) designs() error {
	kinds, hypotheses := designKinds(c.short), manyHypotheses(c.short)
	return c.each(len(kinds)*len(hypotheses), func(c *calibrator, i int) error {
		kind, h := kinds[i/len(hypotheses)], hypotheses[i%len(hypotheses)]
		fixed, ok := h.FixedSample()
		if !ok {
			return fmt.Errorf("%s: no fixed sample is large enough", setting(h))
		}
		d, err := kind.design(c.ctx, h, fixed)
		if err != nil {
			return fmt.Errorf("%s, %s: %w", kind.name, setting(h), err)
		}
		return c.design(kind, d)
	})
}

// design adds both errors, at the rates next to each other and beyond, and what is
// printed of rates between.
func (c *calibrator) design(kind designKind, d sprt.Design) error {
	h := d.Hypotheses
	exact, err := d.Errors()
	if err != nil {
		return err
	}
	// Errors are monotone in the rate: the next rates are there to notice a design in which they are
	// not.
	fail, _ := worstOver([]float64{h.Threshold, (1 + h.Threshold) / 2, 1}, func(p float64) float64 {
		_, fail, _ := ends(d.Boundaries, p)
		return fail
	})
	pass, _ := worstOver([]float64{h.Lower(), h.Lower() / 2, 0}, func(p float64) float64 {
		pass, _, _ := ends(d.Boundaries, p)
		return pass
	})
	c.exact(kind.name, setting(h), falseFail, fail, kind.promise(h.Alpha, exact.Alpha))
	c.exact(kind.name, setting(h), falsePass, pass, kind.promise(h.Beta, exact.Beta))
	// Beside what is printed, what was asked for: no promise, but of interest.
	if kind.promise(1, 0).kind == printed {
		c.exact(kind.name+", level", setting(h), falseFail, fail, unpromised(h.Alpha))
		c.exact(kind.name+", level", setting(h), falsePass, pass, unpromised(h.Beta))
	}
	// Between the hypotheses either verdict is right, so nothing is an error: what is promised are the
	// probabilities that plan prints.
	middle := h.Threshold - h.Delta/2
	at, err := d.Boundaries.Characteristics(middle)
	if err != nil {
		return err
	}
	pass, fail, open := ends(d.Boundaries, middle)
	for _, e := range []struct {
		what        string
		rate, shown float64
	}{{"pass", pass, at.Pass}, {"fail", fail, at.Fail}, {undecided, open, at.Inconclusive}} {
		c.exact("as planned, between", fmt.Sprintf("%s, %s, rate %.3g", kind.name, setting(h), middle), e.what,
			e.rate, asPrinted(e.shown))
	}
	return nil
}

// extended continues Wald's test where it used up its trials: always, or as somebody
// pleases.
//
// The promise is that of [sprt.Design.Extend]: the longer test prints its errors, and whoever
// extends or not after looking at what came out keeps alpha and beta. Half of the shorter and half
// of the longer one stands for that choice.
func (c *calibrator) extended() error {
	for _, h := range manyHypotheses(true)[:2] {
		// Half of a fixed sample leaves many tests undecided, so that extending matters.
		fixed, _ := h.FixedSample()
		first, err := sprt.Wald(h, fixed.Trials/2)
		if err != nil {
			return err
		}
		longer, err := first.Extend(fixed.Trials)
		if err != nil {
			return err
		}
		exact, err := longer.Errors()
		if err != nil {
			return err
		}
		_, shortFail, _ := ends(first.Boundaries, h.Threshold)
		_, longFail, _ := ends(longer.Boundaries, h.Threshold)
		shortPass, _, _ := ends(first.Boundaries, h.Lower())
		longPass, _, _ := ends(longer.Boundaries, h.Lower())
		c.exact("wald, extended", setting(h), falseFail, longFail, asPrinted(exact.Alpha))
		c.exact("wald, extended", setting(h), falsePass, longPass, asPrinted(exact.Beta))
		c.exact("wald, extended freely", setting(h), falseFail, (shortFail+longFail)/2, atMost(h.Alpha))
		c.exact("wald, extended freely", setting(h), falsePass, (shortPass+longPass)/2, atMost(h.Beta))
	}
	return nil
}

// unequalTrials walks the usual design with trials whose rates differ. Where every one is
// of the hypothesis the errors hold; where only their mean is, nothing is promised.
//
// The promise is about one rate. Rates that differ are covered where every trial is drawn anew from
// the scenarios, for then each passes with the mean rate. In rounds, in blocks and under a drift
// they are not; those rows say how far the errors move. 400,000 runs leave 0.10 points at alpha:
// a run is one walk, and what is looked for is small.
func (c *calibrator) unequalTrials() error {
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	h, n := d.Hypotheses, d.Boundaries.MaxTrials()
	rates := []float64{-.1, 0, 0, .1} // about the mean: a scenario each
	// a rate that moves evenly over the trials of the longest test
	along := func(from, to float64) func(int) float64 {
		return func(i int) float64 { return from + (to-from)*float64(i)/float64(n) }
	}
	for _, s := range []struct {
		name string
		at   func(base float64) func(int) float64 // the rate of each trial
		p    func(float64) promise
	}{
		{"drift in H0, in H1", func(base float64) func(int) float64 {
			// From 1 down to the threshold in H0, from the lower rate further down in H1: always within.
			if base == h.Threshold {
				return along(1, base)
			}
			return along(base, base-.1)
		}, atMost},
		{"drift down", func(base float64) func(int) float64 { return along(base+.05, base-.05) }, unpromised},
		{"drift up", func(base float64) func(int) float64 { return along(base-.05, base+.05) }, unpromised},
		{"scenarios rotated", func(base float64) func(int) float64 {
			return func(i int) float64 { return base + rates[i%4] }
		}, unpromised},
		{"scenarios in blocks", func(base float64) func(int) float64 {
			return func(i int) float64 { return base + rates[min(i*4/n, 3)] }
		}, unpromised},
	} {
		_, fail, _ := totals(walk(d.Boundaries, s.at(h.Threshold)))
		pass, _, _ := totals(walk(d.Boundaries, s.at(h.Lower())))
		c.exact(s.name, setting(h), falseFail, fail, s.p(h.Alpha))
		c.exact(s.name, setting(h), falsePass, pass, s.p(h.Beta))
	}
	for _, s := range []struct {
		name string
		draw bool
		p    func(float64) promise
	}{{"scenarios drawn", true, atMost}, {"scenarios in rounds", false, unpromised}} {
		for _, e := range []struct {
			kind    string
			base    float64
			outcome sprt.Outcome
			rate    float64
		}{{falseFail, h.Threshold, sprt.Fail, h.Alpha}, {falsePass, h.Lower(), sprt.Pass, h.Beta}} {
			err := c.simulate(s.name, setting(h), e.kind, c.runs(20_000, 400_000), s.p(e.rate),
				func(random *rand.Rand) (bool, error) {
					test, err := sprt.NewTest(d)
					if err != nil {
						return false, err
					}
					var round []int
					for i := 0; !test.Decided(); i++ {
						// A new order for each round of the four scenarios.
						if i%len(rates) == 0 {
							round = random.Perm(len(rates))
						}
						k := round[i%len(rates)]
						if s.draw {
							k = random.IntN(len(rates))
						}
						if err := test.Observe(i, random.Float64() < e.base+rates[k]); err != nil {
							return false, err
						}
					}
					return test.Outcome() == e.outcome, nil
				})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// breakage says which share of the passes and of the failures break.
// Shares are from 0 to 1. A trial that breaks is recorded as an error, whatever it would have been.
type breakage struct {
	name         string
	passes, fail float64
}

// The first is for comparison; the last two hide what speaks for the one or the other verdict.
var breakages = []breakage{
	{"none breaks", 0, 0},
	{"a fifth breaks", .2, .2},
	{"passes break", .2, 0},
	{"failures break", 0, .5},
}

// mark draws a trial that may break.
func (b breakage) mark(random *rand.Rand, rate float64) trial.Outcome {
	m, share := trial.Fail, b.fail
	if random.Float64() < rate {
		m, share = trial.Pass, b.passes
	}
	if random.Float64() < share {
		return trial.Error
	}
	return m
}

// brokenTrials tests trials that break, where that depends on what they would have been.
//
// The promise is that of [sprt.RobustTest], made to whoever cannot rule out that errors depend on
// the outcome: alpha and beta hold, since trials are judged with errors as failures and as passes.
// Simulated, as the test has two states at once; 200,000 runs leave 0.15 points at alpha.
func (c *calibrator) brokenTrials() error {
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	h := d.Hypotheses
	for _, b := range breakages[1:] {
		for _, e := range []struct {
			kind    string
			rate    float64
			outcome sprt.Outcome
			p       promise
		}{{falseFail, h.Threshold, sprt.Fail, atMost(h.Alpha)}, {falsePass, h.Lower(), sprt.Pass, atMost(h.Beta)}} {
			err := c.simulate("with errors", setting(h)+", "+b.name, e.kind, c.runs(20_000, 200_000), e.p,
				func(random *rand.Rand) (bool, error) {
					test, err := sprt.NewRobustTest(d)
					if err != nil {
						return false, err
					}
					for i := 0; !test.Decided(); i++ {
						if err := test.Observe(i, b.mark(random, e.rate)); err != nil {
							return false, err
						}
					}
					return test.Outcome() == e.outcome, nil
				})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// recordings judges recorded trials of two scenarios, shuffled, some of which broke.
//
// The promise is that a recording, replayed through a design in a random order, errs no more than
// the design does. 20,000 runs leave 0.46 points at alpha: each judges a whole recording.
func (c *calibrator) recordings() error {
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	h := d.Hypotheses
	for _, b := range []breakage{breakages[0], breakages[3]} {
		for _, e := range []struct {
			kind    string
			rate    float64
			verdict verdict.Verdict
			p       promise
		}{{falseFail, h.Threshold, verdict.Fail, atMost(h.Alpha)},
			{falsePass, h.Lower(), verdict.Pass, atMost(h.Beta)}} {
			err := c.simulate("recording, shuffled", setting(h)+", "+b.name, e.kind, c.runs(1000, 20_000), e.p,
				func(random *rand.Rand) (bool, error) {
					r := &recording.Recording{Name: "recording"}
					// More than the 152 trials of the design, a hundred of each scenario: a recording in its order
					// would be judged by the first scenario more than by the second.
					for i := range 200 {
						r.Add(&trial.Trial{Scenario: fmt.Sprint(i / 100), Outcome: b.mark(random, e.rate)})
					}
					found, err := sequential.Judge(c.ctx, r,
						sequential.Options{Design: d, Order: sequential.ShuffleOrder})
					return err == nil && found.Verdict == e.verdict, err
				})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
