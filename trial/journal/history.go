package journal

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// History is what a journal tells.
type History struct {
	Header     Header      // of what run it is
	Trials     []*Trial    // that were launched, in the order of their first launch
	Changed    []string    // what agents and judges are made of and was another in some session than in the first
	Decisions  []Decision  // that hold, in the order of the tests' ends
	Extensions []Extension // each takes back the decision that its test had before
	// Calibration is how many trials are recorded; nil until that was worked out, and of a run that does not calibrate.
	Calibration *Calibration
	Spent       Spend // by all attempts that ended, and by those that the budget cut off
	Cut         int   // attempts that the budget cut off: of those that are lost
	// Share is what was run of the shard that the journal is of; nil until it was, and of a whole run.
	Share *Share
	// Repeated are the attempts that another one replaced, by their cause; "" where it is not told.
	Repeated       map[string]int
	ElapsedSeconds float64 // by the last end, without the time between sessions
	Torn           int     // bytes of a last line that was not finished, and is left out
	Chain          Chain   // up to the last whole line

	byKey  map[Key]*Trial // of Trials; several launches of one trial are one entry
	reduce Reduce         // nil keeps records as they are
}

// Trial is what a journal tells of one trial.
type Trial struct {
	Launch Launch // of its first attempt
	Began  int    // attempts
	Ended  int    // attempts; fewer than began where one was running when the run stopped
	// Replaced is how many attempts had begun and were made again nevertheless, which earlier versions
	// did. What the last of them came to is then no outcome of the trial.
	Replaced int
	lost     int          // attempts that another launch followed without an end between
	Spent    Spend        // by the attempts that ended
	End      *End         // of the attempt that counts; nil until the trial has ended
	Record   *trial.Trial // what End.Record says, as an error where Replaced; nil until the trial has ended
}

// LineError says which line of a journal cannot be used, and why.
type LineError struct {
	File    string // the journal
	Line    int    // from 1
	Problem string // what is wrong with the line
	Err     error  // the cause; may be nil
}

// ExitCode is that of input that cannot be used.
func (e *LineError) ExitCode() int { return exit.Input }

func (e *LineError) Error() string {
	return fmt.Sprintf("journal %s, line %d: %s", prose.FileName(e.File), e.Line, e.Problem)
}

// Message is Error: it holds what the cause says.
func (e *LineError) Message() string { return e.Error() }

// Hint is "".
func (e *LineError) Hint() string { return "" }

// Unwrap returns the cause.
func (e *LineError) Unwrap() error { return e.Err }

// ErrNoHeader says that a journal ends before its first line does.
var ErrNoHeader = errors.New("the journal is empty")

// Read reads a journal, also one that a runner has open. A last line that is not
// finished is left out; every other line that cannot be used is a [LineError], and so
// is one that tells what cannot have happened, such as an end without a launch.
func Read(name string) (*History, error) { return readFile(name, nil) }

// ReadOutcomes is [Read] that keeps nothing of the records of trials but their outcomes.
func ReadOutcomes(name string) (*History, error) { return readFile(name, outcomeAlone) }

func readFile(name string, reduce Reduce) (*History, error) {
	file, err := openToRead(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	h, _, err := read(name, file, reduce)
	return h, err
}

// openToRead opens a file that is there.
func openToRead(name string) (*os.File, error) {
	err := regular(name)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	return file, nil
}

// Reduce returns what is kept of the record of a trial when a journal is read. The bytes of the record are not kept
// then.
type Reduce func(Key, *trial.Trial) *trial.Trial

// outcomeAlone keeps nothing of a record but its outcome.
func outcomeAlone(_ Key, t *trial.Trial) *trial.Trial {
	return &trial.Trial{Scenario: t.Scenario, Outcome: t.Outcome}
}

// MaxLineBytes is how long a line may be. A record that would not fit is not written.
const MaxLineBytes = 256 << 20

// read reads a journal, and returns how many bytes its whole lines have.
func read(name string, from io.Reader, reduce Reduce) (h *History, whole int64, err error) {
	return readEach(name, from, reduce, func([]byte, Line) {})
}

// readEach is read that shows each line once it was taken in.
func readEach(
	name string, from io.Reader, reduce Reduce, show func(text []byte, l Line),
) (h *History, whole int64, err error) {
	h = &History{byKey: map[Key]*Trial{}, Repeated: map[string]int{}, reduce: reduce}
	whole, torn, err := eachLine(name, from, func(line []byte) error {
		l, err := h.add(line, h.Chain.lines == 0)
		if err != nil {
			return err
		}
		if err := h.Chain.Add(line); err != nil {
			return err
		}
		show(line, l)
		return nil
	})
	h.Torn = len(torn)
	if err != nil {
		return nil, 0, err
	}
	if whole == 0 {
		return nil, 0, fmt.Errorf("journal %s: %w", prose.FileName(name), ErrNoHeader)
	}
	return h, whole, nil
}

// eachLine calls a function for each whole line of a journal, with its newline, and returns how many bytes these
// have, and what follows them. What the function returns, and a line that is too long, becomes a [LineError].
// A line may be used until the next one is read.
//
// A line counts once its newline is there: a writer that was killed may have left half of one, which is no
// mistake of anybody. More than one, though, is what nobody has written.
func eachLine(name string, from io.Reader, visit func(line []byte) error) (whole int64, torn []byte, err error) {
	reader := bufio.NewReaderSize(from, 1<<16)
	var line []byte
	for number := 1; ; number++ {
		bad := func(problem string, err error) (int64, []byte, error) {
			return 0, nil, &LineError{File: name, Line: number, Problem: problem, Err: err}
		}
		line = line[:0]
		for {
			part, err := reader.ReadSlice('\n')
			if len(line)+len(part) > MaxLineBytes {
				return bad(fmt.Sprintf("is longer than %d bytes", MaxLineBytes), nil)
			}
			line = append(line, part...)
			if err == nil {
				break
			}
			if err == io.EOF {
				if _, err := ParseLine(line); errors.Is(err, errFollows) {
					return bad(err.Error(), err)
				}
				return whole, line, nil
			}
			if err != bufio.ErrBufferFull {
				return bad("cannot be read: "+err.Error(), err)
			}
		}
		if err := visit(line); err != nil {
			return bad(err.Error(), err)
		}
		whole += int64(len(line))
	}
}

// add takes in one line, and returns it.
func (h *History) add(text []byte, first bool) (Line, error) {
	l, err := ParseLine(text)
	if err != nil {
		return l, err
	}
	return l, h.take(l, first)
}

// take takes in what a line tells.
func (h *History) take(l Line, first bool) error {
	switch {
	case (l.Header != nil) != first:
		return errors.New("a header is the first line, and no other is")
	case l.fields() == 0:
		return errors.New("says nothing")
	case l.fields() > 1:
		return errors.New("says several things at once")
	case l.Launch != nil:
		return h.addLaunch(*l.Launch)
	case l.End != nil:
		return h.addEnd(l.End)
	case l.Decision != nil:
		h.Decisions = append(h.Decisions, *l.Decision)
		return nil
	case l.Calibration != nil:
		if h.Header.Calibrate == 0 || h.Calibration != nil {
			return errors.New("calibrates a run that does not calibrate, or twice")
		}
		h.Calibration = l.Calibration
		return nil
	case l.Cut != nil:
		h.Spent.Add(l.Cut.Spent)
		h.Cut += l.Cut.Spent.Attempts
		h.ElapsedSeconds = max(h.ElapsedSeconds, l.Cut.ElapsedSeconds)
		return nil
	case l.Share != nil:
		return h.addShare(l.Share)
	// The decision before does not hold any more: the test goes on.
	case l.Extension != nil:
		h.Extensions = append(h.Extensions, *l.Extension)
		h.Decisions = slices.DeleteFunc(h.Decisions, func(d Decision) bool { return d.Test == l.Extension.Test })
		return nil
	}
	// Only a header is left.
	if l.Header.Format != formatVersion {
		return fmt.Errorf("the journal has version %d, only %d is known", l.Header.Format, formatVersion)
	}
	h.Header = *l.Header
	return nil
}

// addLaunch takes in that an attempt began, the first one of its trial or another.
//
// A trial that is launched again without an end between lost an attempt with an earlier session. That was
// drawn again by earlier versions alone.
func (h *History) addLaunch(l Launch) error {
	key := l.Key()
	t := h.byKey[key]
	if t == nil {
		t = &Trial{Launch: l}
		h.byKey[key] = t
		h.Trials = append(h.Trials, t)
	}
	if t.End != nil {
		return fmt.Errorf("%v is launched after its end", key)
	}
	if t.Began > t.Ended+t.lost {
		t.lost++
		t.Replaced++
	}
	t.Began++
	h.Changed = append(h.Changed, l.Changed...)
	h.Share = nil // it goes on
	return nil
}

// addEnd takes in that an attempt ended. A trial has ended with the attempt that is not
// repeated, whose record is read.
func (h *History) addEnd(e *End) error {
	t := h.byKey[e.Key()]
	switch {
	case t == nil:
		return fmt.Errorf("%v ends without a launch", e.Key())
	case t.End != nil:
		return fmt.Errorf("%v ends twice", e.Key())
	case t.Ended+t.lost >= t.Began:
		return fmt.Errorf("%v ends more often than it began", e.Key())
	}
	record, err := e.Decode(trial.Options{})
	if err != nil {
		return err
	}
	t.Ended++
	t.Spent.Add(e.Spent)
	h.Spent.Add(e.Spent)
	// The largest of them is the last one's, in whatever order the lines are.
	h.ElapsedSeconds = max(h.ElapsedSeconds, e.ElapsedSeconds)
	switch {
	case e.Retry:
		h.Repeated[e.Cause]++
		if e.Spent.Unstarted == 0 {
			t.Replaced++
		}
		return nil
	case record == nil:
		return fmt.Errorf("%v ends without a record", e.Key())
	}
	t.End = e
	t.Record = record
	if t.Replaced > 0 {
		t.Record = AsError(record)
	}
	if h.reduce != nil {
		t.Record, e.Record = h.reduce(e.Key(), t.Record), nil
	}
	return nil
}

// AsError returns the record of a trial as that of an error, because an attempt before it had begun and
// was made again: the first draw decides, and what it would have come to is not known. What the trial
// took stays.
func AsError(t *trial.Trial) *trial.Trial {
	if t.Outcome == trial.Error {
		return t
	}
	return &trial.Trial{
		Scenario: t.Scenario, Variant: t.Variant, Index: t.Index, Attempt: t.Attempt, Outcome: trial.Error,
		Error: &trial.Cause{
			Origin: trial.InfrastructureOrigin, Type: "replaced",
			Message: "an attempt that had begun was made again; what it would have come to is not known",
		},
		Output: t.Output, Steps: t.Steps, CostUSD: t.CostUSD, CostBasis: t.CostBasis,
		CostAtLeast: t.CostAtLeast, TokensAtLeast: t.TokensAtLeast,
		InputTokens: t.InputTokens, OutputTokens: t.OutputTokens, DurationSeconds: t.DurationSeconds,
		Turns: t.Turns, ToolCalls: t.ToolCalls,
	}
}

// Trial returns what is known of a trial, or nil if it was not launched.
func (h *History) Trial(k Key) *Trial { return h.byKey[k] }

// Records returns the records of a scenario's trials in a test that ended, by their
// numbers. Those of the side that the agent is tested against are left out: they say nothing
// of the agent.
func (h *History) Records(test, scenario string) (records []*trial.Trial) {
	var ended []*Trial
	for _, t := range h.Trials {
		if l := t.Launch; l.Test == test && l.Scenario == scenario && !l.Baseline && t.End != nil {
			ended = append(ended, t)
		}
	}
	slices.SortFunc(ended, func(a, b *Trial) int { return cmp.Compare(a.Launch.Trial, b.Launch.Trial) })
	for _, t := range ended {
		records = append(records, t.Record)
	}
	return records
}

// Lost returns how many attempts began and never ended: those that were running when
// the run was killed or stopped.
func (h *History) Lost() (n int) {
	for _, t := range h.Trials {
		n += t.Began - t.Ended
		if t.End != nil && t.End.Lost {
			n++
		}
	}
	return n
}

// Decided reports whether every test of the journal has its decision, and all trials were recorded that were to be. A
// shard, which decides nothing, has run all of its part then.
func (h *History) Decided() bool {
	if h.Header.Shard != nil {
		return h.Share != nil && h.Share.Budget == ""
	}
	for _, t := range h.Header.Tests {
		if !slices.ContainsFunc(h.Decisions, func(d Decision) bool { return d.Test == t.Name }) {
			return false
		}
	}
	return h.recorded()
}

// recorded reports whether the trials have ended that a run was to record; one that does not calibrate records none.
func (h *History) recorded() bool {
	if h.Header.Calibrate == 0 {
		return true
	}
	ended := map[string]int{} // by test
	for _, t := range h.Trials {
		if t.End != nil {
			ended[t.Launch.Test]++
		}
	}
	return h.Calibration != nil && !slices.ContainsFunc(h.Header.Tests, func(t Test) bool {
		return ended[t.Name] < h.Calibration.Record*len(t.Scenarios)
	})
}

// Outcomes returns how many trials passed or failed.
func (h *History) Outcomes() (n int) {
	for _, t := range h.Trials {
		if t.Record != nil && t.Record.Outcome != trial.Error {
			n++
		}
	}
	return n
}

// Ended returns how many trials ended.
func (h *History) Ended() (n int) {
	for _, t := range h.Trials {
		if t.End != nil {
			n++
		}
	}
	return n
}
