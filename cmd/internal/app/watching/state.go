package watching

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/monitor"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/internal/filelock"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/otlphttp"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// monitorSchema is that of a state.
const monitorSchema = "tribunal/monitor-state/v1"

// monitorState is what the file of --state holds.
type monitorState struct {
	Schema  string          `json:"schema"`
	Monitor json.RawMessage `json:"monitor"`
	Input   position        `json:"input"`
	Traces  []string        `json:"traces"` // ids of the last that came by OTLP
}

// position is how far a file was read: so many trials, which have a digest, so that it is noticed where they are
// others. What has no place that lasts, as standard input, has none.
type position struct {
	File   string `json:"file,omitempty"` // "" is none
	Trials int    `json:"trials,omitempty"`
	Digest string `json:"digest,omitempty"`

	before string // digest of the trials that were taken in before
	ahead  int    // trials that were, of which none have come again
	sum    [sha256.Size]byte
}

// begin begins to read a file, from which trials may have been taken in before.
func (p *position) begin(file string) {
	if file == "-" {
		*p = position{}
		return
	}
	if path, err := filepath.Abs(file); err == nil && !input.IsStored(file) {
		file = path
	}
	if p.File != file {
		*p = position{File: file}
	}
}

// again returns the position from which to go on.
func (p position) again() position { return position{File: p.File, before: p.Digest, ahead: p.Trials} }

// next notes a trial, and reports whether it was taken in before.
func (p *position) next(t *trial.Trial) (before bool, err error) {
	if p.File == "" {
		return false, nil
	}
	line, err := trial.Append(nil, t)
	if err != nil {
		line = []byte(t.Scenario)
	}
	p.sum = sha256.Sum256(append(p.sum[:], line...))
	p.Trials++
	if p.Trials == p.ahead && hex.EncodeToString(p.sum[:]) != p.before {
		return false, p.another()
	}
	return p.Trials <= p.ahead, nil
}

// ended says what is wrong with a file that ended after so many trials.
func (p *position) ended(read int) error {
	if p.File != "" && read > 0 && p.Trials < p.ahead {
		return p.another()
	}
	return nil
}

func (p *position) another() error {
	return problem.BadInput(
		fmt.Sprintf("%s does not begin with the %s that the state has of it, or is read in another way",
			prose.FileName(p.File), prose.Count(p.ahead, "trial")),
		"give another --state to start again, or a file of another name to continue it")
}

// stored returns the position as it is saved: not before what was taken in before.
func (p *position) stored() position {
	s := position{File: p.File, Trials: p.Trials, Digest: hex.EncodeToString(p.sum[:])}
	if p.Trials < p.ahead {
		s.Trials, s.Digest = p.ahead, p.before
	}
	if p.File == "" || s.Trials == 0 {
		s.Digest = ""
	}
	return s
}

// readState reads a state; nil is that of a file which is not there yet. It is bounded as saved results are: those of a
// thousand streams have some ten megabytes.
func readState(ctx context.Context, file string) (*monitorState, error) {
	text, err := app.ReadFile(ctx, file, nil)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, problem.BadInput(fmt.Sprintf("--state %s cannot be read: %v", file, problem.WithoutPath(err)), "")
	}
	var s monitorState
	if err := json.Unmarshal(text, &s); err != nil || s.Schema != monitorSchema || s.Input.Trials < 0 {
		return nil, problem.BadInput("--state "+file+" is no state of a monitor",
			"name one that monitor wrote, or a file that is not there yet")
	}
	return &s, nil
}

// lockState keeps others from the state as long as it is used. The lock is of a file beside it, as the state itself is
// replaced when it is saved.
func lockState(file string) (unlock func(), err error) {
	f, err := os.OpenFile(file+".lock", os.O_RDWR|os.O_CREATE, outfile.PrivateMode)
	if err != nil {
		return nil, problem.Usage("", "--state %s cannot be used: %v", file, problem.WithoutPath(err))
	}
	release, err := filelock.Exclusive(f)
	if err != nil {
		f.Close()
		return nil, problem.Unavailable("--state "+file+" is in use: "+err.Error(),
			"end the monitor that has it; started again, it continues where it stopped")
	}
	return func() {
		_ = release() // it ends with the file
		f.Close()
	}, nil
}

// openState makes the monitor, or continues the one that was saved.
func (w *watch) openState(ctx context.Context, b monitor.Baseline) (unlock func(), err error) {
	if w.OTLP != "" {
		w.receiver = otlphttp.New(otlphttp.Options{})
	}
	unlock = func() {}
	var s *monitorState
	if w.State != "" {
		if w.file, err = outfile.New("--state", w.State); err != nil {
			return nil, err
		}
		if unlock, err = lockState(w.file.Path); err != nil {
			return nil, err
		}
		if s, err = readState(ctx, w.file.Path); err != nil {
			unlock()
			return nil, err
		}
	}
	if s == nil {
		w.monitor, err = monitor.New(w.Options, b)
	} else {
		w.input, w.traces = s.Input.again(), s.Traces
		if w.receiver != nil {
			w.receiver.Know(s.Traces)
		}
		w.monitor, err = monitor.Restore(s.Monitor, w.Options, b)
	}
	switch {
	case err == nil:
		return unlock, nil
	case errors.Is(err, monitor.ErrOptions):
		err = problem.BadInput("--state "+w.State+" is of a monitor with other flags, or another baseline",
			"give those again, or another --state to start again")
	case s != nil:
		err = problem.BadInput("--state "+w.State+" cannot be used: "+err.Error(), "give another --state to start again")
	default:
		err = problem.Usage("such as --baseline 186/200", "the baseline cannot be used: %v", err)
	}
	unlock()
	return nil, err
}

// saveNow saves what is known if that was not done for a while.
func (w *watch) saveNow(ctx context.Context) error {
	if !w.dirty || time.Since(w.saved) < saveEvery {
		return nil
	}
	return w.save(ctx)
}

// save replaces the state: whole, and on the disk, or not at all. It is saved after a signal, too.
func (w *watch) save(ctx context.Context) error {
	w.saved = time.Now()
	if w.file == nil || !w.dirty {
		return nil
	}
	w.mutex.Lock()
	text, err := json.Marshal(w.monitor)
	w.mutex.Unlock()
	if err != nil {
		return err
	}
	s := monitorState{Schema: monitorSchema, Monitor: text, Input: w.input.stored(), Traces: w.traces}
	if w.receiver != nil {
		s.Traces = w.receiver.Seen()
	}
	err = w.file.Fill(context.WithoutCancel(ctx), func(to io.Writer) error { return json.NewEncoder(to).Encode(s) })
	w.dirty = err != nil
	w.file.Exists = true
	if w.file.Mode == 0 {
		w.file.Mode = outfile.PrivateMode
	}
	return err
}
