package calibration

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/rank"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// calibrateRank measures the intervals of ranks, false improvements, and the warning of drift.
//
// The promise is made to whoever picks one of several agents by a table: all intervals of an axis hold at once with
// 1-alpha, and what is called an improvement is none with alpha at most, be it that the pass rate dropped.
func calibrateRank(c *calibrator) error {
	for _, step := range []func() error{c.ranks, c.improvements, c.drift} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// levels draws the points of a trial: of ten principles of 0, 1 or 2, each kept with the same chance.
func levels(random *rand.Rand, share float64) (points float64) {
	for range 20 {
		if random.Float64() < share {
			points++
		}
	}
	return points
}

// scoredSide is a result of trials of a fixed number with a pass rate and a share of the points.
func scoredSide(random *rand.Rand, trials int, rate, share float64) (*runs.Result, error) {
	var marks strings.Builder
	var list []*trial.Trial
	for range trials {
		mark := byte('F')
		if random.Float64() < rate {
			mark = 'P'
		}
		marks.WriteByte(mark)
		x := &trial.Trial{}
		found := score.AxisResult{Name: "principles", Max: 20, Points: new(levels(random, share))}
		(&score.Trial{Axes: []score.AxisResult{found}}).Record(x)
		list = append(list, x)
	}
	axes, err := score.SeriesOf(list)
	if err != nil {
		return nil, err
	}
	d, err := sprt.Recording(trials)
	if err != nil {
		return nil, err
	}
	return &runs.Result{Suite: "s", Tests: []runs.Test{{
		Name: "one", Outcomes: marks.String(), Trials: trials, Axes: axes,
		Design: design.Design{Kind: d.Kind.String(), MaxTrials: trials, Digest: d.Digest(),
			Boundaries: design.Of(d.Boundaries)},
	}}}, nil
}

// ranks are intervals of ranks, of results of which some are equal: a rank is outside of its interval where more
// results are better than it allows, or fewer. 1,000 runs leave 1.5 points at alpha.
func (c *calibrator) ranks() error {
	const alpha = .1
	for _, s := range []struct {
		name   string
		trials int
		shares []float64
	}{
		{"4 equal, 20 trials", 20, []float64{.8, .8, .8, .8}},
		{"4, two of them equal, 20 trials", 20, []float64{.7, .8, .8, .9}},
		{"3 at the top, 10 trials", 10, []float64{.98, .98, .98}},
	} {
		err := c.simulate("intervals of ranks", s.name, uncovered, c.runs(100, 1000), atMost(alpha),
			func(random *rand.Rand) (bool, error) {
				var sources []rank.Source
				for i, share := range s.shares {
					r, err := scoredSide(random, s.trials, .9, share)
					if err != nil {
						return false, err
					}
					sources = append(sources, rank.Source{Name: fmt.Sprint(i), Run: r})
				}
				r, err := rank.Judge(c.ctx, sources, rank.Options{Alpha: alpha, Seed: random.Uint64()})
				if err != nil {
					return false, err
				}
				for i, found := range r.Axes[1].Ranks {
					better, least := 0, 0
					for j, share := range s.shares {
						if share > s.shares[i] {
							better++
						}
						if j != i && share == s.shares[i] {
							least++
						}
					}
					// Of equal ones any order is true, so the interval must hold all of them.
					if found.Low > better+1 || found.High < better+least+1 {
						return true, nil
					}
				}
				return false, nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// improvements are false ones: nothing is better, or the axis is and the rate dropped by delta. 1,000 runs leave 1.5
// points at alpha.
func (c *calibrator) improvements() error {
	const alpha, delta = .1, .2
	for _, s := range []struct {
		name        string
		rate, share float64
	}{
		{"unchanged", .9, .8},
		{"axis better, rate drops by delta", .7, .95},
	} {
		err := c.simulate("improvement of an axis", s.name, falsePass, c.runs(150, 1000), atMost(alpha),
			func(random *rand.Rand) (bool, error) {
				baseline, err := scoredSide(random, 80, .9, .8)
				if err != nil {
					return false, err
				}
				candidate, err := scoredSide(random, 80, s.rate, s.share)
				if err != nil {
					return false, err
				}
				r, err := rank.Judge(c.ctx, []rank.Source{{Name: "a", Run: baseline}, {Name: "b", Run: candidate}},
					rank.Options{Alpha: alpha, Delta: delta, Improve: "principles", Seed: random.Uint64()})
				return err == nil && r.Verdict == verdict.Pass, err
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// drift is the warning that failures lie early or late, of agents that do not change, by sequential tests. 10,000 runs
// leave 0.3 points at its level.
func (c *calibrator) drift() error {
	const level = .01
	h := sprt.Hypotheses{Threshold: .8, Delta: .2, Alpha: .05, Beta: .1}
	d, err := sprt.Wald(h, 150)
	if err != nil {
		return err
	}
	for _, rate := range []float64{.6, .8, .95} {
		err := c.simulate("drift", fmt.Sprintf("wald, rate %v", rate), falseAlarm, c.runs(2000, 10_000), atMost(level),
			func(random *rand.Rand) (bool, error) {
				test, err := sprt.NewTest(d)
				if err != nil {
					return false, err
				}
				o := sprt.OrderedTest{Boundaries: d.Boundaries}
				for i := 0; !test.Decided(); i++ {
					failed := random.Float64() >= rate
					o.Failed = append(o.Failed, failed)
					if err := test.Observe(i, !failed); err != nil {
						return false, err
					}
				}
				p, _, ok := sprt.OrderP([]sprt.OrderedTest{o}, random.Uint64())
				return ok && p <= level, nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}
