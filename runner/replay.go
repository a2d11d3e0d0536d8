package runner

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// Replay is what a journal tells.
type Replay struct {
	Header    Header
	Launched  []Launched // first attempts, in launch order
	Decisions []Decision // without those that an extension took back
	Extended  []Extended
	Spent     Spent   // by all attempts that ended
	Lost      int     // attempts that began and never ended
	Elapsed   float64 // seconds
	Torn      int     // bytes of a last line that was not finished

	trials map[trialKey]*replayed
}

type trialKey struct {
	scenario string
	number   int
}

// replayed is what is known of one trial.
type replayed struct {
	attempts int // that ended
	began    int
	spent    Spent
	final    *Finished // nil: it has not ended
}

// Finished returns the trials of a scenario that ended, by their numbers.
func (r *Replay) Finished(scenario string) []Finished {
	var list []Finished
	for k, t := range r.trials {
		if k.scenario == scenario && t.final != nil {
			list = append(list, *t.final)
		}
	}
	slices.SortFunc(list, func(a, b Finished) int { return cmp.Compare(a.Trial, b.Trial) })
	return list
}

// JournalError says which line of a journal cannot be used, and why.
type JournalError struct {
	File    string
	Line    int
	Problem string
	Err     error // the cause; may be nil
}

func (e *JournalError) Error() string {
	return fmt.Sprintf("journal %s, line %d: %s", trial.DisplayName(e.File), e.Line, e.Problem)
}

// Unwrap returns the cause.
func (e *JournalError) Unwrap() error { return e.Err }

// HeaderError says that a journal is that of another run: its trials were not chosen
// and judged as they would be now.
type HeaderError struct {
	File  string
	Field string // such as "suite", "seed" or "design of test x"
	Have  string // in the journal
	Want  string
}

func (e *HeaderError) Error() string {
	return fmt.Sprintf("journal %s is that of another run: its %s is %s, now it is %s; undo the change, or begin a new run with another journal",
		trial.DisplayName(e.File), e.Field, e.Have, e.Want)
}

// ErrNoHeader says that a journal ends before its first line does.
var ErrNoHeader = errors.New("the journal is empty")

// ReadJournal reads a journal, also one that a runner has open. A last line that is
// not finished is left out; every other line that cannot be used is a [JournalError].
func ReadJournal(name string) (*Replay, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	defer file.Close()
	r, _, err := replay(name, file)
	return r, err
}

// ResumeJournal opens a journal to go on with it. It returns a [HeaderError] if the
// header is another one. A journal without a header, as a runner leaves it that was
// killed at once, is begun.
func ResumeJournal(name string, h Header) (*Journal, *Replay, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	j, err := openJournal(name)
	if err != nil {
		return nil, nil, err
	}
	r, whole, err := replay(name, j.file)
	switch {
	case errors.Is(err, ErrNoHeader):
		if err := j.file.Truncate(0); err != nil {
			return nil, nil, j.giveUp(err)
		}
		j, err := j.begin(h)
		return j, &Replay{Header: h, trials: map[trialKey]*replayed{}}, err
	case err != nil:
		return nil, nil, errors.Join(err, j.lock.Close(), j.file.Close())
	}
	if err := r.Header.matches(name, h); err != nil {
		return nil, nil, errors.Join(err, j.lock.Close(), j.file.Close())
	}
	if r.Torn > 0 {
		if err := j.file.Truncate(whole); err != nil {
			return nil, nil, j.giveUp(err)
		}
	}
	return j, r, nil
}

func (h Header) matches(file string, want Header) error {
	differs := func(field, have, want string) error { return &HeaderError{file, field, have, want} }
	switch {
	case h.Suite != want.Suite:
		return differs("suite", h.Suite, want.Suite)
	case h.Seed != want.Seed:
		return differs("seed", fmt.Sprint(h.Seed), fmt.Sprint(want.Seed))
	case len(h.Tests) != len(want.Tests):
		return differs("number of tests", fmt.Sprint(len(h.Tests)), fmt.Sprint(len(want.Tests)))
	}
	for i, t := range h.Tests {
		switch w := want.Tests[i]; {
		case t.Name != w.Name:
			return differs("test", fmt.Sprintf("%q", t.Name), fmt.Sprintf("%q", w.Name))
		case t.Design != w.Design:
			return differs(fmt.Sprintf("design of test %q", t.Name), t.Design, w.Design)
		case !slices.Equal(t.Scenarios, w.Scenarios):
			return differs(fmt.Sprintf("list of scenarios of test %q", t.Name), fmt.Sprintf("%q", t.Scenarios), fmt.Sprintf("%q", w.Scenarios))
		}
	}
	return nil
}

// replay reads a journal, and returns how many bytes its whole lines have.
func replay(name string, from io.Reader) (r *Replay, whole int64, err error) {
	r = &Replay{trials: map[trialKey]*replayed{}}
	reader := bufio.NewReaderSize(from, 1<<16)
	for number := 1; ; number++ {
		text, err := reader.ReadBytes('\n')
		if err == io.EOF {
			r.Torn = len(text)
			break
		}
		if err != nil {
			return nil, 0, &JournalError{name, number, "cannot be read: " + err.Error(), err}
		}
		if err := r.take(text, number); err != nil {
			return nil, 0, &JournalError{name, number, err.Error(), err}
		}
		whole += int64(len(text))
	}
	if whole == 0 {
		return nil, 0, fmt.Errorf("journal %s: %w", trial.DisplayName(name), ErrNoHeader)
	}
	r.Lost = r.lost()
	return r, whole, nil
}

// take takes in one line.
func (r *Replay) take(text []byte, number int) error {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return fmt.Errorf("is not a journal's: %w", err)
	}
	if (l.Header != nil) != (number == 1) {
		return errors.New("a header is the first line, and no other is")
	}
	switch {
	case l.Header != nil && l.Header.Journal != journalVersion:
		return fmt.Errorf("the journal has version %d, only %d is known", l.Header.Journal, journalVersion)
	case l.Header != nil:
		r.Header = *l.Header
	case l.Launched != nil:
		return r.launched(*l.Launched)
	case l.Finished != nil:
		return r.finished(*l.Finished)
	case l.Decision != nil:
		r.Decisions = append(r.Decisions, *l.Decision)
	case l.Extended != nil:
		r.Extended = append(r.Extended, *l.Extended)
		r.Decisions = slices.DeleteFunc(r.Decisions, func(d Decision) bool { return d.Test == l.Extended.Test })
	default:
		return errors.New("says nothing")
	}
	return nil
}

func (r *Replay) launched(l Launched) error {
	key := trialKey{l.Scenario, l.Trial}
	t := r.trials[key]
	if t == nil {
		t = &replayed{}
		r.trials[key] = t
		r.Launched = append(r.Launched, l)
	}
	if t.final != nil {
		return fmt.Errorf("trial %d of scenario %q is launched after its end", l.Trial, l.Scenario)
	}
	t.began++
	return nil
}

func (r *Replay) finished(f Finished) error {
	t := r.trials[trialKey{f.Scenario, f.Trial}]
	switch {
	case t == nil:
		return fmt.Errorf("trial %d of scenario %q ends without a launch", f.Trial, f.Scenario)
	case t.final != nil:
		return fmt.Errorf("trial %d of scenario %q ends twice", f.Trial, f.Scenario)
	case t.attempts == t.began:
		return fmt.Errorf("trial %d of scenario %q ends more often than it began", f.Trial, f.Scenario)
	}
	if f.Record != nil {
		record, err := trial.Decode(f.Record, trial.Options{})
		if err != nil {
			return err
		}
		f.trial = record
	}
	t.attempts++
	t.spent.Add(f.Spent)
	r.Spent.Add(f.Spent)
	r.Elapsed = max(r.Elapsed, f.Elapsed)
	if f.Retry {
		return nil
	}
	if f.trial == nil {
		return fmt.Errorf("trial %d of scenario %q ends without a record", f.Trial, f.Scenario)
	}
	t.final = &f
	return nil
}

func (r *Replay) lost() (n int) {
	for _, t := range r.trials {
		n += t.began - t.attempts
	}
	return n
}

// Ended reports whether every test of the journal has its decision.
func (r *Replay) Ended() bool {
	for _, t := range r.Header.Tests {
		if !slices.ContainsFunc(r.Decisions, func(d Decision) bool { return d.Test == t.Name }) {
			return false
		}
	}
	return true
}

// Ends returns how many trials ended.
func (r *Replay) Ends() (n int) {
	for _, t := range r.trials {
		if t.final != nil {
			n++
		}
	}
	return n
}

// MoveJournal gives a journal that no runner has open another name, in place of what
// is there.
func MoveJournal(from, to string) error {
	j, err := openJournal(from)
	if err != nil {
		return err
	}
	return errors.Join(os.Rename(from, to), j.lock.Close(), j.file.Close())
}
