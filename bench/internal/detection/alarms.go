package detection

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/trial"
)

// Split draws two samples of one system: nothing but chance tells them
// apart.
type Split func(random *rand.Rand) (baseline, candidate *fingerprint.Sample)

// Halves returns the split of new trials of an agent, so many on either
// side.
func Halves(agent Agent, baseline, candidate int) Split {
	return func(random *rand.Rand) (*fingerprint.Sample, *fingerprint.Sample) {
		scenarios := max(agent.Scenarios, 1)
		draw := func(trials int) *fingerprint.Sample {
			s := new(fingerprint.Sample)
			// Scenarios in turn, so that both sides have nearly as many trials of each.
			for i := range trials {
				t := agent.Draw(random, i%scenarios)
				t.Scenario = fmt.Sprintf("s%d", i%scenarios)
				s.Add(t)
			}
			return s
		}
		return draw(baseline), draw(candidate)
	}
}

// Recording returns the split of the trials of one recording into random
// halves, within every scenario. The odd trial of a scenario goes to either side. A
// recording with one trial of each scenario is to be compared with Options.Pooled.
func Recording(trials []*trial.Trial) Split {
	return func(random *rand.Rand) (*fingerprint.Sample, *fingerprint.Sample) {
		var sides [2]fingerprint.Sample
		turn := make(map[string]int) // the side of a scenario's next trial
		// In a random order, the trials of a scenario go to either side in turn.
		for _, i := range random.Perm(len(trials)) {
			t := trials[i]
			side, ok := turn[t.Scenario]
			if !ok {
				side = random.IntN(2)
			}
			sides[side].Add(t)
			turn[t.Scenario] = 1 - side
		}
		return &sides[0], &sides[1]
	}
}

// Alarms are the shares of false alarms of the default test and of the test
// with F reference on the leading principal components.
type Alarms struct {
	Default   Rate // of the default test, by permutation
	Hotelling Rate // of the test with F reference
}

// FalseAlarms compares the samples of many splits of one system. Whatever a
// test finds is a false alarm.
func FalseAlarms(ctx context.Context, split Split, o Options) (Alarms, error) {
	var alarms Alarms
	o, err := o.withDefaults()
	if err != nil {
		return alarms, err
	}
	// Both tests see the same split, so that their rates can be compared.
	type outcome struct{ standard, hotelling finding }
	outcomes := make([]outcome, o.Runs)
	err = bench.Repeat(ctx, o.Runs, func(i int) (err error) {
		baseline, candidate := split(seeded.Stream(o.Seed, uint64(i)))
		compare := o.Compare
		compare.Test, compare.Seed = fingerprint.PermutationT2, uint64(i)
		if outcomes[i].standard, err = findingOf(fingerprint.Compare(ctx, baseline, candidate, compare)); err != nil {
			return err
		}
		compare.Test, compare.Permutations = fingerprint.HotellingT2, 1 // its p-value needs none
		outcomes[i].hotelling, err = findingOf(fingerprint.Compare(ctx, baseline, candidate, compare))
		return err
	})
	if err != nil {
		return alarms, err
	}
	for _, one := range outcomes {
		alarms.Default.add(one.standard)
		alarms.Hotelling.add(one.hotelling)
	}
	return alarms, nil
}
