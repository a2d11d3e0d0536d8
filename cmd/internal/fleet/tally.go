package fleet

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/trial"
)

// WorkerTally is what a worker made of its trials.
type WorkerTally struct {
	Worker   string
	Trials   int // that passed or failed
	Failures int
	Errors   int // besides
}

// Summary is what a fleet did.
type Summary struct {
	Workers    []WorkerTally // by name
	Relaunched int           // errands that were handed out again, as their worker was lost
	Late       int           // results that came after their lease, and were not counted
	// P is the p-value of the hypothesis that all workers fail as often, by Pearson's chi-squared test of homogeneity; it
	// is known where two workers or more had trials, and trials passed as well as failed.
	P trial.Optional[float64]
	// Sparse says that some worker is expected fewer than 5 failures or passes, where P is rough.
	Sparse bool
}

// homogeneity tests whether workers fail equally often: Pearson's chi-squared statistic of the table of workers by
// outcomes, with one degree of freedom less than there are workers. It is a diagnosis: workers get what trials come, in
// a random order, so that a difference is one of machines.
func homogeneity(workers []WorkerTally) (p trial.Optional[float64], sparse bool) {
	var trials, failures, rows int
	for _, w := range workers {
		trials += w.Trials
		failures += w.Failures
		if w.Trials > 0 {
			rows++
		}
	}
	if rows < 2 || failures == 0 || failures == trials {
		return p, false
	}
	rate, statistic := float64(failures)/float64(trials), 0.0
	for _, w := range workers {
		if w.Trials == 0 {
			continue
		}
		fails, passes := float64(w.Trials)*rate, float64(w.Trials)*(1-rate)
		difference := float64(w.Failures) - fails
		statistic += difference * difference * (1/fails + 1/passes)
		sparse = sparse || min(fails, passes) < 5
	}
	return trial.Some(dist.ChiSquaredSurvival(statistic, float64(rows-1))), sparse
}

// tallies count by worker.
type tallies map[string]*WorkerTally

// count counts a trial.
func (t tallies) count(worker string, record *trial.Trial) {
	if worker == "" || record == nil {
		return
	}
	w := t[worker]
	if w == nil {
		w = &WorkerTally{Worker: worker}
		t[worker] = w
	}
	switch record.Outcome {
	case trial.Pass:
		w.Trials++
	case trial.Fail:
		w.Trials++
		w.Failures++
	default:
		w.Errors++
	}
}

// summary is what is told in the end.
func (t tallies) summary() (s Summary) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		s.Workers = append(s.Workers, *t[name])
	}
	s.P, s.Sparse = homogeneity(s.Workers)
	return s
}

// suspicious is below which p-value workers are said to differ. It is chosen.
const suspicious = 0.01

// Suspicious reports whether the workers' failure rates differ by more than chance.
func (s Summary) Suspicious() bool { return s.P.Known && s.P.Value < suspicious && !s.Sparse }

// Worst is the worker whose failure rate is the highest.
func (s Summary) Worst() (worst WorkerTally) {
	return slices.MaxFunc(s.Workers, func(a, b WorkerTally) int { return cmp.Compare(a.rate(), b.rate()) })
}

// rate is the share of failures.
func (w WorkerTally) rate() float64 { return float64(w.Failures) / float64(max(1, w.Trials)) }
