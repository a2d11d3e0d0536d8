package calibration

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/bench/internal/detection"
	"github.com/tribunal-dev/tribunal/bench/internal/interim"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
)

// calibrateBehaviour measures the comparison of behaviour on systems that did not
// change. The permutation test keeps alpha whatever they are; Hotelling's with F
// reference promises that for normal vectors alone.
//
// The promise is made to whoever compares traces of two versions: of a system that did not change
// at all, a change is found with at most alpha. The agents are those of package detection, with
// heavy tails, constant columns and fewer trials than columns, where normal theory fails.
func calibrateBehaviour(c *calibrator) error {
	for _, step := range []func() error{c.permutations, c.unchanged, c.looks} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// behaviourAlpha is the level of every comparison of this file, the default of the program.
const behaviourAlpha = .05

// permutations takes ten trials of a system and every way to call five of them the
// candidate's: of these, the test may find at most alpha to be changed.
//
// This is the promise itself, without chance: trials of an unchanged system are exchangeable, so
// that all 252 labels of ten are equally likely, and at most 12 of them may be found.
func (c *calibrator) permutations() error {
	const trials, half = 10, 5
	for a, agent := range detection.Agents()[:pick(c, 3, 6)] {
		random := seeded.Stream(c.rowSeed("relabelings"), uint64(a))
		drawn := make([]*trial.Trial, trials)
		for i := range drawn {
			drawn[i] = agent.Draw(random, 0)
			drawn[i].Scenario = "s"
		}
		var labels []uint
		for set := range uint(1 << trials) {
			// A set of bits says which of the trials are the candidate's.
			if bits.OnesCount(set) == half {
				labels = append(labels, set)
			}
		}
		found := make([]bool, len(labels))
		err := bench.Repeat(c.ctx, len(labels), func(i int) error {
			var sides [2]fingerprint.Sample
			for k, t := range drawn {
				sides[labels[i]>>k&1].Add(t)
			}
			b, err := behaviour.Compare(c.ctx, &sides[0], &sides[1], behaviour.Options{Alpha: behaviourAlpha})
			if err == nil {
				found[i] = b.Changed
			}
			return err
		})
		if err != nil {
			return err
		}
		count := 0
		for _, yes := range found {
			if yes {
				count++
			}
		}
		c.exact("relabeling, all ways", fmt.Sprintf("%s, %d/%d", agent.Name, half, half), falseAlarm,
			float64(count)/float64(len(labels)), atMost(behaviourAlpha))
	}
	return nil
}

// unchanged compares new trials of one system.
//
// 2000 comparisons leave 1.5 points at alpha; each of them permutes 999 times, which is what limits
// their number. A level of 0.05 and 199 or 999 permutations make the test attain its level exactly,
// since 200 and 1000 times 0.05 are whole numbers.
func (c *calibrator) unchanged() error {
	sizes := pick(c, [][2]int{{20, 20}}, [][2]int{{20, 20}, {10, 30}})
	for _, agent := range detection.Agents() {
		for _, n := range sizes {
			text := fmt.Sprintf("%s, %d/%d", agent.Name, n[0], n[1])
			o := detection.Options{Runs: c.runs(200, 2000), Seed: c.rowSeed(text),
				Compare: fingerprint.Options{Alpha: behaviourAlpha, Permutations: pick(c, 199, 999)}}
			// Both tests see the same trials.
			found, err := detection.FalseAlarms(c.ctx, detection.Halves(agent, n[0], n[1]), o)
			if err != nil {
				return err
			}
			c.counted("relabeling (default)", text, falseAlarm, found.Default.Found, found.Default.Runs,
				atMost(behaviourAlpha))
			c.counted("Hotelling, F", text, falseAlarm, found.Hotelling.Found, found.Hotelling.Runs,
				unpromised(behaviourAlpha))
		}
	}
	return nil
}

// looks compares growing samples, each time with a part of alpha.
//
// The promise is made to whoever looks before all trials are in: over all looks together, alpha, as
// the parts of O'Brien and Fleming's spending add up to it. Each look at the whole of alpha
// promises nothing, and shows why.
func (c *calibrator) looks() error {
	shares := []float64{1. / 3, 2. / 3, 1}
	alphas, err := interim.OBrienFleming(behaviourAlpha, shares)
	if err != nil {
		return err
	}
	const most = 30
	agents := detection.Agents()
	for _, agent := range agents[:pick(c, 2, 4)] {
		text := fmt.Sprintf("%s, 10/20/%d", agent.Name, most)
		// One plan of looks, from the first look to the first that finds a change.
		look := func(o fingerprint.Options, alphas []float64) func(*rand.Rand) (bool, error) {
			return func(random *rand.Rand) (bool, error) {
				o.Seed = random.Uint64()
				looks, err := interim.New(alphas, o)
				if err != nil {
					return false, err
				}
				var baseline, candidate fingerprint.Sample
				for _, share := range shares {
					// Both samples grow: the trials of a look are still there in the next.
					for baseline.Len() < int(share*most+.5) {
						baseline.Add(agent.Draw(random, 0))
						candidate.Add(agent.Draw(random, 0))
					}
					found, err := looks.Look(c.ctx, &baseline, &candidate)
					if err != nil || found.Changed {
						return err == nil, err
					}
				}
				return false, nil
			}
		}
		o := fingerprint.Options{Permutations: pick(c, 199, 999)}
		runs := c.runs(200, 2000)
		spent := c.simulate("O'Brien-Fleming", text, falseAlarm, runs, atMost(behaviourAlpha), look(o, alphas))
		if spent != nil {
			return spent
		}
		each := []float64{behaviourAlpha, behaviourAlpha, behaviourAlpha}
		naive := c.simulate("each analysis at alpha", text, falseAlarm, runs, unpromised(behaviourAlpha), look(o, each))
		if naive != nil {
			return naive
		}
	}
	return nil
}
