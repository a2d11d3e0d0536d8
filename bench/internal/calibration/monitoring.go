package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/change"
)

// calibrateMonitoring measures the false alarms of detectors in long streams that do not change: each alarm starts
// again, so that at a run length of A there is one in A trials at most. It also measures how often the limit of a
// recorded baseline, or its observed rate, is above the true rate, after which the run length is not kept.
func calibrateMonitoring(c *calibrator) error {
	settings := quietStreams()
	if err := c.each(len(settings),
		func(c *calibrator, i int) error { return c.quiet(settings[i], uint64(i)) }); err != nil {
		return err
	}
	return c.baselinesOfDetectors()
}

// monitoredRunLength is short, so that false alarms are many enough to be counted.
const monitoredRunLength = 200

// quietStream is a stream that does not change, and its detector.
type quietStream struct {
	decision, setting string
	detector          func() (func(x float64) (bool, error), error) // new, from each alarm on
	draw              func(random *rand.Rand) func() float64
}

// quietStreams are the settings: for pass rates 1 is a failure.
func quietStreams() (all []quietStream) {
	rate := func(baseline float64) func() (func(float64) (bool, error), error) {
		return func() (func(float64) (bool, error), error) {
			d, err := change.NewShiryaevRoberts(baseline)
			return func(x float64) (bool, error) { return d.Add(x == 0) >= monitoredRunLength, nil }, err
		}
	}
	for _, baseline := range []float64{.5, .7, .8, .9, .95, .99} {
		all = append(all, quietStream{"shiryaev-roberts", fmt.Sprintf("rate %v", baseline), rate(baseline),
			failing(1 - baseline)})
	}
	all = append(all,
		quietStream{"shiryaev-roberts", "baseline 0.9, rate 0.92", rate(.9), failing(.08)},
		quietStream{"shiryaev-roberts", "baseline 0.9, the better the more failed before", rate(.9), dependent},
	)
	for _, s := range []struct{ baseline, drop float64 }{{.9, .1}, {.95, .05}, {.99, .04}} {
		all = append(all, quietStream{"cusum", fmt.Sprintf("rate %v, drop %v", s.baseline, s.drop),
			cusumOf(s.baseline, s.drop), failing(1 - s.baseline)})
	}
	for _, s := range []struct {
		setting   string
		direction change.Direction
		learnt    int
		draw      func(*rand.Rand) func() float64
	}{
		{"outcomes, rate 0.9", change.Rise, 0, failing(.1)},
		{"outcomes, rate 0.99, 100 before", change.Rise, 100, failing(.01)},
		{"costs, log-normal", change.Rise, 0, numbers(func(r *rand.Rand) float64 { return math.Exp(1.5 * r.NormFloat64()) })},
		{"costs, log-normal, 100 before", change.Rise, 100,
			numbers(func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64()) })},
		{"costs, without a mean", change.Rise, 20, numbers(func(r *rand.Rand) float64 { return 1 / (1 - r.Float64()) })},
		{"turns, four values", change.Rise, 0, numbers(func(r *rand.Rand) float64 { return float64(3 + r.IntN(4)) })},
		{"turns, fall", change.Fall, 50, numbers(func(r *rand.Rand) float64 { return float64(3 + r.IntN(4)) })},
		{"costs, either", change.Either, 50, numbers(func(r *rand.Rand) float64 { return r.ExpFloat64() })},
		{"always the same", change.Either, 0, numbers(func(*rand.Rand) float64 { return 1 })},
	} {
		all = append(all, quietStream{"conformal", s.setting, conformalOf(s.direction, s.learnt, s.draw), s.draw})
	}
	return all
}

func failing(rate float64) func(*rand.Rand) func() float64 {
	return numbers(func(r *rand.Rand) float64 {
		if r.Float64() < rate {
			return 1
		}
		return 0
	})
}

func numbers(draw func(*rand.Rand) float64) func(*rand.Rand) func() float64 {
	return func(r *rand.Rand) func() float64 { return func() float64 { return draw(r) } }
}

// dependent trials fail with a tenth, and with less after failures: what a detector adds up is then the largest.
func dependent(r *rand.Rand) func() float64 {
	last := 0.0
	return func() float64 {
		rate := .1
		if last == 1 {
			rate = .02
		}
		last = 0
		if r.Float64() < rate {
			last = 1
		}
		return last
	}
}

func cusumOf(baseline, drop float64) func() (func(float64) (bool, error), error) {
	design, err := change.NewCUSUM(baseline, drop, monitoredRunLength)
	return func() (func(float64) (bool, error), error) {
		sum := 0
		return func(x float64) (alarm bool, _ error) {
			sum, alarm = design.Next(sum, x == 0)
			return alarm, nil
		}, err
	}
}

// conformalOf learns from values of its own before it watches.
func conformalOf(
	direction change.Direction, learnt int, draw func(*rand.Rand) func() float64,
) func() (func(float64) (bool, error), error) {
	made := uint64(0)
	return func() (func(float64) (bool, error), error) {
		made++
		d, err := change.NewConformal(direction, made)
		if err != nil {
			return nil, err
		}
		next := draw(seeded.Stream(made, 1))
		for range learnt {
			if err := d.Learn(next()); err != nil {
				return nil, err
			}
		}
		return func(x float64) (bool, error) {
			evidence, err := d.Add(x)
			return evidence >= monitoredRunLength, err
		}, nil
	}
}

// quiet counts the alarms of a stream.
func (c *calibrator) quiet(s quietStream, number uint64) error {
	trials := pick(c, 40_000, 400_000)
	if c.long {
		trials *= 10
	}
	next := s.draw(seeded.Stream(c.rowSeed(s.decision, s.setting), number))
	alarms := 0
	watch, err := s.detector()
	for n := 0; n < trials && err == nil; n++ {
		if n%4096 == 0 && c.ctx.Err() != nil {
			return c.ctx.Err()
		}
		var alarm bool
		if alarm, err = watch(next()); alarm && err == nil {
			alarms++
			watch, err = s.detector()
		}
	}
	c.counted(s.decision, s.setting+fmt.Sprintf(", run length %d", monitoredRunLength), falseAlarm, alarms, trials,
		atMost(1.0/monitoredRunLength))
	return err
}

// baselinesOfDetectors enumerates recorded baselines: the share of them that a detector takes for better than they are.
func (c *calibrator) baselinesOfDetectors() error {
	const trials, gamma = 200, .05
	for _, rate := range []float64{.8, .9, .97} {
		limit, plugged := 0.0, 0.0
		for passes, mass := range binomialMasses(trials, rate) {
			if passes == 0 {
				continue // it is refused
			}
			lower, err := change.LowerLimit(stats.Counts{Passes: passes, Trials: trials}, gamma)
			if err != nil {
				return err
			}
			if lower > rate {
				limit += mass
			}
			if float64(passes) > rate*trials {
				plugged += mass
			}
		}
		setting := fmt.Sprintf("%d trials, rate %v", trials, rate)
		c.exact("limit of a baseline", setting, misled, limit, atMost(gamma))
		c.exact("observed baseline", setting, misled, plugged, unpromised(gamma))
	}
	return nil
}
