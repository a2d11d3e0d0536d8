package cli

import (
	"context"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// spool keeps the trials that a command judges in a temporary file, until it is known what comes of them. The methods of
// nil do nothing.
type spool struct {
	session *session
	file    *os.File
	trials  *trial.Writer
	version string // of trials that name none, or that of the side before; "" is the usual one
	before  string // the version of the side before; "" is none
	last    string // the version of the last trial
	stops   []recording.Stop
	err     error // the first one
}

// spool returns one for a command that adds what it judges to the store: where a flag or a variable names one, and its
// trials are not from a store already. It is nil where nothing is added.
func (f *storeFlags) spool(ctx context.Context, a *App, files []string) (*spool, error) {
	if a.guest != nil || f.name == "" || f.name == noStore || len(files) == 0 || slices.ContainsFunc(files, input.IsStored) {
		return nil, nil
	}
	s := &spool{session: sessionOf(ctx)}
	var err error
	s.file, err = s.session.create(ctx, func() (*os.File, error) { return os.CreateTemp("", "tribunal-*.jsonl") })
	if err != nil {
		return nil, &writeError{"a temporary file", err}
	}
	s.trials = trial.NewWriter(s.file)
	return s, nil
}

// remove removes the file.
func (s *spool) remove(ctx context.Context) {
	if s == nil {
		return
	}
	s.file.Close()
	_ = s.session.settle(ctx, s.file.Name(), func() error { return os.Remove(s.file.Name()) })
}

// take keeps a trial, without what looks like a key.
func (s *spool) take(t *trial.Trial) {
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

// turn begins a side of a comparison, whose version is its name where the trials tell none of its own.
func (s *spool) turn(side string) {
	if s != nil {
		s.version, s.before = side, s.last
	}
}

// stopped takes in how tests stopped the trials of what was read.
func (s *spool) stopped(notes []ingest.Notes) {
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

// spooled returns a context in which what is read goes into the spool as well.
func spooled(ctx context.Context, s *spool) context.Context {
	return context.WithValue(ctx, spoolKey{}, s)
}

// spoolOf is the spool of a context; nil is none.
func spoolOf(ctx context.Context) *spool {
	s, _ := ctx.Value(spoolKey{}).(*spool)
	return s
}

// keep adds the trials to the store as one run, with what came of them; a nil result is none. What was done counts: what
// keeps it from being added is a warning.
func (s *spool) keep(ctx context.Context, a *App, to *storeFlags, r store.Run, result verdict.Result) {
	if s == nil {
		return
	}
	r.Stops = s.stops
	err := s.err
	if err == nil && result != nil {
		err = decideOn(&r, result)
	}
	if err == nil {
		err = s.add(ctx, a, to, r)
	}
	if err != nil {
		problem, _ := explain(err)
		a.warn("the trials are not in the store: " + problem)
	}
}

// add adds the trials as a run.
func (s *spool) add(ctx context.Context, a *App, to *storeFlags, r store.Run) error {
	if err := s.trials.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	opened, err := to.required(ctx, a, nil, false)
	if err != nil {
		return err
	}
	defer opened.Close()
	added, err := opened.Add(ctx, r, s.all())
	if err == nil {
		a.tellOfKept(opened, added)
	}
	return err
}

// all are the trials that were kept.
func (s *spool) all() iter.Seq2[*trial.Trial, error] {
	return trial.Read(s.file, trial.Options{File: s.file.Name(), Unjudged: true, MaxLineBytes: mostSpooledLine})
}

// mostSpooledLine is how long a record may be that was read before: as long as any that a line can hold.
const mostSpooledLine = 1 << 30

// suiteHere is the name of the suite that is found from the working directory upwards, which gives a command its levels;
// "" is none.
func suiteHere(a *App) string {
	file, err := app.FindSuite()
	if err != nil || file == "" {
		return ""
	}
	s, err := app.LoadSuite(a.opening, file)
	if err != nil {
		return ""
	}
	return s.Name
}
