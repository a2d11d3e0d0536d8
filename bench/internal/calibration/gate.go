package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/gate"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// calibrateGate measures the rules of the gate over every end that a run of the usual
// design can come to.
//
// The promise is made to whoever lets a gate decide about a release. Of a system that is as good as
// a rule asks, the rule is broken with at most alpha; of one that is not, it holds with at most
// beta. Over the scenarios of a suite Holm's correction keeps alpha for all together. Over several
// kinds of rules nothing is promised: each has its own alpha.
//
// Most rows are exact: a run has as many results as its design has ends, so that every one can be
// judged, and a rate only weighs them. Suites of twenty and runs with errors are simulated.
func calibrateGate(c *calibrator) error {
	h := manyHypotheses(true)[pick(c, 1, 0)] // fewer ends in the short form
	fixed, _ := h.FixedSample()
	p, err := sprt.Optimal(c.ctx, h, sprt.OptimalOptions{MaxTrials: fixed.Trials * 7 / 5})
	if err != nil {
		return err
	}
	d := p.Design
	g := gateMeasure{calibrator: c, design: d, h: d.Hypotheses}
	for _, step := range []func() error{
		g.judgeEnds, g.floors, g.pointFloor, g.regression, g.family, g.suites, g.together, g.brokenFloors,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// gateMeasure holds what the measurements of the gate share.
type gateMeasure struct {
	*calibrator
	// of the runs; the usual one in the full form
	design sprt.Design
	// of the design
	h sprt.Hypotheses
	// every end, in the order of walk: the index of an end is its name below
	stops []stop
	tests []runs.Test // of the stops
}

// judgeEnds makes the result of a run for every end.
//
// It goes through the judge of runs, for a gate reads results and not counts.
func (g *gateMeasure) judgeEnds() error {
	g.stops = walk(g.design.Boundaries, func(int) float64 { return .5 })
	g.tests = make([]runs.Test, len(g.stops))
	paths := pathsTo(g.design.Boundaries)
	return bench.Repeat(g.ctx, len(g.stops), func(i int) error {
		run, err := g.run(paths[[2]int{g.stops[i].trials, g.stops[i].failures}])
		if err == nil {
			g.tests[i] = run.Tests[0]
		}
		return err
	})
}

// pathsTo returns marks that lead to each state.
//
// An end is reached by many orders of passes and failures, and a result depends on the end alone:
// any one path serves. A state is left only where neither boundary of the trial before is reached.
func pathsTo(b sprt.Boundaries) map[[2]int][]trial.Outcome {
	paths := map[[2]int][]trial.Outcome{{0, 0}: nil}
	for n := 1; n <= b.MaxTrials(); n++ {
		for f := range n + 1 {
			for _, last := range []trial.Outcome{trial.Pass, trial.Fail} {
				before := [2]int{n - 1, f}
				if last == trial.Fail {
					before[1]--
				}
				path, reached := paths[before]
				goesOn := n == 1 || reached && before[1] > b.PassAtOrBelow[n-2] && before[1] < b.FailAtOrAbove[n-2]
				if reached && goesOn {
					paths[[2]int{n, f}] = append(slices.Clone(path), last)
					break
				}
			}
		}
	}
	return paths
}

// run is the result of a run of one scenario.
// The marks are outcomes of trials in the order of their launch.
func (g *gateMeasure) run(marks []trial.Outcome) (*runs.Result, error) {
	t := runs.TestEvidence{Name: "s", Scenarios: []string{"s"}, Design: g.design}
	for i, m := range marks {
		t.Trials = append(t.Trials,
			runs.TrialEvidence{Scenario: "s", Number: i, Trial: &trial.Trial{Scenario: "s", Outcome: m}})
	}
	return runs.Judge(g.ctx, runs.Evidence{
		Suite: "suite", Digest: "digest", Tests: []runs.TestEvidence{t}, StoppedBy: runs.StoppedByDecision,
	})
}

// suite is a run of several scenarios that came to these ends.
//
// Scenarios are independent, so that a suite is a choice of an end for each; its tests are named by
// their index, which suites() reads back.
func (g *gateMeasure) suite(ends ...int) *runs.Result {
	r := &runs.Result{Suite: "suite", Digest: "digest"}
	for i, end := range ends {
		t := g.tests[end]
		t.Name = fmt.Sprint(i)
		r.Tests = append(r.Tests, t)
	}
	return r
}

// ruled returns what became of a rule in every end.
//
// Where the gate has no such rule the word is "".
func (g *gateMeasure) ruled(rule string, o gate.Options) ([]gate.RuleWord, error) {
	words := make([]gate.RuleWord, len(g.stops))
	return words, bench.Repeat(g.ctx, len(words), func(i int) error {
		judged, err := gate.Judge(g.ctx, g.suite(i), o)
		if err != nil {
			return err
		}
		for _, r := range judged.Rules {
			if r.Name == rule {
				words[i] = r.Outcome
			}
		}
		return nil
	})
}

// mass returns the probabilities of the ends.
func (g *gateMeasure) mass(p float64) []float64 {
	mass := make([]float64, len(g.stops))
	for i, s := range walk(g.design.Boundaries, func(int) float64 { return p }) {
		mass[i] = s.probability
	}
	return mass
}

// floors measures the rule that a scenario reaches a pass rate, which may differ from the threshold
// that its run was tested at. At the floor and above, missed is wrong; at the floor and below,
// reached is.
func (g *gateMeasure) floors() error {
	const alpha, beta = .05, .1
	for _, floor := range pick(g.calibrator, []float64{.7, .8}, []float64{.7, .8, .85, .9, .95}) {
		words, err := g.ruled("floor", gate.Options{Floor: gate.Floor{Rate: floor}, Alpha: alpha, Beta: beta})
		if err != nil {
			return err
		}
		chanceOf := func(word gate.RuleWord) func(p float64) float64 {
			return func(p float64) float64 { return sumWhere(g.mass(p), func(i int) bool { return words[i] == word }) }
		}
		text := fmt.Sprintf("minimum %v, %s", floor, setting(g.h))
		// Errors are largest at the floor itself; the grid would show if they were not.
		rate, _ := worstOver(rateGrid(floor, 1, 10), chanceOf(gate.RuleBroken))
		g.exact("minimum rate", text, falseFail, rate, atMost(alpha))
		reached, _ := worstOver(rateGrid(.3, floor, 10), chanceOf(gate.RuleHolds))
		g.exact("minimum rate", text, falsePass, reached, atMost(beta))
		if floor == g.h.Threshold {
			if err := g.floorsOf20(floor, alpha, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// floorsOf20 computes the chance that one of twenty floors is found missed that are all
// just reached: by Holm's correction the first is judged at a twentieth of the level.
//
// The level is passed as alpha/20 with one scenario, in place of 20 scenarios: the same comparison.
func (g *gateMeasure) floorsOf20(floor, alpha float64, text string) error {
	words, err := g.ruled("floor", gate.Options{Floor: gate.Floor{Rate: floor}, Alpha: alpha / 20})
	if err != nil {
		return err
	}
	one := sumWhere(g.mass(floor), func(i int) bool { return words[i] == gate.RuleBroken })
	g.exact("20 minimum rates, Holm", text, falseFail, any20(one), atMost(alpha))
	return nil
}

// any20 is the probability that one of twenty happens.
func any20(p float64) float64 { return -math.Expm1(20 * math.Log1p(-p)) }

// pointFloor compares the observed rate as it is, which promises nothing.
//
// At a true rate of just the floor, about half of all runs are below it.
func (g *gateMeasure) pointFloor() error {
	words, err := g.ruled("floor", gate.Options{Floor: gate.Floor{Rate: g.h.Threshold, Point: true}})
	if err != nil {
		return err
	}
	rate := sumWhere(g.mass(g.h.Threshold), func(i int) bool { return words[i] == gate.RuleBroken })
	g.exact("minimum rate, point: true", fmt.Sprintf("minimum %v", g.h.Threshold), falseFail, rate, unpromised(.05))
	return nil
}

// regression compares all pairs of ends of a baseline and a candidate.
//
// The p-values of all pairs are computed once, then every rate only weighs the pairs; that the gate
// decides by them is checked on pairs drawn at random.
func (g *gateMeasure) regression() error {
	const alpha, beta, delta = .05, .1, .1
	worse, drop, err := g.pairs(delta)
	if err != nil {
		return err
	}
	judge := func(b, k int) verdict.Verdict {
		switch {
		// As in a comparison of recordings, what is within delta passes, also where it is worse.
		case drop[k][b] <= beta:
			return verdict.Pass
		case worse[b][k] <= alpha:
			return verdict.Fail
		}
		return verdict.Inconclusive
	}
	if err := g.regressionAsJudged(judge, gate.Options{Alpha: alpha, Beta: beta, Delta: delta}); err != nil {
		return err
	}
	// The probability, at a rate of the baseline and a drop, of the pairs for which something happens.
	chance := func(drop float64, happens func(b, k int) bool) func(p float64) float64 {
		return func(p float64) (sum float64) {
			before, after := g.mass(p), g.mass(p-drop)
			for b, m := range before {
				sum += m * sumWhere(after, func(k int) bool { return happens(b, k) })
			}
			return sum
		}
	}
	// A false Fail is counted without the exception for what is within delta: more than the gate does.
	worseAt := func(level float64) func(b, k int) bool {
		return func(b, k int) bool { return worse[b][k] <= level }
	}
	rate, at := worstOver(rateGrid(.3, 1, 14), chance(0, worseAt(alpha)))
	g.exact("regression", fmt.Sprintf("%s, rate %.3g, delta %v", setting(g.h), at, delta), falseFail, rate,
		atMost(alpha))
	rate, at = worstOver(rateGrid(.3, 1, 14), chance(0, worseAt(alpha/20)))
	g.exact("20 regressions, Holm", fmt.Sprintf("rate %.3g, delta %v", at, delta), falseFail, any20(rate),
		atMost(alpha))
	rate, at = worstOver(rateGrid(.3, 1, 14), chance(delta, func(b, k int) bool { return judge(b, k) == verdict.Pass }))
	g.exact("regression", fmt.Sprintf("%s, rate %.3g, delta %v", setting(g.h), at, delta), falsePass, rate,
		atMost(beta))
	return nil
}

// pairs returns the p-values of all pairs of ends: of "not worse" by baseline and
// candidate, and of "worse by delta" by candidate and baseline.
func (g *gateMeasure) pairs(delta float64) (worse, drop [][]float64, err error) {
	all := [2][][]float64{}
	err = bench.Repeat(g.ctx, len(all), func(way int) error {
		c, err := sprt.NewComparison(g.design.Boundaries, g.design.Boundaries, []float64{0, delta}[way])
		if err != nil {
			return err
		}
		for _, first := range g.stops {
			row := make([]float64, len(g.stops))
			for i, second := range g.stops {
				row[i], err = c.P(first.end(), second.end())
				if err != nil {
					return err
				}
			}
			all[way] = append(all[way], row)
			if err := g.ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	return all[0], all[1], err
}

// regressionAsJudged counts pairs of ends on which the gate says something else.
//
// The promise is that there is none: 500 pairs are enough to see a rule that differs on 1 % of them
// (0.99^500 is below 1 %).
func (g *gateMeasure) regressionAsJudged(judge func(b, k int) verdict.Verdict, o gate.Options) error {
	return g.simulate("regression, compared", "pairs of ends, at random", differs, g.runs(50, 500), atMost(0),
		func(random *rand.Rand) (bool, error) {
			b, k := random.IntN(len(g.stops)), random.IntN(len(g.stops))
			o := o
			o.Baseline = &gate.BaselineRun{File: "baseline", Run: gate.TestsOf(g.suite(b))}
			judged, err := gate.Judge(g.ctx, g.suite(k), o)
			if err != nil {
				return false, err
			}
			return len(judged.Baseline.Tests) != 1 || judged.Baseline.Tests[0].Verdict != judge(b, k), nil
		})
}

// family computes the chance that a suite of twenty at its thresholds is blocked, and
// how often one fails that is run without the gate.
//
// With the p-value of an end at the threshold, Holm's correction of the good scenarios is computed
// as in scenarios.go: the first to fail has all the bad ones behind it.
func (g *gateMeasure) family() error {
	const scenarios = 20
	mass := g.mass(g.h.Threshold)
	for _, good := range []int{scenarios, scenarios / 2, 1} {
		one := 0.0
		for i, s := range g.stops {
			if s.outcome != sprt.Fail {
				continue
			}
			// the p-value against "the rate is at least the threshold"
			low, _, err := g.design.Boundaries.Tails(s.trials, s.failures, g.h.Threshold)
			if err != nil {
				return err
			}
			if low*float64(good) <= g.h.Alpha {
				one += mass[i]
			}
		}
		g.exact("verdicts of 20, Holm", fmt.Sprintf("%d at theta, the others fail, %s", good, setting(g.h)),
			falseFail, -math.Expm1(float64(good)*math.Log1p(-one)), atMost(g.h.Alpha))
	}
	_, fail, _ := ends(g.design.Boundaries, g.h.Threshold)
	g.exact("20 without a gate", setting(g.h), falseFail, any20(fail), unpromised(g.h.Alpha))
	return nil
}

// suites judges suites of twenty scenarios as the gate does.
//
// It shows that the gate corrects as family computes. 20,000 runs leave 0.46 points at alpha: the
// ends are judged already, so that a run is a draw and a gate.
func (g *gateMeasure) suites() error {
	const scenarios = 20
	perfect, at, lower, low := g.cumulative(1), g.cumulative(g.h.Threshold), g.cumulative(g.h.Lower()), g.cumulative(.5)
	for _, s := range []struct {
		name       string
		bad        int
		rate, good []float64 // of the bad and of the others, as cumulative masses
		kind       string
		p          promise
	}{
		{"all at theta", 0, nil, at, falseFail, atMost(g.h.Alpha)},
		{"half far below", scenarios / 2, low, at, falseFail, atMost(g.h.Alpha)},
		{"one too low, others perfect", 1, lower, perfect, falsePass, atMost(g.h.Beta)},
	} {
		err := g.simulate("gate of 20 scenarios", fmt.Sprintf("%s, %s", s.name, setting(g.h)), s.kind,
			g.runs(1000, 20_000), s.p, func(random *rand.Rand) (bool, error) {
				list := make([]int, scenarios)
				for i := range list {
					from := s.good
					if i < s.bad {
						from = s.rate
					}
					list[i] = drawFrom(random, from)
				}
				judged, err := gate.Judge(g.ctx, g.suite(list...), gate.Options{Alpha: g.h.Alpha, Beta: g.h.Beta})
				if err != nil || s.kind == falsePass {
					return err == nil && judged.Decision == gate.Deploy, err
				}
				return slices.ContainsFunc(judged.Rules, func(r gate.Rule) bool {
					var number int
					// Rules without a scenario leave 0, which counts them where no scenario is bad.
					fmt.Sscan(r.Scenario, &number)
					return r.Outcome == gate.RuleBroken && number >= s.bad
				}), nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// together asks for everything at once of a scenario at its threshold: each rule keeps
// alpha, all of them together promise nothing.
func (g *gateMeasure) together() error {
	// The baseline is drawn at the same rate: no rule should block.
	at := g.cumulative(g.h.Threshold)
	return g.simulate("all rules together", "minimum at theta, "+setting(g.h), falseFail, g.runs(300, 2000),
		unpromised(g.h.Alpha), func(random *rand.Rand) (bool, error) {
			judged, err := gate.Judge(g.ctx, g.suite(drawFrom(random, at)), gate.Options{
				Alpha: g.h.Alpha, Beta: g.h.Beta, Floor: gate.Floor{Rate: g.h.Threshold},
				Baseline: &gate.BaselineRun{File: "baseline", Run: gate.TestsOf(g.suite(drawFrom(random, at)))},
			})
			return err == nil && judged.Decision == gate.Block, err
		})
}

// cumulative returns the sums of the probabilities of the ends, to draw ends from.
func (g *gateMeasure) cumulative(p float64) []float64 {
	sums := g.mass(p)
	for i := 1; i < len(sums); i++ {
		sums[i] += sums[i-1]
	}
	return sums
}

// drawFrom draws an index by cumulative masses.
func drawFrom(random *rand.Rand, sums []float64) int {
	x := random.Float64() * sums[len(sums)-1]
	i, found := slices.BinarySearch(sums, x)
	// Ends without probability repeat the sum before them, and are never drawn.
	for found && i+1 < len(sums) && sums[i] <= x {
		i++
	}
	return min(i, len(sums)-1)
}

// brokenFloors judges floors of runs in which the evidence against the verdict breaks.
//
// The promise is that a floor keeps its errors when trials break, as in brokenTrials. The rate is
// that of the floor, halfway between the hypotheses, where the runs are longest; 3000 runs, each
// judged whole, leave 1.2 points at alpha and 1.6 at beta.
func (g *gateMeasure) brokenFloors() error {
	const alpha, beta = .05, .1
	for _, s := range []struct {
		kind string
		b    breakage
		word gate.RuleWord
		p    promise
	}{
		{falseFail, breakage{"passes break", .2, 0}, gate.RuleBroken, atMost(alpha)},
		{falsePass, breakage{"failures break", 0, .5}, gate.RuleHolds, atMost(beta)},
	} {
		floor := g.h.Threshold - g.h.Delta/2
		err := g.simulate("minimum rate, with errors", fmt.Sprintf("minimum %.3g, %s", floor, s.b.name), s.kind,
			g.runs(300, 3000), s.p, func(random *rand.Rand) (bool, error) {
				test, err := sprt.NewRobustTest(g.design)
				if err != nil {
					return false, err
				}
				var marks []trial.Outcome
				for i := 0; !test.Decided(); i++ {
					marks = append(marks, s.b.mark(random, floor))
					if err := test.Observe(i, marks[i]); err != nil {
						return false, err
					}
				}
				run, err := g.run(marks)
				if err != nil {
					return false, err
				}
				judged, err := gate.Judge(g.ctx, run,
					gate.Options{Floor: gate.Floor{Rate: floor}, Alpha: alpha, Beta: beta})
				if err != nil {
					return false, err
				}
				return slices.ContainsFunc(judged.Rules, func(r gate.Rule) bool {
					return r.Name == "floor" && r.Outcome == s.word
				}), nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}
