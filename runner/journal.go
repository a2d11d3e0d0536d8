package runner

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tribunal-dev/tribunal/trial"
)

// journalVersion is that of the format; another one is not read.
const journalVersion = 1

// Header is the first line of a journal: what the run was, so that it is not gone on
// with as another one.
type Header struct {
	Journal int          `json:"journal"` // version of the format; set by [CreateJournal]
	Suite   string       `json:"suite"`   // digest of the suite
	Seed    uint64       `json:"seed"`
	Tests   []HeaderTest `json:"tests"`
	Version string       `json:"version"` // of the program; another one may go on
}

// HeaderTest is a test of the run.
type HeaderTest struct {
	Name      string   `json:"name"`
	Design    string   `json:"design"` // digest
	Scenarios []string `json:"scenarios"`
}

// Launched says that an attempt began.
type Launched struct {
	Test     string `json:"test"`
	Scenario string `json:"scenario"`
	Trial    int    `json:"trial"`
	Attempt  int    `json:"attempt"`
	Seed     uint64 `json:"seed"`
}

// Finished says how an attempt ended.
type Finished struct {
	Scenario string          `json:"scenario"`
	Trial    int             `json:"trial"`
	Attempt  int             `json:"attempt"`
	Retry    bool            `json:"retry,omitempty"` // an infrastructure error; another attempt follows
	Error    string          `json:"error,omitempty"`
	Spent    Spent           `json:"spent"`
	Elapsed  float64         `json:"elapsed_s"` // since the run began, without the time between sessions
	Record   json.RawMessage `json:"record,omitempty"`

	trial *trial.Trial // what Record says
}

// Decision says how a test ended.
type Decision struct {
	Test     string `json:"test"`
	Design   string `json:"design"`
	Outcome  string `json:"outcome"`
	Trials   int    `json:"trials"`
	Failures int    `json:"failures"` // among the trials
	Errors   int    `json:"errors"`   // among the trials
}

// Extended says that a test goes on with more trials than its design had.
type Extended struct {
	Test   string `json:"test"`
	More   int    `json:"more"`
	Design string `json:"design"` // digest of the extended one
}

// line is one line of a journal; one field is set.
type line struct {
	Header   *Header   `json:"header,omitempty"`
	Launched *Launched `json:"launched,omitempty"`
	Finished *Finished `json:"finished,omitempty"`
	Decision *Decision `json:"decision,omitempty"`
	Extended *Extended `json:"extended,omitempty"`
}

// Journal is the file that a run writes down what it does in: JSON lines, appended
// and never changed. While it is open no other runner can open it. It may be used by
// one goroutine at a time; after an error it writes nothing more, and every later
// call returns that error.
type Journal struct {
	name   string
	file   *os.File
	lock   io.Closer
	buffer *bufio.Writer
	dirty  bool // written since the last sync
	err    error
}

// ErrLocked says that another runner has the journal open.
var ErrLocked = errors.New("another runner has this journal open")

// ErrExists says that a journal is there and would be overwritten.
var ErrExists = errors.New("the journal exists already: go on with that run, or name another file")

// CreateJournal begins a journal. An empty file may be there, anything else is
// [ErrExists].
func CreateJournal(name string, h Header) (*Journal, error) {
	j, err := openJournal(name)
	if err != nil {
		return nil, err
	}
	switch information, err := j.file.Stat(); {
	case err != nil:
		return nil, j.giveUp(err)
	case information.Size() > 0:
		return nil, j.giveUp(ErrExists)
	}
	return j.begin(h)
}

func openJournal(name string) (*Journal, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	lock, err := lockFile(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("journal %s: %w", trial.DisplayName(name), err)
	}
	return &Journal{name: name, file: file, lock: lock, buffer: bufio.NewWriterSize(file, 1<<16)}, nil
}

func (j *Journal) giveUp(err error) error {
	j.lock.Close()
	j.file.Close()
	return fmt.Errorf("journal %s: %w", trial.DisplayName(j.name), err)
}

func (j *Journal) begin(h Header) (*Journal, error) {
	h.Journal = journalVersion
	j.append(line{Header: &h})
	if err := j.Sync(); err != nil {
		return nil, j.giveUp(err)
	}
	return j, nil
}

// Launched appends that an attempt began.
func (j *Journal) Launched(l Launched) { j.append(line{Launched: &l}) }

// Finished appends how an attempt ended, with the trial's record if there is one.
func (j *Journal) Finished(f Finished, t *trial.Trial) {
	if t != nil {
		record, err := trial.Append(nil, t)
		if err != nil {
			j.fail(fmt.Errorf("scenario %q, trial %d: %w", f.Scenario, f.Trial, err))
			return
		}
		f.Record = record
	}
	j.append(line{Finished: &f})
}

// Decision appends how a test ended.
func (j *Journal) Decision(d Decision) { j.append(line{Decision: &d}) }

// Extended appends that a test goes on.
func (j *Journal) Extended(e Extended) { j.append(line{Extended: &e}) }

func (j *Journal) append(l line) {
	if j.err != nil {
		return
	}
	text, err := json.Marshal(l)
	if err == nil {
		_, err = j.buffer.Write(append(text, '\n'))
	}
	j.dirty = true
	j.fail(err)
}

func (j *Journal) fail(err error) {
	if j.err == nil && err != nil {
		j.err = fmt.Errorf("journal %s: %w", trial.DisplayName(j.name), err)
	}
}

// Flush hands everything to the system: it survives the end of this process.
func (j *Journal) Flush() error {
	if j.err == nil {
		j.fail(j.buffer.Flush())
	}
	return j.err
}

// Sync has everything written to the disk: it survives the end of the machine. What
// was appended since the last time is written at once, so that many attempts cost
// one sync.
func (j *Journal) Sync() error {
	if err := j.Flush(); err != nil || !j.dirty {
		return err
	}
	j.fail(j.file.Sync())
	j.dirty = j.err != nil
	return j.err
}

// Close writes what is left and lets go of the file.
func (j *Journal) Close() error {
	err := j.Sync()
	return errors.Join(err, j.lock.Close(), j.file.Close())
}
