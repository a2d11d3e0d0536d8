package runner

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// MergeFault says why journals of shards cannot be merged.
type MergeFault uint8

// The faults.
const (
	NoShard         MergeFault = iota // the journal is of a whole run
	ShardMissing                      // of one part there is no journal
	ShardTwice                        // of one part there are two
	ShardsDiffer                      // two journals are of different runs
	OtherRun                          // the journals are of another run than the one that is asked for
	ShardUnfinished                   // the part was not run to its end
	CutOff                            // the journal ends within a line
	NotItsOwn                         // a trial is of another part, or of none
	TrialMissing                      // a trial is not there, although the part is said to be run
	OutOfWindow                       // the shards ran too long one after the other
)

var mergeFaults = enum.Of[MergeFault]("merge fault", "no shard", "shard missing", "shard twice", "shards differ",
	"other run", "unfinished", "cut off", "not its own", "trial missing", "out of window")

// String returns such as "shard missing".
func (f MergeFault) String() string { return mergeFaults.String(f) }

// MergeError says why journals of shards cannot be merged.
type MergeError struct {
	Fault   MergeFault
	Shard   journal.Shard // that it is about; the zero value is none
	Problem string        // what is wrong, with the file
}

// Error is the problem.
func (e *MergeError) Error() string { return e.Problem }

// ExitCode is that of input that cannot be used.
func (e *MergeError) ExitCode() int { return exit.Input }

// MergeResult is what came of the shards of a run.
type MergeResult struct {
	*Result
	Shards int // of the run
	// Beyond are trials that were made and that no test has use for, as it ended before. They are in the journals of their
	// shards alone, and count nowhere.
	Beyond int
	// BeyondSpent is what those took.
	BeyondSpent journal.Spend
}

// Merge judges the journals of all shards of a run. It launches their trials in the order of a run of one worker, as it
// would have launched them, until each test ends: tests, decisions and result are those of such a run that has the same
// outcomes. The lines of these trials, and the decisions, become the journal that the options name. No agent is asked.
//
// Where the budget of a shard ended it before a trial that is needed, the merged run ends there for that budget.
// Budgets of the options limit nothing here: the shards have kept them. The error is a [MergeError] where journals do
// not make up a run, and else as that of [Run].
func Merge(ctx context.Context, o Options, files []string) (*MergeResult, error) {
	o.Shard, o.Resume, o.Extend, o.Concurrency, o.Eager, o.AtOnce = nil, false, 0, 1, false, 0
	window := o.Window // which the trials of the shards are within, not the merge
	o.Budget, o.Window = Budget{PricePerTrial: o.Budget.PricePerTrial}, 0
	if o.Calibrate != nil || o.Race != nil || o.Journal == "" {
		return nil, argument.Wrong("merge", len(files), "is of shards, which neither calibrate nor race, and needs a journal")
	}
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r, err := assemble(&o)
	if err != nil {
		return nil, err
	}
	m := &merger{run: r, window: window}
	defer m.close()
	if err := m.read(ctx, files); err != nil {
		return nil, err
	}
	if err := r.openJournal(); err != nil {
		return nil, err
	}
	r.ledger.start = time.Now()
	if err := errors.Join(m.judge(ctx), r.journal.Close()); err != nil {
		_ = os.Remove(o.Journal) // it is no run's; what was there before is kept aside
		return nil, err
	}
	return m.merged(), r.allErrors()
}

// merger is a merge under way.
type merger struct {
	*run
	shards []*shardJournal     // by their index less 1
	owners map[journal.Key]int // the index of the shard that makes a trial
	window time.Duration       // of the suite; 0 is any time
	latest float64             // seconds, by which the counted trials had ended
}

// shardJournal is the journal of a shard.
type shardJournal struct {
	file    string
	history *journal.History
	lines   *journal.Lines
}

// close lets go of the journals.
func (m *merger) close() {
	for _, s := range m.shards {
		if s != nil {
			s.lines.Close()
		}
	}
}

// fault makes an error about a shard.
func (s *shardJournal) fault(f MergeFault, format string, arguments ...any) error {
	e := &MergeError{Fault: f, Problem: "journal " + prose.FileName(s.file) + " " + fmt.Sprintf(format, arguments...)}
	if shard := s.history.Header.Shard; shard != nil {
		e.Shard = *shard
	}
	return e
}

// read reads the journals, and refuses those that do not make up a run.
func (m *merger) read(ctx context.Context, files []string) error {
	reduce := m.reduce()
	var first *shardJournal
	for _, file := range files {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		history, lines, err := journal.ReadWithLines(file, reduce)
		if err != nil {
			return err
		}
		s := &shardJournal{file, history, lines}
		if err := m.add(s, first); err != nil {
			return errors.Join(err, lines.Close())
		}
		if first == nil {
			first = s
		}
	}
	if first == nil {
		return &MergeError{Fault: ShardMissing, Problem: "there is no journal of a shard"}
	}
	if err := m.complete(); err != nil {
		return err
	}
	if err := m.asked(first); err != nil {
		return err
	}
	return m.owned()
}

// add puts the journal of a shard beside the others, of which first is the one that was read first; nil is none.
func (m *merger) add(s, first *shardJournal) error {
	shard := s.history.Header.Shard
	if shard == nil || !shard.Valid() {
		return s.fault(NoShard, "is of a whole run, and of no shard")
	}
	if first != nil {
		if err := s.differs(first); err != nil {
			return err
		}
	} else {
		m.shards = make([]*shardJournal, shard.Count)
	}
	if other := m.shards[shard.Index-1]; other != nil {
		return s.fault(ShardTwice, "is of shard %v, and so is %s", shard, prose.FileName(other.file))
	}
	m.shards[shard.Index-1] = s
	return nil
}

// differs compares the journals of two shards.
func (s *shardJournal) differs(first *shardJournal) error {
	one, other := first.history.Header, s.history.Header
	if one.Shard.Count != other.Shard.Count {
		return s.fault(ShardsDiffer, "is of one of %d shards, and %s of one of %d", other.Shard.Count,
			prose.FileName(first.file), one.Shard.Count)
	}
	one.Shard, one.Unconfined = other.Shard, other.Unconfined
	if different, ok := errors.AsType[*journal.HeaderError](other.Check(s.file, one)); ok {
		return s.fault(ShardsDiffer, "is of another run than %s: its %s is %s, there it is %s",
			prose.FileName(first.file), different.Field, different.Have, different.Want)
	}
	return nil
}

// complete refuses shards that are not there, or that have not been run to their end.
func (m *merger) complete() error {
	var missing []string
	for i, s := range m.shards {
		if s == nil {
			missing = append(missing, journal.Shard{Index: i + 1, Count: len(m.shards)}.String())
		}
	}
	if len(missing) > 0 {
		const most = 6 // chosen: a line
		return &MergeError{
			Fault: ShardMissing,
			Problem: fmt.Sprintf("there is no journal of %s %s", prose.Form(len(missing), "shard", "shards"),
				prose.Some(missing, most)),
		}
	}
	for _, s := range m.shards {
		h := s.history
		switch {
		case h.Torn > 0:
			return s.fault(CutOff, "of shard %v ends within a line: it was cut, or the shard is still running", h.Header.Shard)
		case h.Share == nil:
			return s.fault(ShardUnfinished, "of shard %v was not run to its end: %s ended so far", h.Header.Shard,
				prose.Count(h.Ended(), "trial"))
		case len(h.Decisions)+len(h.Extensions) > 0:
			return s.fault(NotItsOwn, "of shard %v decides, which no shard does", h.Header.Shard)
		}
	}
	return m.withinWindow()
}

// withinWindow refuses shards whose trials are, as far as their journals tell, further apart than the window of their
// suite: that of the whole run began with the first shard.
func (m *merger) withinWindow() error {
	if m.window <= 0 {
		return nil
	}
	var earliest, ended time.Time
	last := m.shards[0]
	for _, s := range m.shards {
		began, err := time.Parse(time.RFC3339Nano, s.history.Header.Began)
		if err != nil {
			return s.fault(OutOfWindow, "does not say when it began, and the suite gives a window")
		}
		if earliest.IsZero() || began.Before(earliest) {
			earliest = began
		}
		if end := began.Add(time.Duration(s.history.ElapsedSeconds * float64(time.Second))); end.After(ended) {
			ended, last = end, s
		}
	}
	if ended.Sub(earliest) > m.window {
		return last.fault(OutOfWindow,
			"of shard %v has trials %v after the first shard began, and the window of the suite is %v",
			last.history.Header.Shard, ended.Sub(earliest).Round(time.Second), m.window)
	}
	m.options.began = earliest.UTC().Format(time.RFC3339Nano)
	return nil
}

// asked compares the run of the shards with the one that the options ask for, and takes from them what only they know:
// which programs were run, and what of them was not held.
func (m *merger) asked(first *shardJournal) error {
	o, have := m.options, first.history.Header
	want := o.header()
	want.Shard, want.Unconfined = have.Shard, have.Unconfined
	if different, ok := errors.AsType[*journal.HeaderError](have.Check(first.file, want)); ok {
		problem := fmt.Sprintf("is of another run: its %s is %s, now it is %s", different.Field, different.Have,
			different.Want)
		if different.Before != nil && different.After != nil {
			const most = 6 // chosen, as where a run is continued
			if changes := suite.DescriptionChanges(different.Before, different.After); len(changes) > 0 {
				problem = fmt.Sprintf("is of another run: its %s changed since: %s", different.Field, prose.Some(changes, most))
			}
		}
		return first.fault(OtherRun, "%s", problem)
	}
	o.Programs, o.Describes, o.Unconfined = have.Programs, have.Describes, nil
	changed := map[string]bool{}
	for _, s := range m.shards {
		h := s.history.Header
		for _, part := range h.Unconfined {
			// As [Options].Unconfined has it, without the reason, which the journal does not keep.
			agent, what, _ := strings.Cut(part, ": ")
			if line := agent + ".confine: " + what; !slices.Contains(o.Unconfined, line) {
				o.Unconfined = append(o.Unconfined, line)
			}
		}
		for _, file := range changedPrograms(have.Programs, h.Programs) {
			changed[file] = true
		}
	}
	m.changed = slices.Sorted(maps.Keys(changed))
	return nil
}

// owned refuses trials that are not of their shard: each has those of the plan that are its own, with their seeds.
func (m *merger) owned() error {
	planned, err := assemble(m.options)
	if err != nil {
		return err
	}
	type place struct {
		shard int
		test  string
		seed  uint64
	}
	places := map[journal.Key]place{}
	m.owners = map[journal.Key]int{}
	planned.plan(len(m.shards), func(s *trialRun, shard int) {
		places[s.key()] = place{shard, s.Test, s.Seed}
		m.owners[s.key()] = shard
	})
	for _, s := range m.shards {
		shard := s.history.Header.Shard
		for _, t := range s.history.Trials {
			l := t.Launch
			if places[l.Key()] != (place{shard.Index, l.Test, l.Seed}) {
				return s.fault(NotItsOwn, "has %v, which is not of shard %v", l.Key(), shard)
			}
		}
	}
	return nil
}

// judge launches the trials of the shards in the order of a run, until nothing more is needed.
func (m *merger) judge(ctx context.Context) error {
	m.settle()
	for m.stoppedBy == notStopped {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		_, test := m.next()
		if test == nil {
			return errReplay // a test that has not ended has room for a trial
		}
		s := m.open(test)
		from := m.shards[m.owners[s.key()]-1]
		before := from.history.Trial(s.key())
		if before == nil || before.End == nil {
			if ended := m.lacking(s); ended != nil {
				return ended
			}
			break
		}
		if err := m.take(s, from, before); err != nil {
			return err
		}
		m.settle()
	}
	return m.err
}

// lacking ends the run at a trial that its shard did not make, as the budget of that one ended it before. Otherwise it
// is an error.
func (m *merger) lacking(s *trialRun) error {
	m.trials = m.trials[:len(m.trials)-1] // it was never launched
	s.test.trials = s.test.trials[:len(s.test.trials)-1]
	shard := m.shards[m.owners[s.key()]-1]
	budget := shard.history.Share.Budget
	for limit := costLimit; limit <= trialLimit && budget != ""; limit++ {
		if limit.String() == budget {
			m.stop(runs.StoppedByBudget, limit)
			return nil
		}
	}
	return shard.fault(TrialMissing, "lacks %v, and says that all of its part was run", s.key())
}

// take takes in what a shard tells of a trial.
func (m *merger) take(s *trialRun, from *shardJournal, before *journal.Trial) error {
	lines, err := from.lines.Of(s.key())
	if err != nil {
		return err
	}
	for _, line := range lines {
		m.journal.Copy(line)
		if e := line.End; e != nil {
			m.ledger.spent.Add(e.Spent)
			m.latest = max(m.latest, e.ElapsedSeconds)
			if e.Retry {
				m.ledger.repeat(e.Cause)
			}
			if e.Lost {
				m.ledger.lost++
			}
		}
	}
	m.ledger.lost += before.Began - before.Ended
	s.attempt, s.Process, s.Spent = before.End.Attempt, before.End.Process, before.Spent
	if gone, brief := m.reduced[s.key()]; brief {
		s.MoreSteps, s.Usage, s.Answer = gone.steps, &gone.took, &gone.answer
	}
	if err := s.test.finish(s, before.Record); err != nil {
		return err
	}
	m.count(before.Record)
	return nil
}

// merged is the result, and what was made in vain.
func (m *merger) merged() *MergeResult {
	result := &MergeResult{Result: m.result(), Shards: len(m.shards)}
	result.Elapsed = time.Duration(m.latest * float64(time.Second))
	counted := map[journal.Key]bool{}
	for _, s := range m.trials {
		counted[s.key()] = true
	}
	for _, s := range m.shards {
		for _, t := range s.history.Trials {
			if !counted[t.Launch.Key()] {
				result.Beyond++
				result.BeyondSpent.Add(t.Spent)
			}
		}
	}
	return result
}
