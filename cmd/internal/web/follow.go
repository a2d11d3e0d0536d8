package web

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/site"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// What is read and shown of a journal. Chosen, so that a look at it takes a fraction of a second.
const (
	mostRead     = 64 << 20 // bytes at a look
	shownTests   = 40
	shownMarks   = 120 // outcomes of a test
	journalEnd   = ".journal.jsonl"
	mostTestName = 200 // bytes
)

// follower reads a journal as it grows. A journal that another takes the place of is read from its beginning. It may be
// used by several goroutines.
type follower struct {
	name string

	mutex   sync.Mutex
	file    os.FileInfo   // as it was at the last look; nil before the first
	read    int64         // bytes of whole lines
	chain   journal.Chain // of them
	run     *journalState
	err     error // why it cannot be read, until it is another file or has another size
	changes int   // how often something new was read
}

// journalState is what a journal told so far.
type journalState struct {
	tests   map[string]*followedTest
	order   []string // of the tests
	trials  map[journal.Key]*followedTrial
	spent   journal.Spend
	elapsed time.Duration
	running int // attempts
	widest  int // attempts that ran at once
}

// followedTest is what a journal told of a test.
type followedTest struct {
	outcome        string
	variant        string
	joint          bool // it is one of the scenarios that are tested as one, and has the outcome of all
	stops          *journal.Stops
	limits         sprt.Boundaries // of its design; empty where they are not known
	marks          []byte          // by launch: P, F and E, '.' of what runs
	why            string          // the last trial that did not pass did not; "" is not known
	baselinePasses int
	baselineTrials int
	running        int
	spent          journal.Spend
}

// followedTrial says where a trial stands.
type followedTrial struct {
	test     *followedTest
	at       int // among the marks of the test; -1 of the baseline's side
	running  bool
	baseline bool
}

// look reads what is new, and returns where the run stands and how often it has changed.
func (f *follower) look(now time.Time) (state site.State, changes int, err error) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	info, err := os.Stat(f.name)
	if errors.Is(err, os.ErrNotExist) {
		return state, f.changes, errors.New("there is no journal " + prose.FileName(f.name) + " yet")
	}
	if err != nil {
		return state, f.changes, unreadable(f.name, err)
	}
	if f.file == nil || !os.SameFile(f.file, info) || info.Size() < f.read ||
		f.err != nil && info.Size() != f.file.Size() {
		f.begin()
	}
	f.file = info
	if f.err == nil && info.Size() > f.read {
		began := f.read
		if f.err = f.more(); f.err != nil && began > 0 {
			// Another run may have overwritten it.
			f.begin()
			f.err = f.more()
		}
	}
	if f.err != nil {
		return state, f.changes, f.err
	}
	state = f.run.state()
	state.Quiet = max(0, now.Sub(info.ModTime()))
	return state, f.changes, nil
}

// begin forgets what was read.
func (f *follower) begin() {
	f.read, f.chain, f.err = 0, journal.Chain{}, nil
	f.run = &journalState{tests: map[string]*followedTest{}, trials: map[journal.Key]*followedTrial{}}
}

// unreadable is an error without the name that package os puts into it.
func unreadable(name string, err error) error {
	if e, is := errors.AsType[*os.PathError](err); is {
		err = e.Err
	}
	return fmt.Errorf("journal %s cannot be read: %w", prose.FileName(name), err)
}

// more reads the whole lines that are new. What is left of a long journal is read at the next look.
func (f *follower) more() error {
	file, err := os.Open(f.name)
	if err != nil {
		return unreadable(f.name, err)
	}
	defer file.Close()
	for most := int64(mostRead); ; most = min(4*most, journal.MaxLineBytes+1) {
		text, err := io.ReadAll(io.NewSectionReader(file, f.read, most))
		if err != nil {
			return unreadable(f.name, err)
		}
		whole := bytes.LastIndexByte(text, '\n') + 1
		if whole == 0 && int64(len(text)) == most && most <= journal.MaxLineBytes {
			continue // a line that is longer
		}
		for line := range bytes.Lines(text[:whole]) {
			err := f.run.add(line)
			if err == nil {
				err = f.chain.Add(line)
			}
			if err != nil {
				return &journal.LineError{File: f.name, Line: f.chain.Lines() + 1, Problem: err.Error(), Err: err}
			}
		}
		if whole > 0 {
			f.read += int64(whole)
			f.changes++
		}
		return nil
	}
}

// add takes in a line.
func (r *journalState) add(text []byte) error {
	l, err := journal.ParseLine(text)
	if err != nil {
		return err
	}
	switch {
	case l.Header != nil:
		for _, t := range l.Header.Tests {
			// A scenario that is only recorded has a fixed number of trials.
			r.tests[t.Name] = &followedTest{variant: t.Variant, joint: t.Stops == nil && isJoint(l.Header), stops: t.Stops,
				limits: limitsOf(t.Stops)}
			r.order = append(r.order, t.Name)
		}
	case l.Launch != nil:
		r.launch(l.Launch)
	case l.End != nil:
		return r.end(l.End)
	case l.Decision != nil:
		if t := r.tests[l.Decision.Test]; t != nil {
			if t.outcome = l.Decision.Outcome; t.records() && t.outcome == "inconclusive" {
				t.outcome = recorded
			}
		}
	case l.Extension != nil:
		if t := r.tests[l.Extension.Test]; t != nil {
			t.outcome, t.stops, t.limits = "", l.Extension.Stops, limitsOf(l.Extension.Stops)
		}
	case l.Cut != nil:
		r.spent.Add(l.Cut.Spent)
		r.elapsed = max(r.elapsed, seconds(l.Cut.ElapsedSeconds))
	}
	return nil
}

// isJoint reports whether the scenarios of a suite are tested as one.
func isJoint(h *journal.Header) bool {
	return slices.Contains(h.Describes, "test.by: suite") && !slices.Contains(h.Describes, "test.collapse: none")
}

// limitsOf are the boundaries of a design; empty where they are not told.
func limitsOf(s *journal.Stops) sprt.Boundaries {
	if s == nil || s.MaxTrials == 0 {
		return sprt.Boundaries{}
	}
	b, err := baseline.StopsRecord{MaxTrials: s.MaxTrials, Boundaries: s.Boundaries}.Limits()
	if err != nil || b.Validate() != nil {
		return sprt.Boundaries{} // then nothing is said of the time that is left
	}
	return b
}

// seconds is a duration that a journal tells.
func seconds(s float64) time.Duration {
	const most = 1e9 // some thirty years
	return time.Duration(min(max(s, 0), most) * float64(time.Second))
}

// launch takes in that an attempt began.
func (r *journalState) launch(l *journal.Launch) {
	t := r.tests[l.Test]
	if t == nil {
		return
	}
	x := r.trials[l.Key()]
	if x == nil {
		x = &followedTrial{test: t, at: -1, baseline: l.Baseline}
		if !l.Baseline {
			x.at = len(t.marks)
			t.marks = append(t.marks, '.')
		}
		r.trials[l.Key()] = x
	}
	if !x.running {
		x.running = true
		t.running++
		r.running++
		r.widest = max(r.widest, r.running)
	}
}

// end takes in that an attempt ended.
func (r *journalState) end(e *journal.End) error {
	r.spent.Add(e.Spent)
	r.elapsed = max(r.elapsed, seconds(e.ElapsedSeconds))
	x := r.trials[e.Key()]
	if x == nil {
		return errors.New("ends a trial that never began")
	}
	x.test.spent.Add(e.Spent)
	if x.running {
		x.running = false
		x.test.running--
		r.running--
	}
	if e.Retry {
		return nil
	}
	record, err := e.Decode(trial.Options{Fields: trial.BasicFields | trial.UnknownFields})
	if err != nil || record == nil {
		return cmp.Or(err, errors.New("has no record of the trial"))
	}
	if x.baseline {
		x.test.baselineTrials++
		if record.Outcome == trial.Pass {
			x.test.baselinePasses++
		}
		return nil
	}
	mark := byte('E')
	switch record.Outcome {
	case trial.Pass:
		mark = 'P'
	case trial.Fail:
		mark = 'F'
	}
	x.test.marks[x.at] = mark
	if why := (runs.TrialEvidence{Trial: record}).Why(); why != "" {
		x.test.why = phrase.Excerpt(why, mostTraceText)
	}
	return nil
}

// state is where the run stands.
func (r *journalState) state() site.State {
	s := site.State{All: len(r.order), Running: r.running, Elapsed: r.elapsed, Recorded: len(r.order) > 0}
	if r.spent.Attempts == 0 || r.spent.Attempts > r.spent.CostUnknown {
		s.CostUSD = trial.Some(r.spent.CostUSD)
	}
	if r.spent.Attempts == 0 || r.spent.Attempts > r.spent.TokensUnknown {
		s.Tokens = trial.Some(r.spent.Tokens())
	}
	least, most, open := 0, 0, false
	for _, name := range r.order {
		t := r.tests[name]
		x := t.shown(name)
		s.Recorded = s.Recorded && t.records()
		s.Ended += x.Passes + x.Failures + x.Errors + t.baselineTrials
		switch {
		case t.outcome == "":
			low, high, known := t.left(x)
			least, most, open = least+low, most+high, open || !known
		case t.outcome == "fail":
			s.Failed++
			s.Decided++
		case t.outcome == "inconclusive":
			s.Open++
			s.Decided++
		default:
			s.Decided++
		}
		sameVariant := func(q site.Question) bool { return q.Variant == t.variant }
		if t.joint && !slices.ContainsFunc(s.Together, sameVariant) {
			s.Together = append(s.Together, site.Question{Variant: t.variant, Outcome: t.outcome})
		}
		s.Tests = append(s.Tests, x)
	}
	s.Finished = s.All > 0 && s.Decided == s.All
	if attempts := r.spent.Attempts; attempts > 0 && least > 0 {
		mean := r.spent.Duration / time.Duration(attempts)
		lasts := func(trials int) time.Duration { return mean * time.Duration(trials) / time.Duration(max(1, r.widest)) }
		s.Left = phrase.TimeLeft(lasts(least), lasts(most), open)
	}
	// As the progress of the command has them: what failed, then what goes on.
	worry := []string{"fail", "", "inconclusive", "spared", "pass", recorded}
	slices.SortStableFunc(s.Tests, func(a, b site.Test) int {
		return cmp.Compare(slices.Index(worry, a.Outcome), slices.Index(worry, b.Outcome))
	})
	s.More = max(0, len(s.Tests)-shownTests)
	s.Tests = s.Tests[:len(s.Tests)-s.More]
	return s
}

// recorded is the outcome of a test that only records trials.
const recorded = "recorded"

// records reports whether a test only records trials, and decides nothing.
func (t *followedTest) records() bool { return t.stops != nil && t.stops.Fixed > 0 }

// shown is a test as a page shows it.
func (t *followedTest) shown(name string) site.Test {
	x := site.Test{Name: phrase.Excerpt(name, mostTestName), Outcome: t.outcome, Running: t.running,
		Why:            t.why,
		BaselinePasses: t.baselinePasses, BaselineTrials: t.baselineTrials}
	if t.spent.Attempts > t.spent.CostUnknown {
		x.CostUSD = trial.Some(t.spent.CostUSD)
	}
	var marks []byte
	for _, m := range t.marks {
		switch m {
		case 'P':
			x.Passes++
		case 'F':
			x.Failures++
		case 'E':
			x.Errors++
		default:
			continue
		}
		marks = append(marks, m)
	}
	x.Outcomes = string(marks[max(0, len(marks)-shownMarks):])
	if t.stops != nil {
		x.Most = max(t.stops.MaxTrials, t.stops.Fixed)
	}
	// Of the next trial: at how many failures it would pass or fail the test.
	if n := x.Passes + x.Failures + x.Errors; t.outcome == "" && n < t.limits.MaxTrials() {
		pass, fail := t.limits.PassAtOrBelow[n], min(t.limits.FailAtOrAbove[n], t.limits.MaxTrials())
		if fail > pass {
			share := float64(x.Failures-pass) / float64(fail-pass)
			x.Share = &share
		}
	}
	return x
}

// left is how many trials decide the test in any case, at the fewest and at the most; !known: the journal does not
// tell.
func (t *followedTest) left(x site.Test) (least, most int, known bool) {
	n := x.Passes + x.Failures + x.Errors
	if t.stops != nil && t.stops.Fixed > 0 {
		left := max(0, t.stops.Fixed-n)
		return left, left, true
	}
	all := t.limits.MaxTrials()
	if all == 0 {
		return 1, 1, false
	}
	for m := n + 1; m <= all; m++ {
		if x.Failures <= t.limits.PassAtOrBelow[m-1] || x.Failures+m-n >= t.limits.FailAtOrAbove[m-1] {
			return m - n, max(1, all-n), true
		}
	}
	return max(1, all-n), max(1, all-n), true
}

// journalName is the name of a run by that of its journal.
func journalName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), journalEnd)
}
