package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

// calibrateAuditBehaviour measures what an audit found of the comparison of behaviour: false alarms where trials
// are not exchangeable one by one, changes that it was blind to, and whether it calls the same what is not.
//
// The promises are made to whoever compares traces of two versions. A change of an unchanged system is found with
// at most alpha also where each side tried other inputs, where one side knows less, and where a sequential test
// stopped one; a shift of the size that is named passes with at most beta; and of 150 trials a side the changes
// that are named here are missed with at most 20 %.
func calibrateAuditBehaviour(c *calibrator) error {
	for _, step := range []func() error{
		c.otherInputs, c.missingCosts, c.stoppedBehaviour, c.shiftsAtMargin, c.sameBehaviour, c.blindSpots,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// worker is an agent that searches some times and answers; its tokens are lognormal with that deviation, times the
// factor, and the cost follows them.
func worker(random *rand.Rand, factor, deviation float64, first ...string) *trial.Trial {
	return spent(random, math.Exp(6+deviation*random.NormFloat64())*factor, first...)
}

func spent(random *rand.Rand, tokens float64, first ...string) *trial.Trial {
	steps := []trial.Step{{Action: trial.Reason}}
	for _, tool := range first {
		steps = append(steps, trial.Step{Action: trial.CallTool, Tool: tool})
	}
	for range random.IntN(4) {
		steps = append(steps, trial.Step{Action: trial.CallTool, Tool: "search"})
	}
	return &trial.Trial{
		Scenario: "s", Outcome: trial.Pass, Steps: append(steps, trial.Step{Action: trial.Respond}),
		OutputTokens: trial.Some(int64(tokens)), CostUSD: trial.Some(1e-5*tokens + .002*random.Float64()),
	}
}

// changed compares two samples at the level of this file.
func (c *calibrator) changed(random *rand.Rand, baseline, candidate *fingerprint.Sample) (bool, error) {
	o := fingerprint.Options{Alpha: behaviourAlpha, Permutations: pick(c, 199, 999), Seed: random.Uint64()}
	found, err := fingerprint.Compare(c.ctx, baseline, candidate, o)
	return err == nil && found.Changed, err
}

// otherInputs draws inputs for each side by itself: trials of one input are alike.
func (c *calibrator) otherInputs() error {
	for _, s := range []struct {
		trials            int
		deviation, before float64
	}{{5, .3, .138}, {5, .6, .217}, {15, .6, .503}} {
		err := c.simulate("own inputs on each side", fmt.Sprintf("10 inputs of %d, input sd %v", s.trials, s.deviation),
			falseAlarm, c.runs(50, 250), atMost(behaviourAlpha), func(random *rand.Rand) (bool, error) {
				var sides [2]fingerprint.Sample
				for side := range sides {
					for input := range 10 {
						factor := math.Exp(s.deviation * random.NormFloat64())
						for range s.trials {
							t := worker(random, factor, .3)
							t.Input = trial.RawString(fmt.Sprint(side, "-", input))
							sides[side].Add(t)
						}
					}
				}
				return c.changed(random, &sides[0], &sides[1])
			})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	return nil
}

// missingCosts leaves 30 % of the candidate's costs unknown, at random; costs are skewed.
func (c *calibrator) missingCosts() error {
	for _, s := range []struct {
		trials int
		before float64
	}{{50, .074}, {400, .406}} {
		err := c.simulate("costs missing, one side", fmt.Sprintf("30 %% of the candidate's, %d/%d", s.trials, s.trials),
			falseAlarm, c.runs(25, 150), atMost(behaviourAlpha), func(random *rand.Rand) (bool, error) {
				var sides [2]fingerprint.Sample
				for side := range sides {
					for range s.trials {
						t := worker(random, 1, 1)
						t.CostUSD.Known = side == 0 || random.Float64() > .3
						sides[side].Add(t)
					}
				}
				return c.changed(random, &sides[0], &sides[1])
			})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	return nil
}

// outcomeOf draws a trial of an agent whose failures look otherwise.
func outcomeOf(random *rand.Rand, rate float64, scenario int) *trial.Trial {
	t := worker(random, 1, .3)
	if random.Float64() >= rate {
		t = worker(random, 2, .3, "retry", "retry")
		t.Outcome = trial.Fail
	}
	t.Scenario = fmt.Sprint("s", scenario)
	return t
}

// untilDecided draws trials of scenarios in turn until Wald's likelihood ratio of 0.9 to 0.8 crosses the bounds of 5
// and 10 %, or 152 trials are drawn.
func untilDecided(random *rand.Rand, rate float64, scenarios int) (s *fingerprint.Sample, passed bool) {
	s = &fingerprint.Sample{Stopped: true}
	ratio := 0.0
	for i := range 152 {
		t := outcomeOf(random, rate, i%scenarios)
		s.Add(t)
		if t.Outcome == trial.Pass {
			ratio += math.Log(.8 / .9)
		} else {
			ratio += math.Log(.2 / .1)
		}
		if ratio >= math.Log(.9/.05) || ratio <= math.Log(.1/.95) {
			break
		}
	}
	return s, ratio <= math.Log(.1/.95)
}

// stoppedBehaviour compares stopped runs of one agent, the baseline drawn in a fixed number or kept because it passed.
func (c *calibrator) stoppedBehaviour() error {
	for _, s := range []struct {
		rate      float64
		scenarios int
		kept      bool
		before    float64
	}{{.9, 1, false, .073}, {.85, 1, false, .075}, {.85, 5, true, .217}} {
		text := "fixed baseline"
		if s.kept {
			text = "baseline kept as it passed"
		}
		err := c.simulate("after a sequential stop", fmt.Sprintf("rate %v, %d scenarios, %s", s.rate, s.scenarios, text),
			falseAlarm, c.runs(50, 250), atMost(behaviourAlpha), func(random *rand.Rand) (bool, error) {
				candidate, _ := untilDecided(random, s.rate, s.scenarios)
				baseline := new(fingerprint.Sample)
				for i := range 100 {
					baseline.Add(outcomeOf(random, s.rate, i%s.scenarios))
				}
				for passed := !s.kept; !passed; {
					baseline, passed = untilDecided(random, s.rate, s.scenarios)
				}
				return c.changed(random, baseline, candidate)
			})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	return nil
}

// shiftsAtMargin shifts one column by just what must not pass.
func (c *calibrator) shiftsAtMargin() error {
	const beta, size = .1, .5
	normal := func(random *rand.Rand) float64 { return random.NormFloat64() }
	exponential := func(random *rand.Rand) float64 { return random.ExpFloat64() }
	lognormal := func(random *rand.Rand) float64 { return math.Exp(random.NormFloat64()) }
	flag := func(rate float64) func(*rand.Rand) float64 {
		return func(random *rand.Rand) float64 {
			if random.Float64() < rate {
				return 1
			}
			return 0
		}
	}
	// The rate of the other side that is half a deviation, of both sides together, above 5 %.
	low, high := .05, .5
	for range 60 {
		middle := (low + high) / 2
		if middle-.05 < size*math.Sqrt((.05*.95+middle*(1-middle))/2) {
			low = middle
		} else {
			high = middle
		}
	}
	for _, s := range []struct {
		name                string
		baseline, candidate func(*rand.Rand) float64
		shift               float64
		p                   promise
	}{
		{"normal", normal, normal, size, atMost(beta)},
		{"exponential", exponential, exponential, size, atMost(beta)},
		{"exponential, downwards", exponential, exponential, -size, atMost(beta)},
		{"lognormal, sd 1", lognormal, lognormal, size * math.Sqrt((math.E-1)*math.E), unpromised(beta)},
		{"flags, 5 % on the baseline's side", flag(.05), flag(low), 0, atMost(beta)},
	} {
		sizes := pick(c, []int{150}, []int{30, 150})
		decision := "shift excluded"
		if s.p.kind == nothing {
			decision = "shift, heavy tails"
		}
		for _, n := range sizes {
			err := c.simulate(decision, fmt.Sprintf("%s, %v sd, %d/%d", s.name, size, n, n), falsePass,
				c.runs(50, 500), s.p, func(random *rand.Rand) (bool, error) {
					draw := func(from func(*rand.Rand) float64, shift float64) (list []fingerprint.Vector) {
						for range n {
							x := trial.Some(from(random) + shift)
							list = append(list, fingerprint.Vector{Values: []trial.Optional[float64]{x}})
						}
						return list
					}
					found, err := fingerprint.CompareVectors(c.ctx, []fingerprint.Column{{Name: "x"}},
						draw(s.baseline, 0), draw(s.candidate, s.shift),
						fingerprint.Options{Permutations: 1, Seed: random.Uint64(), Shift: size, Beta: beta})
					return err == nil && found.Equivalence != nil && found.Equivalence.Shown, err
				})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// sameBehaviour compares an unchanged agent: it should be told to be the same.
func (c *calibrator) sameBehaviour() error {
	return c.simulate("same within 0.5 sd", "unchanged, 10 scenarios, 150/150", undecided, c.runs(20, 100), atMost(.2),
		func(random *rand.Rand) (bool, error) {
			sides := ofScenarios(func(int, bool) *trial.Trial { return worker(random, 1, .3) })
			found, err := fingerprint.Compare(c.ctx, &sides[0], &sides[1],
				fingerprint.Options{Permutations: 99, Seed: random.Uint64(), Shift: .5, Beta: .1})
			return err == nil && !found.Equivalence.Shown, err
		})
}

// ofScenarios draws 150 trials a side of ten scenarios in turn.
func ofScenarios(draw func(scenario int, candidate bool) *trial.Trial) *[2]fingerprint.Sample {
	var sides [2]fingerprint.Sample
	for i := range 150 {
		for side := range sides {
			t := draw(i%10, side == 1)
			t.Scenario = fmt.Sprint("s", i%10)
			sides[side].Add(t)
		}
	}
	return &sides
}

// blindSpots are changes of one kind each, in 150 trials a side of ten scenarios.
//
// What is not promised cannot be reached: of 4 % of 150 trials six call the new tool on average, and
// six of one side alone have a probability of 1.5 %, seven 0.7 %. A test of that one tool would miss it 28 %
// of the time at 5 % one-sided, when five suffice, and 44 % at 5 % two-sided.
func (c *calibrator) blindSpots() error {
	type change func(random *rand.Rand, scenario int, candidate bool) *trial.Trial
	times := func(factor, deviation float64, where func(scenario int) float64) change {
		return func(random *rand.Rand, scenario int, candidate bool) *trial.Trial {
			if candidate {
				return worker(random, math.Pow(factor, where(scenario)), deviation)
			}
			return worker(random, 1, deviation)
		}
	}
	one := func(scenario int) float64 { return float64(max(0, 1-scenario)) }
	opposite := func(scenario int) float64 { return float64(1 - 2*(scenario%2)) }
	sometimes := func(share float64, then func(*rand.Rand) *trial.Trial) change {
		return func(random *rand.Rand, _ int, candidate bool) *trial.Trial {
			if candidate && random.Float64() < share {
				return then(random)
			}
			return worker(random, 1, .3)
		}
	}
	for _, s := range []struct {
		name   string
		draw   change
		p      promise
		before float64
	}{
		{"variance of tokens x6", func(random *rand.Rand, _ int, candidate bool) *trial.Trial {
			if candidate {
				return worker(random, 1, .3*math.Sqrt(6))
			}
			return worker(random, 1, .3)
		}, atMost(.2), .95},
		{"tokens in two clusters", func(random *rand.Rand, _ int, candidate bool) *trial.Trial {
			if candidate {
				return worker(random, math.Exp(.3*float64(1-2*random.IntN(2))), .03)
			}
			return worker(random, 1, .3)
		}, atMost(.2), .95},
		{"refund before the check", func(random *rand.Rand, _ int, candidate bool) *trial.Trial {
			if candidate {
				return worker(random, 1, .3, "refund", "check")
			}
			return worker(random, 1, .3, "check", "refund")
		}, atMost(.2), .95},
		{"correlation .9 -> -.9", correlated, atMost(.2), .95},
		{"tokens x1.6 and /1.6, sd .3", times(1.6, .3, opposite), atMost(.2), .947},
		{"one of ten x1.6, sd .2", times(1.6, .2, one), atMost(.2), .942},
		{"one of ten x1.6, sd .3", times(1.6, .3, one), unpromised(.2), .942},
		{"5 % at 20x tokens", sometimes(.05, func(random *rand.Rand) *trial.Trial {
			return worker(random, 20, .3)
		}), unpromised(.2), .79},
		{"new tool in 4 %", sometimes(.04, func(random *rand.Rand) *trial.Trial {
			return worker(random, 1, .3, "delete_account")
		}), unpromised(.2), .55},
	} {
		decision := "change of one kind"
		if s.p.kind == nothing {
			decision = "change, out of reach"
		}
		err := c.simulate(decision, s.name+", 150/150", missed, c.runs(12, 80), s.p,
			func(random *rand.Rand) (bool, error) {
				sides := ofScenarios(func(scenario int, candidate bool) *trial.Trial {
					return s.draw(random, scenario, candidate)
				})
				found, err := c.changed(random, &sides[0], &sides[1])
				return !found, err
			})
		if err != nil {
			return err
		}
		c.before(s.before)
	}
	return nil
}

// correlated draws tokens and cost that rise together, of the candidate against each other.
func correlated(random *rand.Rand, _ int, candidate bool) *trial.Trial {
	correlation := .9
	if candidate {
		correlation = -.9
	}
	x := random.NormFloat64()
	y := correlation*x + math.Sqrt(1-correlation*correlation)*random.NormFloat64()
	t := spent(random, math.Exp(6+.3*x))
	t.CostUSD = trial.Some(.01 * math.Exp(.3*y))
	return t
}
