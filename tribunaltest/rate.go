package tribunaltest

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Design says what is good enough, what is not, and how often the answer may be wrong.
type Design struct {
	// Threshold is the share of passes that is good enough, above Delta and at most 1. 0 leaves the
	// decision to a baseline, and is an error where there is none.
	Threshold float64
	// Delta is by how much less is too little, above 0 and below Threshold. Between the two either
	// answer is right. 0 is 0.1.
	Delta float64
	// Alpha bounds the probability that a function that is good enough fails the test; 0 is 0.05.
	Alpha float64
	// Beta bounds the probability that a function that is not passes it; 0 is 0.1.
	Beta float64
	// MaxTrials is after how many trials the test ends in any case; 0 is 1.4 times the fixed sample that
	// has the same errors.
	MaxTrials int
	// Wald takes Wald's design in place of the one with the fewest expected trials.
	Wald bool

	Concurrency int           // how many trials may run beside each other; 0 is GOMAXPROCS
	Timeout     time.Duration // after which a trial has failed, and its context ends; 0 is none
	Seed        uint64        // from which those of the trials follow

	// SkipUndecided skips a test that ended without a decision: its time was over, or errors of
	// infrastructure could have changed the answer. Otherwise it fails.
	SkipUndecided bool
}

// withDefaults replaces what was left out.
func (d Design) withDefaults() Design {
	usual := func(value *float64, otherwise float64) {
		if *value == 0 {
			*value = otherwise
		}
	}
	usual(&d.Delta, 0.1)
	usual(&d.Alpha, 0.05)
	usual(&d.Beta, 0.1)
	if d.Concurrency <= 0 {
		d.Concurrency = runtime.GOMAXPROCS(0)
	}
	return d
}

func (d Design) hypotheses() sprt.Hypotheses {
	return sprt.Hypotheses{Threshold: d.Threshold, Delta: d.Delta, Alpha: d.Alpha, Beta: d.Beta}
}

// Rate tries f until the design decides whether it passes often enough, and fails the test
// where it does not. The result is that of a run with one scenario, the name of the test; it
// is saved as tribunal.result.json in the folder of the test's artifacts, which go test -artifacts keeps.
//
// f is called from several goroutines. It fails a trial like a test, by the methods of
// [Trial]; a panic fails the trial as well. Rate has to be called from the goroutine of the
// test.
func Rate(t testing.TB, d Design, f func(*Trial)) *runs.Result {
	t.Helper()
	notCached()
	d = d.withDefaults()
	evidence, err := d.evidence(t)
	if err != nil {
		t.Fatalf("tribunaltest: %v", err)
	}
	decider, err := runs.NewDecider(evidence)
	if err != nil {
		t.Fatalf("tribunaltest: %v", err)
	}
	// What judging takes from the design alone is computed while trials wait for answers.
	remembered := make(chan struct{})
	go func() { design.Remember(evidence.Design); close(remembered) }()
	began := time.Now()
	ctx, cancel, launchUntil := within(t)
	defer cancel()
	r := &rate{design: d, name: t.Name(), decider: decider, f: f, ended: make(chan *Trial)}
	if err := r.run(ctx, launchUntil); err != nil {
		t.Fatalf("tribunaltest: %v", err)
	}
	evidence.Trials = r.evidence()
	<-remembered
	// Judging what ran is not cut short by the time that the trials had.
	result, err := runs.Judge(context.WithoutCancel(ctx), runs.Evidence{
		Suite: t.Name(), Seed: d.Seed, Tests: []runs.TestEvidence{evidence}, StoppedBy: r.stoppedBy(),
		Spent: r.spent(time.Since(began)), Finished: time.Now().UTC().Format(time.RFC3339),
	})
	if err != nil {
		t.Fatalf("tribunaltest: %v", err)
	}
	tell(t, d, r, result)
	return result
}

// evidence is what the trials are judged by, without any.
func (d Design) evidence(t testing.TB) (runs.TestEvidence, error) {
	e := runs.TestEvidence{Name: t.Name(), Scenarios: []string{t.Name()}}
	trials, err := recordedTrials()
	if err != nil {
		return e, err
	}
	if trials > 0 {
		e.Design, err = sprt.Recording(trials)
		return e, err
	}
	saved, err := savedBaseline(t)
	if err != nil {
		return e, err
	}
	if saved != nil {
		if e.Against, err = d.against(t, saved); err != nil {
			return e, fmt.Errorf("%s: %w", saved.file, err)
		}
	}
	switch {
	case d.Threshold != 0:
		e.Design, err = designs.of(t.Context(), d)
	case saved == nil:
		err = fmt.Errorf("there is nothing to judge by: set Threshold, or name the folder of a baseline by %s",
			BaselineVariable)
	}
	return e, err
}

// designs are remembered, for the search for one takes longer than most tests; what is remembered
// follows from its key alone.
var designs memory

type memory struct{ known sync.Map }

type designKey struct {
	hypotheses sprt.Hypotheses
	maxTrials  int
	wald       bool
}

func (m *memory) of(ctx context.Context, d Design) (sprt.Design, error) {
	key := designKey{d.hypotheses(), d.MaxTrials, d.Wald}
	if known, ok := m.known.Load(key); ok {
		return known.(sprt.Design), nil
	}
	kind := sprt.OptimalKind
	if d.Wald {
		kind = sprt.WaldKind
	}
	made, err := plan.Design(ctx, plan.Options{Hypotheses: key.hypotheses, MaxTrials: d.MaxTrials, Kind: kind})
	if err != nil {
		return sprt.Design{}, err
	}
	m.known.Store(key, made)
	return made, nil
}

// within is the time that trials have: until shortly before the test has to end. None is launched after the
// instant that is returned; the zero time is none.
func within(t testing.TB) (ctx context.Context, cancel context.CancelFunc, launchUntil time.Time) {
	limited, is := t.(interface{ Deadline() (time.Time, bool) })
	if !is {
		return t.Context(), func() {}, time.Time{}
	}
	deadline, is := limited.Deadline()
	if !is {
		return t.Context(), func() {}, time.Time{}
	}
	// What is left after that is for trials to end by their context, for judging and for saying so.
	reserve := min(max(time.Until(deadline)/10, time.Second), 10*time.Second)
	ctx, cancel = context.WithDeadline(t.Context(), deadline.Add(-reserve/2))
	return ctx, cancel, deadline.Add(-reserve)
}

// rate is a test while its trials run.
type rate struct {
	design  Design
	name    string
	decider runs.Decider
	f       func(*Trial)
	ended   chan *Trial
	trials  []*Trial // in launch order
	late    bool     // there was no time for more
}

// run launches trials and judges them until the test has ended, or its time. A trial is
// launched only where the test needs it whatever those under way come to, so that none is wasted.
func (r *rate) run(ctx context.Context, launchUntil time.Time) error {
	under := 0
	for {
		for under < r.design.Concurrency && !r.decider.Decided() && len(r.trials)-r.decider.Trials() < r.decider.WasteFree() {
			if ctx.Err() != nil || !launchUntil.IsZero() && !time.Now().Before(launchUntil) {
				r.late = true
				break
			}
			t := newTrial(ctx, r.design, r.name, len(r.trials))
			r.trials = append(r.trials, t)
			under++
			go func() { t.try(r.f); r.ended <- t }()
		}
		if under == 0 {
			return nil
		}
		t := <-r.ended
		under--
		if t.outcome() == trial.Unjudged || r.decider.Decided() {
			continue
		}
		if err := r.decider.Observe(t.number, t.outcome()); err != nil {
			return err
		}
	}
}

// stoppedBy says why no more trials were launched.
func (r *rate) stoppedBy() runs.StopCause {
	switch {
	case r.decider.Outcome() == sprt.Pass || r.decider.Outcome() == sprt.Fail:
		return runs.StoppedByDecision
	case r.decider.Decided():
		return runs.StoppedByMaxTrials
	}
	return runs.StoppedByDeadline
}
