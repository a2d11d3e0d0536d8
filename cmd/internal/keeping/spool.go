package keeping

import (
	"context"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Spool keeps the trials that a command judges in a temporary file, until it is known what comes of them. The methods
// of nil do nothing.
type Spool struct {
	session *session.Session
	file    *os.File
	trials  *trial.Writer
	version string // of trials that name none, or that of the side before; "" is the usual one
	before  string // the version of the side before; "" is none
	last    string // the version of the last trial
	stops   []recording.Stop
	err     error // the first one
}

// NewSpool returns one for a command that adds what it judges to the store: where a flag or a variable names one, and
// its trials are not from a store already. It is nil where nothing is added.
func NewSpool(ctx context.Context, f *app.StoreChoice, a *world.World, files []string) (*Spool, error) {
	if a.Guest != nil || f.Name == "" || f.Name == app.NoStore || len(files) == 0 ||
		slices.ContainsFunc(files, input.IsStored) {
		return nil, nil
	}
	s := &Spool{session: session.Of(ctx)}
	var err error
	s.file, err = s.session.Create(ctx, func() (*os.File, error) { return os.CreateTemp("", "tribunal-*.jsonl") })
	if err != nil {
		return nil, &problem.WriteError{Target: "a temporary file", Err: err}
	}
	s.trials = trial.NewWriter(s.file)
	return s, nil
}

// Remove removes the file.
func (s *Spool) Remove(ctx context.Context) {
	if s == nil {
		return
	}
	s.file.Close()
	_ = s.session.Settle(ctx, s.file.Name(), func() error { return os.Remove(s.file.Name()) })
}

// Take keeps a trial, without what looks like a key.
func (s *Spool) Take(t *trial.Trial) {
	if s == nil || s.err != nil {
		return
	}
	kept := t.Clone()
	runner.RemoveKeys(kept)
	if kept.Variant == "" || kept.Variant == s.before {
		kept.Variant = s.version
	}
	s.last = kept.Variant
	s.err = s.trials.Write(kept)
}

// Turn begins a side of a comparison, whose version is its name where the trials tell none of its own.
func (s *Spool) Turn(side string) {
	if s != nil {
		s.version, s.before = side, s.last
	}
}

// Stopped takes in how tests stopped the trials of what was read.
func (s *Spool) Stopped(notes []ingest.Notes) {
	if s == nil {
		return
	}
	for _, stop := range app.StopsToKeep(notes) {
		if stop.Variant == "" || stop.Variant == s.before {
			stop.Variant = s.version
		}
		s.stops = append(s.stops, stop)
	}
}

// spoolKey is that of the spool in a context in which trials are read.
type spoolKey struct{}

// Spooled returns a context in which what is read goes into the spool as well.
func Spooled(ctx context.Context, s *Spool) context.Context {
	return context.WithValue(ctx, spoolKey{}, s)
}

// SpoolOf is the spool of a context; nil is none.
func SpoolOf(ctx context.Context) *Spool {
	s, _ := ctx.Value(spoolKey{}).(*Spool)
	return s
}

// Keep adds the trials to the store as one run, with what came of them; a nil result is none. What was done counts:
// what keeps it from being added is a warning.
func (s *Spool) Keep(ctx context.Context, a *world.World, to *app.StoreChoice, r store.Run, result verdict.Result) {
	if s == nil {
		return
	}
	r.Stops = s.stops
	err := s.err
	if err == nil && result != nil {
		err = DecideOn(&r, result)
	}
	if err == nil {
		err = s.add(ctx, a, to, r)
	}
	if err != nil {
		wrong, _ := problem.Explain(err)
		a.Warn("the trials are not in the store: " + wrong)
	}
}

// add adds the trials as a run.
func (s *Spool) add(ctx context.Context, a *world.World, to *app.StoreChoice, r store.Run) error {
	if err := s.trials.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	opened, err := to.Required(ctx, a, nil, false)
	if err != nil {
		return err
	}
	defer opened.Close()
	added, err := opened.Add(ctx, r, s.all())
	if err == nil {
		TellOfKept(a, opened, added)
	}
	return err
}

// all are the trials that were kept.
func (s *Spool) all() iter.Seq2[*trial.Trial, error] {
	return trial.Read(s.file, trial.Options{File: s.file.Name(), Unjudged: true, MaxLineBytes: mostSpooledLine})
}

// mostSpooledLine is how long a record may be that was read before: as long as any that a line can hold.
const mostSpooledLine = 1 << 30

// SuiteHere is the name of the suite that is found from the working directory upwards, which gives a command its
// levels; "" is none.
func SuiteHere(a *world.World) string {
	file, err := app.FindSuite()
	if err != nil || file == "" {
		return ""
	}
	s, err := app.LoadSuite(a.Opening, file)
	if err != nil {
		return ""
	}
	return s.Name
}
