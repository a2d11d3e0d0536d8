package savings

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/bench/internal/detection"
	"github.com/tribunal-dev/tribunal/bench/internal/simulation"
	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// Behaviour is how often the test of behaviour finds a change, simulated.
type Behaviour struct {
	P         float64        `json:"p"`                // the true pass rate
	Shift     string         `json:"shift"`            // what changes
	Distance  float64        `json:"distance"`         // Mahalanobis distance of the causes that shift
	Baseline  int            `json:"baseline_trials"`  // stored traces
	Candidate float64        `json:"candidate_trials"` // mean over the runs
	Runs      int            `json:"runs"`             // with the shift, and as many without
	Power     SimulatedShare `json:"power"`            // the change is found, with the shift
	Alarms    SimulatedShare `json:"false_alarms"`     // a change is found, without
	// Found counts the runs with the shift in which the test of passes and failures said
	// Fail or the test of behaviour found a change.
	Found SimulatedShare `json:"fail_or_change"`
	// FoundUnchanged counts the same without the shift.
	FoundUnchanged SimulatedShare `json:"fail_or_change_unchanged"`
}

// SimulatedShare is a share of simulated runs.
type SimulatedShare struct {
	Share float64 `json:"share"` // from 0 to 1
	// StdErr is that of a share that far from 0 and 1, with one run added on either side.
	StdErr float64 `json:"std_err"`
}

func simulated(count, runs int) SimulatedShare {
	share := float64(count) / float64(runs)
	// A share of 0 or 1 has a standard error as well (Agresti and Coull's p, with two
	// runs added).
	p := float64(count+1) / float64(runs+2)
	return SimulatedShare{share, math.Sqrt(p * (1 - p) / float64(runs))}
}

// How much is simulated, and with how many permutations.
// Chosen by what they cost; the standard errors stand beside the shares.
const (
	knownRuns      = 2000
	knownRunsShort = 1000
	kindRuns       = 400
	kindRunsShort  = 200
	permutations   = 999
)

// distance is that of the shifts: T² on four normal columns finds it with the paper's
// power of 0.86 at 20 trials a side.
func (m *measurement) distance() (float64, error) {
	return detection.Distance(detection.Varying, 20, 20, 0.86, m.h.Alpha)
}

// simulatedRun reports whether a comparison of behaviour with these options found a
// change, whether the test before it failed, and how many trials of the candidate that
// took.
type simulatedRun func(random *rand.Rand, o fingerprint.Options) (found, failed bool, candidates int, err error)

// simulate counts in how many runs a comparison finds a change, and in how many it or
// the test before it found something. Every run has its own random numbers.
func (m *measurement) simulate(
	ctx context.Context, cell uint64, runs int, run simulatedRun,
) (found, either SimulatedShare, candidates float64, err error) {
	type ending struct {
		found, failed bool
		candidates    int
	}
	endings := make([]ending, runs)
	seed := seeded.Scramble(m.Seed) ^ cell
	err = bench.Repeat(ctx, runs, func(i int) (err error) {
		e := &endings[i]
		o := fingerprint.Options{Alpha: m.h.Alpha, Permutations: permutations, Seed: uint64(i)}
		e.found, e.failed, e.candidates, err = run(seeded.Stream(seed, uint64(i)), o)
		return err
	})
	if err != nil {
		return found, either, 0, err
	}
	changes, somethings, sum := 0, 0, 0
	for _, e := range endings {
		sum += e.candidates
		if e.found {
			changes++
		}
		if e.found || e.failed {
			somethings++
		}
	}
	return simulated(changes, runs), simulated(somethings, runs), float64(sum) / float64(runs), nil
}

// known measures shifts of a known distance: of fourteen columns four vary, as
// independent normal numbers, and shift in a direction that is drawn anew in every run.
func (m *measurement) known(ctx context.Context, s *Result) error {
	distance, err := m.distance()
	if err != nil {
		return err
	}
	runs := m.runs(knownRuns, knownRunsShort)
	optimal := int(math.Round(s.rateOf("optimal", 1).ExpectedTrials))
	for i, sides := range [][2]int{{20, 20}, {storedTraces, optimal}} {
		b := Behaviour{
			P: 1, Shift: "four of fourteen columns, any direction", Distance: distance,
			Baseline: sides[0], Runs: runs,
		}
		shifts := []struct {
			distance      float64
			share, either *SimulatedShare
		}{{distance, &b.Power, &b.Found}, {0, &b.Alarms, &b.FoundUnchanged}}
		for k, shift := range shifts {
			run := func(random *rand.Rand, o fingerprint.Options) (bool, bool, int, error) {
				by := detection.Shift{Distance: shift.distance}.Direction(random)
				baseline := normalVectors(random, sides[0], [detection.Varying]float64{})
				candidate := normalVectors(random, sides[1], by)
				found, err := fingerprint.CompareVectors(ctx, normalColumns(), baseline, candidate, o)
				changed, err := detection.Changed(found, err)
				return changed, false, sides[1], err
			}
			if *shift.share, *shift.either, b.Candidate, err = m.simulate(ctx, uint64(1+2*i+k), runs, run); err != nil {
				return err
			}
		}
		s.Known = append(s.Known, b)
	}
	return nil
}

// normalColumns are fourteen, as many as a trace has that calls one tool.
func normalColumns() []fingerprint.Column {
	columns := make([]fingerprint.Column, 14)
	for j := range columns {
		columns[j].Name = fmt.Sprintf("c%d", j)
	}
	return columns
}

// normalVectors have independent normal numbers in the first four columns; the others
// are constant.
func normalVectors(random *rand.Rand, trials int, by [detection.Varying]float64) []fingerprint.Vector {
	vectors := make([]fingerprint.Vector, trials)
	for i := range vectors {
		values := make([]trial.Optional[float64], 14)
		for j := range values {
			values[j] = trial.Some(1.0)
			if j < detection.Varying {
				values[j].Value = random.NormFloat64() + by[j]
			}
		}
		vectors[i].Values = values
	}
	return vectors
}

// wholePath runs the optimal test on a candidate, trial by trial, and then compares what
// it did with a stored baseline.
func (m *measurement) wholePath(
	ctx context.Context, random *rand.Rand, baseline, candidate simulation.Agent, o fingerprint.Options,
) (found, failed bool, trials int, err error) {
	var before, after fingerprint.Sample
	// The stored traces are drawn anew in every run, so that the shares are over baselines too.
	for n := range storedTraces {
		before.Add(baseline.Trial(random, 0, n))
	}
	test, err := sprt.NewTest(m.optimal.Design)
	if err != nil {
		return false, false, 0, err
	}
	// One trial after the other: no trial is run beyond the decision, and the traces are as many as the
	// test of the pass rate took.
	for ; !test.Decided(); trials++ {
		one := candidate.Trial(random, 0, trials)
		after.Add(one)
		if err := test.Observe(trials, one.Outcome == trial.Pass); err != nil {
			return false, false, trials, err
		}
	}
	changed, err := detection.Changed(fingerprint.Compare(ctx, &before, &after, o))
	return changed, test.Outcome() == sprt.Fail, trials, err
}
