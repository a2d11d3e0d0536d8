package calibration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// calibrateStopped measures what is said of recordings of runs that stopped by their outcomes, and
// of recordings judged in their order, in the settings in which an audit found errors.
func calibrateStopped(c *calibrator) error {
	for _, step := range []func() error{c.stoppedPairs, c.stoppedSuites, c.stoppedVerdicts, c.uneven, c.shuffles} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// runSampler is the tests of a run: each draws trials until its design stops it, as a run does.
type runSampler struct {
	design sprt.Design
	stops  baseline.SampleRecord
}

func gatheredBy(d sprt.Design) (runSampler, error) {
	s, err := baseline.Sequential(d.Boundaries)
	return runSampler{d, s.Record()}, err
}

// recorded is the recording of one run, as its journal is read: the trials of every scenario up to
// where its test stopped.
func (g runSampler) recorded(random *rand.Rand, rates []float64) *recording.Recording {
	r := &recording.Recording{}
	b := g.design.Boundaries
	for i, rate := range rates {
		var outcomes []trial.Outcome
		failures := 0
		for n := range b.MaxTrials() {
			outcomes = append(outcomes, trial.Pass)
			if random.Float64() >= rate {
				outcomes[n] = trial.Fail
				failures++
			}
			if failures <= b.PassAtOrBelow[n] || failures >= b.FailAtOrAbove[n] {
				break
			}
		}
		g.add(r, fmt.Sprint(i), outcomes)
	}
	return r
}

// add adds the trials of a test.
func (g runSampler) add(r *recording.Recording, scenario string, outcomes []trial.Outcome) {
	for _, o := range outcomes {
		r.Add(&trial.Trial{Scenario: scenario, Outcome: o})
	}
	r.StoppedBy(recording.Stop{
		Test: scenario, Scenarios: []string{scenario}, Judged: len(outcomes), Sample: &g.stops,
	})
}

// compareStopped judges two such recordings.
func compareStopped(ctx context.Context, before, after *recording.Recording) (verdict.Verdict, error) {
	r, err := compare.JudgeEnds(ctx, compare.EndsOfTrials(before), compare.EndsOfTrials(after), compare.EndsOptions{})
	if err != nil {
		return verdict.Inconclusive, err
	}
	return r.Verdict, nil
}

// ended is a recording of one test that came to an end. The order within it is that of a run which
// may end there: failures as early as they may be without an earlier end.
func (g runSampler) ended(s stop) *recording.Recording {
	r, b := &recording.Recording{}, g.design.Boundaries
	var outcomes []trial.Outcome
	// open[n] holds the failures from which the end can be reached, without one before.
	open := make([]map[int]bool, s.trials+1)
	open[s.trials] = map[int]bool{s.failures: true}
	for n := s.trials - 1; n >= 0; n-- {
		open[n] = map[int]bool{}
		for f := range n + 1 {
			goesOn := n == 0 || f > b.PassAtOrBelow[n-1] && f < b.FailAtOrAbove[n-1]
			open[n][f] = goesOn && (open[n+1][f] || open[n+1][f+1])
		}
	}
	failures := 0
	for n := range s.trials {
		if open[n+1][failures+1] {
			failures++
			outcomes = append(outcomes, trial.Fail)
		} else {
			outcomes = append(outcomes, trial.Pass)
		}
	}
	g.add(r, "0", outcomes)
	return r
}

// stoppedPairs compares one scenario, at every pair of ends of two runs.
//
// The promise is made of every common rate, and of every rate with a drop of delta below it.
func (c *calibrator) stoppedPairs() error {
	settings := []struct {
		most             int
		fails, unnoticed float64 // before
	}{{30, .105, .13}, {152, .141, .113}}
	for _, s := range settings[:pick(c, 1, 2)] {
		p, err := sprt.Optimal(c.ctx, usualHypotheses, sprt.OptimalOptions{MaxTrials: s.most})
		if err != nil {
			return err
		}
		g, err := gatheredBy(p.Design)
		if err != nil {
			return err
		}
		b := p.Design.Boundaries
		stops := walk(b, func(int) float64 { return .5 })
		verdicts := make([][]verdict.Verdict, len(stops))
		err = c.each(len(stops), func(c *calibrator, i int) error {
			verdicts[i] = make([]verdict.Verdict, len(stops))
			for k, after := range stops {
				var err error
				if verdicts[i][k], err = compareStopped(c.ctx, g.ended(stops[i]), g.ended(after)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		chance := func(v verdict.Verdict, drop float64) func(p float64) float64 {
			return func(p float64) (sum float64) {
				before := walk(b, func(int) float64 { return p })
				after := walk(b, func(int) float64 { return p - drop })
				for i, x := range before {
					for k, y := range after {
						if verdicts[i][k] == v {
							sum += x.probability * y.probability
						}
					}
				}
				return sum
			}
		}
		const delta = verdict.DefaultDelta
		rate, at := worstOver(rateGrid(0, 1, 60), chance(verdict.Fail, 0))
		c.exact("stopped runs", fmt.Sprintf("at most %d trials, rate %.3g", s.most, at), falseFail, rate,
			atMost(verdict.DefaultAlpha))
		c.before(s.fails)
		rate, at = worstOver(rateGrid(delta, 1, 60), chance(verdict.Pass, delta))
		c.exact("stopped runs", fmt.Sprintf("at most %d trials, rate %.3g", s.most, at), falsePass, rate,
			atMost(verdict.DefaultBeta))
		c.before(s.unnoticed)
	}
	return nil
}

// stoppedSuites compares runs of several scenarios whose rates differ: the bad ones have the most
// trials, so that pooled rates are those of two mixes.
func (c *calibrator) stoppedSuites() error {
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	g, err := gatheredBy(d)
	if err != nil {
		return err
	}
	for _, s := range []struct {
		name   string
		rates  []float64
		drop   float64
		wrong  verdict.Verdict
		kind   string
		p      promise
		before float64
	}{
		{"rates .99 .85", []float64{.99, .85}, 0, verdict.Fail, falseFail, atMost(verdict.DefaultAlpha), .127},
		{"rates .99 .95 .9 .85 .99, each drops by .1", []float64{.99, .95, .9, .85, .99}, .1, verdict.Pass, falsePass,
			atMost(verdict.DefaultBeta), .52},
		{"nine of .99, one of .85, each drops by .1", append(repeated(.99, 9), .85), .1, verdict.Pass, falsePass,
			atMost(verdict.DefaultBeta), .70},
		{"four of .98, one of .84, each drops by .1", append(repeated(.98, 4), .84), .1, verdict.Pass, falsePass,
			atMost(verdict.DefaultBeta), .702},
	} {
		dropped := make([]float64, len(s.rates))
		for i, rate := range s.rates {
			dropped[i] = rate - s.drop
		}
		err := c.simulate("stopped suites", s.name, s.kind, c.runs(40, 1000), s.p, func(random *rand.Rand) (bool, error) {
			v, err := compareStopped(c.ctx, g.recorded(random, s.rates), g.recorded(random, dropped))
			return v == s.wrong, err
		})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	return nil
}

// stoppedVerdicts asks of a run that stopped by one design about another threshold. A fixed number
// of trials is not asked of it any more; its trials in their order are.
func (c *calibrator) stoppedVerdicts() error {
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	g, err := gatheredBy(d)
	if err != nil {
		return err
	}
	// A Pass of a system of .79 was to have a chance of 3.1 % at most.
	h := sprt.Hypotheses{Threshold: .89, Delta: .1, Alpha: .05, Beta: .031}
	other, err := sprt.Wald(h, 400)
	if err != nil {
		return err
	}
	exact, err := other.Errors()
	if err != nil {
		return err
	}
	err = c.simulate("verdict, stopped run", "threshold .89 or .79", falsePass, c.runs(500, 20_000),
		atMost(max(h.Beta, exact.Beta)), func(random *rand.Rand) (bool, error) {
			r, err := sequential.Judge(c.ctx, g.recorded(random, []float64{h.Lower()}), sequential.Options{Design: other})
			return err == nil && r.Verdict == verdict.Pass, err
		})
	c.before(.069)
	return err
}

// uneven judges ten scenarios of 16 trials that are recorded two by two: those of the first two
// taking turns, then those of the next two. A test that ended within the first two would be one of them.
func (c *calibrator) uneven() error {
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	const scenarios, trials = 10, 160
	for _, s := range []struct {
		name         string
		first, other float64
		wrong        verdict.Verdict
		kind         string
		p            promise
		before       float64
	}{
		{"mean .9, the first two .5", .5, 1, verdict.Fail, falseFail, atMost(.05), .766},
		{"mean .8, the first two 1", 1, .75, verdict.Pass, falsePass, atMost(.1), 1},
	} {
		err := c.simulate("scenarios two by two", s.name, s.kind, c.runs(60, 1000), s.p,
			func(random *rand.Rand) (bool, error) {
				r := &recording.Recording{}
				for i := range trials {
					at := i/32*2 + i%2
					rate := s.other
					if at < 2 {
						rate = s.first
					}
					r.Add(drawn(random, fmt.Sprint(at), rate))
				}
				v, refused, err := inOrder(c.ctx, r, d)
				return !refused && v == s.wrong, err
			})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	// The price: an order that is random is refused now and then.
	return c.simulate("random orders refused", fmt.Sprintf("%d trials of %d scenarios", trials, scenarios), "refused",
		c.runs(200, 2000), atMost(.05), func(random *rand.Rand) (bool, error) {
			r := &recording.Recording{}
			for _, i := range random.Perm(trials) {
				r.Add(drawn(random, fmt.Sprint(i%scenarios), .9))
			}
			_, refused, err := inOrder(c.ctx, r, d)
			return refused, err
		})
}

// drawn is a trial that passes with a rate.
func drawn(random *rand.Rand, scenario string, rate float64) *trial.Trial {
	t := &trial.Trial{Scenario: scenario, Outcome: trial.Fail}
	if random.Float64() < rate {
		t.Outcome = trial.Pass
	}
	return t
}

// inOrder judges a recording in its order; refused says that the order was no random one.
func inOrder(ctx context.Context, r *recording.Recording, d sprt.Design) (v verdict.Verdict, refused bool, err error) {
	found, err := sequential.Judge(ctx, r, sequential.Options{Design: d})
	if _, blocked := errors.AsType[*sequential.BlockedError](err); blocked {
		return verdict.Inconclusive, true, nil
	}
	if err != nil {
		return verdict.Inconclusive, false, err
	}
	return found.Verdict, false, nil
}

// shuffles lets somebody try ten times who wants a system of .8 to pass: with ten orders of its
// scenarios in the file, as seeds cannot be chosen.
func (c *calibrator) shuffles() error {
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	const scenarios, each, tries = 5, 40, 10
	err = c.simulate("best of ten shuffles", "a system of .8", falsePass, c.runs(300, 5000), atMost(.1),
		func(random *rand.Rand) (bool, error) {
			var all [scenarios][]*trial.Trial
			for s := range all {
				for range each {
					all[s] = append(all[s], drawn(random, fmt.Sprint(s), .8))
				}
			}
			for range tries {
				r := &recording.Recording{}
				for _, s := range random.Perm(scenarios) {
					for _, t := range all[s] {
						r.Add(t)
					}
				}
				found, err := sequential.Judge(c.ctx, r, sequential.Options{Design: d, Order: sequential.ShuffleOrder})
				if err != nil || found.Verdict == verdict.Pass {
					return err == nil, err
				}
			}
			return false, nil
		})
	c.before(.42)
	return err
}
