package calibration

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// calibrateAttempts measures what an audit found of attempts without an outcome: agents that crash, runs
// that are interrupted while failures are slow, and the intervals of runs with errors.
//
// The promises are those of the design, made to whoever runs a suite and cannot rule out that what breaks
// off would have failed: alpha and beta, and an interval that misses the rate with at most 5 %. Crashes and
// interrupts go through the runner, journal and all; the intervals are exact, by carrying the states of
// both ways of counting errors from trial to trial.
func calibrateAttempts(c *calibrator) error {
	d, err := usualDesign(c.ctx)
	if err != nil {
		return err
	}
	for _, step := range []func(sprt.Design) error{c.crashes, c.interrupts, c.erroneousIntervals} {
		if err := step(d); err != nil {
			return err
		}
	}
	return nil
}

// errCrash is how the attempts of crashing agents end: the machine ran out of memory, say.
var errCrash = &runner.InfrastructureError{Type: "signal", Problem: "the agent was ended by a signal: killed"}

// crashes runs agents that crash in a share of their attempts and pass in the others, each attempt drawn
// anew, with two retries.
func (c *calibrator) crashes(d sprt.Design) error {
	for _, s := range []struct{ share, before float64 }{{.2, 1}, {.4, .9983}, {.5, .7843}} {
		err := c.simulate("crashing agent", fmt.Sprintf("crashes in %v of the attempts, %s", s.share, setting(d.Hypotheses)),
			falsePass, c.runs(1000, 10_000), atMost(d.Hypotheses.Beta), func(random *rand.Rand) (bool, error) {
				agent := runner.AgentFunc(func(context.Context, runner.Request) runner.Attempt {
					if random.Float64() < s.share {
						return runner.Attempt{Err: errCrash}
					}
					return runner.Attempt{Trial: &trial.Trial{Outcome: trial.Pass}}
				})
				o := oneTest(d, agent)
				o.Retries = 2
				r, err := runner.Run(c.ctx, o)
				if err != nil && !errors.Is(err, runner.ErrAllErrors) {
					return false, err
				}
				return r.Tests[0].Outcome == sprt.Pass, nil
			})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	return nil
}

// oneTest are options of a run of one test, one trial at a time.
func oneTest(d sprt.Design, agent runner.Agent) runner.Options {
	return runner.Options{
		Tests:     []runner.Test{{Name: "s", Design: d, Scenarios: []string{"s"}}},
		Scenarios: []runner.Scenario{{Name: "s"}}, Agent: agent, MaxErrors: d.Boundaries.MaxTrials(),
	}
}

// interrupts runs agents whose failures are so slow that an interrupt comes in a share of them, and goes on
// each time. Each attempt is drawn anew.
func (c *calibrator) interrupts(d sprt.Design) error {
	folder, err := os.MkdirTemp("", "tribunal-calibration")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, s := range []struct{ rate, share, before float64 }{{.7, .9, 1}, {.7, .5, .8}} {
		err := c.simulate("interrupted run", fmt.Sprintf("rate %v, interrupted in %v of its failures, %s", s.rate, s.share,
			setting(d.Hypotheses)), falsePass, c.runs(60, 600), atMost(d.Hypotheses.Beta),
			func(random *rand.Rand) (bool, error) {
				outcome, err := interrupted(c.ctx, d, filepath.Join(folder, fmt.Sprint(random.Uint64())), s.rate, s.share, random)
				return outcome == sprt.Pass, err
			})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	return nil
}

// interrupted is how a run ends that is continued after each interrupt.
func interrupted(
	ctx context.Context, d sprt.Design, journal string, rate, share float64, random *rand.Rand,
) (sprt.Outcome, error) {
	defer os.Remove(journal)
	for resume := false; ; resume = true {
		session, interrupt := context.WithCancel(ctx)
		o := oneTest(d, runner.AgentFunc(func(ctx context.Context, _ runner.Request) runner.Attempt {
			switch passes := random.Float64() < rate; {
			case passes:
				return runner.Attempt{Trial: &trial.Trial{Outcome: trial.Pass}}
			case random.Float64() < share:
				interrupt()
				return runner.Attempt{Err: ctx.Err()}
			}
			return runner.Attempt{Trial: &trial.Trial{Outcome: trial.Fail}}
		}))
		o.Journal, o.Resume = journal, resume
		r, err := runner.Run(session, o)
		interrupt()
		switch {
		case ctx.Err() != nil:
			return sprt.Undecided, context.Cause(ctx)
		case err != nil && !errors.Is(err, runner.ErrAllErrors):
			return sprt.Undecided, err
		case r.Tests[0].Outcome != sprt.Undecided:
			return r.Tests[0].Outcome, nil
		}
	}
}

// brokenRates are the chances of a trial: to pass, to fail, and to end in an error.
type brokenRates struct{ pass, fail, broken float64 }

// endPair is a pair of ends of a test with errors: with all of them as failures and as passes, and how
// likely it is.
type endPair struct {
	failed, passed stop
	probability    float64
}

// walkBoth returns the pairs of ends of a test with errors. It carries the states of both ways of counting
// from trial to trial: their failures, or where one has ended, its end and the failures of the other.
func walkBoth(b sprt.Boundaries, at brokenRates) (pairs []endPair) {
	type counts struct{ failed, passed int } // failures of each way of counting, as long as it goes on
	type state struct {
		counts
		ended [2]stop // with errors as failures, as passes; zero while it goes on
	}
	alive := map[state]float64{{}: 1}
	for i := range b.MaxTrials() {
		next := make(map[state]float64, len(alive)+len(alive)/8)
		for s, mass := range alive {
			for _, o := range []struct {
				chance float64
				add    counts
			}{{at.pass, counts{0, 0}}, {at.fail, counts{1, 1}}, {at.broken, counts{1, 0}}} {
				if o.chance == 0 {
					continue
				}
				to := s
				for way, failures := range []*int{&to.failed, &to.passed} {
					if to.ended[way].trials > 0 {
						continue
					}
					*failures += []int{o.add.failed, o.add.passed}[way]
					if end := boundary(b, i, *failures); end != sprt.Undecided {
						to.ended[way] = stop{trials: i + 1, failures: *failures, outcome: end}
						*failures = 0
					}
				}
				if to.ended[0].trials > 0 && to.ended[1].trials > 0 {
					pairs = append(pairs, endPair{to.ended[0], to.ended[1], mass * o.chance})
				} else {
					next[to] += mass * o.chance
				}
			}
		}
		alive = next
	}
	return pairs
}

// boundary is the end that a test has with so many failures after the trial of an index.
func boundary(b sprt.Boundaries, index, failures int) sprt.Outcome {
	switch {
	case failures <= b.PassAtOrBelow[index]:
		return sprt.Pass
	case failures >= b.FailAtOrAbove[index]:
		return sprt.Fail
	case index == b.MaxTrials()-1:
		return sprt.Inconclusive
	}
	return sprt.Undecided
}

// decided reports whether the run has a verdict, and so an interval: with all errors as failures it passed,
// or with all as passes it failed.
func (p endPair) decided() bool {
	return p.failed.outcome == sprt.Pass || p.passed.outcome == sprt.Fail
}

// dependence is how errors come about at a rate, a share of all trials being errors where they can be.
type dependence struct {
	name  string
	rates func(rate, share float64) brokenRates
}

// dependences are errors that do not depend on the outcome, that are all failures, and all passes.
var dependences = []dependence{
	{"of any trials", func(p, e float64) brokenRates { return brokenRates{p * (1 - e), (1 - p) * (1 - e), e} }},
	{"of failures alone", func(p, e float64) brokenRates {
		e = min(e, 1-p)
		return brokenRates{p, 1 - p - e, e}
	}},
	{"of passes alone", func(p, e float64) brokenRates { return brokenRates{p - e, 1 - p, e} }},
}

// auditedMisses are the shares of all runs whose interval missed the rate when it was that of the count
// which decided, with errors of any trials: the audit's share of runs with an interval, times its misses
// among them.
var auditedMisses = map[[2]float64]float64{
	{.98, .05}: .997 * (1 - .705), {.98, .1}: .85 * (1 - .368), {.95, .05}: .96 * (1 - .734), {.95, .1}: .56 * (1 - .496),
	{.9, .2}: .02 * (1 - .659),
}

// erroneousIntervals computes how often the interval with errors is given and misses the rate.
func (c *calibrator) erroneousIntervals(d sprt.Design) error {
	limits, err := newEndLimits(d.Boundaries)
	if err != nil {
		return err
	}
	type setting struct {
		rate, share float64
		dependence  dependence
	}
	var settings []setting
	for _, depends := range dependences {
		for _, rate := range pick(c, []float64{.98, .95}, []float64{.98, .95, .9}) {
			for _, share := range pick(c, []float64{.05, .1}, []float64{.05, .1, .2}) {
				settings = append(settings, setting{rate, share, depends})
			}
		}
	}
	return c.each(len(settings), func(c *calibrator, i int) error {
		s, missed := settings[i], 0.0
		for _, p := range walkBoth(d.Boundaries, s.dependence.rates(s.rate, s.share)) {
			if p.decided() && (s.rate < limits.low[p.failed.end()] || s.rate > limits.high[p.passed.end()]) {
				missed += p.probability
			}
		}
		c.exact("interval with errors",
			fmt.Sprintf("rate %v, %v %s are errors", s.rate, s.share, s.dependence.name), uncovered, missed, atMost(.05))
		if before, known := auditedMisses[[2]float64{s.rate, s.share}]; known && s.dependence.name == dependences[0].name {
			c.before(before)
		}
		return nil
	})
}

// endLimits are the limits of the interval by the ends that they follow from.
type endLimits struct{ low, high map[sprt.End]float64 }

// newEndLimits computes the limits of a run with errors, of which the lower one follows from the end with all
// of them as failures, and the upper one from that with all as passes. Each is taken together with the
// highest or the lowest end of the other way, which must not matter.
func newEndLimits(b sprt.Boundaries) (endLimits, error) {
	l := endLimits{map[sprt.End]float64{}, map[sprt.End]float64{}}
	stops := walk(b, func(int) float64 { return .5 })
	highest, lowest := stops[0].end(), stops[0].end()
	for _, s := range stops {
		if s.outcome == sprt.Pass {
			highest = s.end()
			break
		}
	}
	for _, s := range stops {
		if s.outcome == sprt.Fail {
			lowest = s.end()
			break
		}
	}
	for _, s := range stops {
		below, err := design.EstimateOf(b, s.end(), highest, .05)
		if err != nil {
			return l, err
		}
		above, err := design.EstimateOf(b, lowest, s.end(), .05)
		if err != nil {
			return l, err
		}
		l.low[s.end()], l.high[s.end()] = below.Low, above.High
	}
	return l, nil
}
