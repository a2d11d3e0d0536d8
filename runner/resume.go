package runner

import (
	"errors"
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner/journal"
	"github.com/tribunal-dev/tribunal/sprt"
)

// ErrReplay says that a journal tells what cannot have happened in this run, though
// its header is that of the run.
var ErrReplay = exit.New(exit.Input,
	"the journal does not fit its own header: it was changed, or written by another version")

// ErrNothingToExtend says that no test of a journal used up its trials.
var ErrNothingToExtend = exit.New(exit.Input,
	"no test used up its trials without a decision: there is nothing to extend")

// openJournal begins the journal that the options name, or goes on with it. A journal that does not fit is
// closed again, and its lock let go; the error of closing is told beside the first.
func (r *run) openJournal() error {
	o := r.options
	if o.Journal == "" {
		return nil
	}
	if !o.Resume {
		w, err := journal.Create(o.Journal, o.header())
		r.journal = w
		return err
	}
	w, history, err := journal.Resume(o.Journal, o.header())
	if err != nil {
		return err
	}
	r.journal = w
	if err := r.replay(history); err != nil {
		return errors.Join(fmt.Errorf("journal %s: %w", prose.FileName(o.Journal), err), w.Close())
	}
	return nil
}

// replay puts the run where the journal ends. The trials are launched again as they
// were, which must give the same ones: scenario, number and seed. Nothing is run for it,
// and nothing is taken from the journal that follows from the options: that the tests
// decide as they did is checked in the end.
//
// The order is that of dependence: extensions first, for they change how many trials a test may have; then
// the launches with their ends; then the decisions, which must follow from them.
func (r *run) replay(history *journal.History) error {
	r.ledger.spent = history.Spent
	r.ledger.lost = history.Lost()
	r.ledger.before = time.Duration(history.ElapsedSeconds * float64(time.Second))
	tests := map[string]*testRun{}
	for _, t := range r.tests {
		tests[t.spec.Name] = t
	}
	for _, e := range history.Extensions {
		t := tests[e.Test]
		if t == nil {
			return fmt.Errorf("test %q: %w", e.Test, ErrReplay)
		}
		if err := t.extend(e.More); err != nil {
			return fmt.Errorf("test %q: %w", e.Test, err)
		}
		if t.spec.digest() != e.Design {
			return fmt.Errorf("the extension of test %q: %w", e.Test, ErrReplay)
		}
	}
	for _, before := range history.Trials {
		l := before.Launch
		t := tests[l.Test]
		if t == nil {
			return fmt.Errorf("test %q: %w", l.Test, ErrReplay)
		}
		// open is what a launch calls too: the scenario follows from the seed and the number of trials so
		// far.
		s := t.open(r.options.Seed)
		if s.key() != l.Key() || s.Seed != l.Seed {
			return fmt.Errorf("%v: %w", l.Key(), ErrReplay)
		}
		r.trials = append(r.trials, s)
		r.ledger.launched++
		if err := r.restore(s, before); err != nil {
			return err
		}
	}
	for _, t := range r.tests {
		t.changed = true
	}
	if err := r.verify(history.Decisions, tests); err != nil {
		return err
	}
	return r.extend()
}

// extend lets the tests go on that used up their trials, if the options say so. It is an
// error if there is none, and if one of them must not go on.
func (r *run) extend() error {
	if r.options.Extend == 0 {
		return nil
	}
	var longer []*testRun
	for _, t := range r.tests {
		// A test that ended Inconclusive before its last trial has no use for more of them.
		if t.test.Outcome() != sprt.Inconclusive || t.test.Trials() < t.maxTrials() {
			continue
		}
		if err := t.extend(r.options.Extend); err != nil {
			return fmt.Errorf("test %q: %w", t.spec.Name, err)
		}
		longer = append(longer, t)
	}
	if len(longer) == 0 {
		return ErrNothingToExtend
	}
	for _, t := range longer { // none is written down if one is refused
		r.journal.Extend(journal.Extension{
			Test: t.spec.Name, More: r.options.Extend, Design: t.spec.digest(), Stops: t.spec.stops(),
		})
	}
	return r.journal.Sync()
}

// restore puts a trial where the journal left it: one that ended keeps its record, one
// that was running or waiting is repeated.
func (r *run) restore(s *trialRun, before *journal.Trial) error {
	// The attempt after those that ended; one that was lost is made again under its own number.
	s.attempt = before.Ended
	s.Spent = before.Spent
	if before.End == nil {
		r.waiting = append(r.waiting, s)
		return nil
	}
	s.attempt = before.End.Attempt
	if err := s.test.finish(s, before.Record); err != nil {
		return err
	}
	if !s.errored() { // errors of another session may have been seen to
		r.outcomes++
	}
	r.resumed++
	return nil
}

// verify compares the decisions that were written down with those that follow from the
// trials. Another one means that the journal was changed, or that this program decides
// otherwise than the one that wrote it. Tests whose decision is written down must not be decided a second
// time: written says so.
func (r *run) verify(decisions []journal.Decision, tests map[string]*testRun) error {
	for _, d := range decisions {
		t := tests[d.Test]
		if t == nil || !t.ended() || t.decision() != d {
			return fmt.Errorf("the decision of test %q: %w", d.Test, ErrReplay)
		}
		t.written = true
	}
	return nil
}
