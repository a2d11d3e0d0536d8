package runner

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// errReplay says that a journal tells what cannot have happened in this run, though
// its header is that of the run.
var errReplay = exit.New(exit.Input,
	"the journal does not fit its own header: it was changed, or written by another version")

// errNothingToExtend says that no test of a journal used up its trials.
var errNothingToExtend = exit.New(exit.Input,
	"no test used up its trials without a decision: there is nothing to extend")

// openJournal begins the journal that the options name, or continues it. A journal that does not fit is
// closed again, and its lock let go; the error of closing is told beside the first.
func (r *run) openJournal() error {
	o := r.options
	if !o.Resume {
		o.withinWindow(time.Now())
	}
	if o.Journal == "" {
		return nil
	}
	if !o.Resume {
		w, err := journal.Begin(o.Journal, o.header(), r.replace())
		r.journal = w
		return err
	}
	w, history, err := journal.Resume(o.Journal, o.header(), r.reduce())
	if other, ok := errors.AsType[*journal.HeaderError](err); ok && other.Before != nil && other.After != nil {
		other.Changes = suite.DescriptionChanges(other.Before, other.After)
	}
	if err != nil {
		return err
	}
	if err := o.goneOnWithin(history); err != nil {
		return errors.Join(err, w.Close())
	}
	r.journal = w
	// Nobody else has the journal open: what carries its mark is left of a session that was killed.
	process.EndMarked(r.mark())
	// A run that has ended starts nothing any more.
	if r.calibration != nil {
		r.calibration.pinned = history.Calibration
	}
	if !history.Decided() || o.Extend > 0 {
		r.toTell = append(changedPrograms(history.Header.Programs, o.Programs), o.Newer...)
	}
	r.changed = slices.Compact(slices.Sorted(slices.Values(slices.Concat(history.Changed, r.toTell))))
	if len(r.changed) > 0 && o.Changed != nil {
		o.Changed(r.changed)
	}
	if err := r.replay(history); err != nil {
		return errors.Join(fmt.Errorf("journal %s: %w", prose.FileName(o.Journal), err), w.Close())
	}
	return nil
}

// reduce is what is kept of each record of a journal that is continued; nil is all of it.
func (r *run) reduce() journal.Reduce {
	if !r.options.Brief {
		return nil
	}
	r.reduced = map[journal.Key]omittedParts{}
	return func(key journal.Key, record *trial.Trial) *trial.Trial {
		r.calibration.take(key, record)
		brief, more, took := runs.Brief(record)
		r.reduced[key] = omittedParts{more, took, verdict.AnswerOf(record)}
		return brief
	}
}

// omittedParts is what a brief record does not keep.
type omittedParts struct {
	steps int // beyond those that it keeps
	took  usage.Trial
	// of [verdict.AnswerOf]
	answer uint64
}

// replace is what the options say of a journal that is there. Where it may go, what is left of a session of it that
// was killed would run beside the new one, and is ended.
func (r *run) replace() journal.Replace {
	if r.options.Replace == nil {
		return nil
	}
	return func(h *journal.History, unread error) (aside string, err error) {
		aside, err = r.options.Replace(h, unread)
		if err == nil {
			process.EndMarked(process.FileMark(r.options.Journal))
		}
		return aside, err
	}
}

// replay puts the run where the journal ends. The trials are launched again as they
// were, which must give the same ones: scenario, number and seed. Nothing is run for it,
// and nothing is taken from the journal that follows from the options: that the tests
// decide as they did is checked in the end.
//
// The order is that of dependence: extensions first, for they change how many trials a test may have; then
// the launches with their ends; then what was lost, which a test that has decided does not need; then the
// decisions, which must follow from them.
func (r *run) replay(history *journal.History) error {
	if r.part != nil && history.Decided() {
		r.part.told = history.Share
	}
	r.ledger.spent = history.Spent
	r.ledger.lost = history.Lost()
	r.ledger.told = history.Cut
	r.ledger.repeated = maps.Clone(history.Repeated)
	r.ledger.before = time.Duration(history.ElapsedSeconds * float64(time.Second))
	tests := map[string]*testRun{}
	for _, t := range r.tests {
		tests[t.spec.Name] = t
	}
	for _, e := range history.Extensions {
		t := tests[e.Test]
		if t == nil {
			return fmt.Errorf("test %q: %w", e.Test, errReplay)
		}
		if err := t.extend(e.More); err != nil {
			return fmt.Errorf("test %q: %w", e.Test, err)
		}
		if t.spec.digest() != e.Design {
			return fmt.Errorf("the extension of test %q: %w", e.Test, errReplay)
		}
	}
	var lost []*trialRun
	replaced := map[string]bool{} // tests of which an attempt that had begun was made again
	for _, before := range history.Trials {
		l := before.Launch
		t := tests[l.Test]
		if t == nil {
			return fmt.Errorf("test %q: %w", l.Test, errReplay)
		}
		// open is what a launch calls too: the scenario follows from the seed and the number of trials so
		// far.
		var s *trialRun
		if r.part != nil {
			s = r.part.skipTo(l.Key())
		} else {
			s = t.open(r.options.Seed)
		}
		if s == nil || s.key() != l.Key() || s.Seed != l.Seed {
			return fmt.Errorf("%v: %w", l.Key(), errReplay)
		}
		r.add(s)
		r.ledger.launched++
		replaced[l.Test] = replaced[l.Test] || before.Replaced > 0
		if before.End == nil && (before.Began > before.Ended || before.Replaced > 0) {
			if r.options.Recovers && before.Replaced == 0 {
				r.recovered = append(r.recovered, s)
			} else {
				lost = append(lost, s)
			}
		}
		if err := r.restore(s, before); err != nil {
			return err
		}
		// The run has what is needed of it. A test that is made longer is judged again from the first trial on.
		before.End, before.Record = nil, nil
		delete(r.reduced, s.key())
		if r.options.Extend == 0 {
			r.pack(t)
		}
	}
	r.reduced = nil
	for _, d := range history.Decisions {
		if t := tests[d.Test]; t != nil && d.Outcome == journal.Spared {
			t.spared, t.written = true, true
		}
	}
	if err := r.giveUp(lost); err != nil {
		return err
	}
	r.recovered = slices.DeleteFunc(r.recovered, func(s *trialRun) bool { return s.test.over() && r.calibration == nil })
	r.ledger.lost -= len(r.recovered)
	for _, t := range r.tests {
		r.news.add(t)
	}
	if err := r.verify(history.Decisions, tests, replaced); err != nil {
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
		return errNothingToExtend
	}
	for _, t := range longer { // none is written down if one is refused
		r.journal.Extend(journal.Extension{
			Test: t.spec.Name, More: r.options.Extend, Design: t.spec.digest(), Stops: t.spec.stops(),
		})
	}
	return r.journal.Sync()
}

// giveUp makes errors of trials whose attempts were running when an earlier session ended. How they would
// have ended is not known, and may be why they were still running: the verdict must hold either way. Where
// the test has decided without them they stay as they are, unless they are recorded all the same.
func (r *run) giveUp(lost []*trialRun) error {
	for _, s := range lost {
		if s.test.over() && r.calibration == nil && r.part == nil {
			continue
		}
		record := &trial.Trial{
			Scenario: s.Scenario, Variant: s.request().variant(), Index: trial.Some(s.Number), Outcome: trial.Error,
			Error: &trial.Cause{Origin: trial.InfrastructureOrigin, Type: "lost", Message: lostMessage},
		}
		if s.attempt > 0 {
			record.Attempt = trial.Some(s.attempt)
		}
		r.write(journal.End{
			Scenario: s.Scenario, Variant: s.Variant, Baseline: s.Baseline, Trial: s.Number, Attempt: s.attempt,
			Lost: true, ElapsedSeconds: r.ledger.before.Seconds(), // the clock of this session does not run yet
		}, record)
		r.calibration.take(s.key(), record)
		if err := s.test.finish(s, record); err != nil {
			return err
		}
		r.resumed++
	}
	return r.journal.Flush()
}

// lostMessage is the cause of a trial that was lost.
const lostMessage = "the run was stopped or killed while the agent was running"

// restore puts a trial where the journal left it: one that ended keeps its record, and one whose attempts
// never began waits for the next. One that was running is seen to by giveUp.
func (r *run) restore(s *trialRun, before *journal.Trial) error {
	s.attempt = before.Ended
	s.Spent = before.Spent
	if before.End == nil {
		if before.Began == before.Ended && before.Replaced == 0 {
			r.waiting = append(r.waiting, s)
		}
		return nil
	}
	s.attempt, s.Process = before.End.Attempt, before.End.Process
	if !r.options.Brief { // else it was taken before it was cut
		r.calibration.take(s.key(), before.Record)
	}
	if gone, brief := r.reduced[s.key()]; brief {
		s.MoreSteps, s.Usage, s.Answer = gone.steps, &gone.took, &gone.answer
	}
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
// time: written says so. A decision of an earlier version, which rests on attempts that replaced others, does
// not hold any more where it would be another now.
func (r *run) verify(decisions []journal.Decision, tests map[string]*testRun, replaced map[string]bool) error {
	for _, d := range decisions {
		t := tests[d.Test]
		if t != nil && t.spared && d.Outcome == journal.Spared {
			continue
		}
		same := t != nil && t.ended() && t.decision() == d
		if !same && !replaced[d.Test] {
			return fmt.Errorf("the decision of test %q: %w", d.Test, errReplay)
		}
		if t != nil && same {
			t.written = true
		}
	}
	return nil
}
