package importing

import (
	"context"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/trial"
)

// ofRuns are the flags that say something of the runs that are added to a store.
var ofRuns = []string{"suite", "commit", "branch", "at", "label"}

// adds returns what is known of the runs that are added to a store; nil adds none. A variable that names a store for
// other commands makes no import add to it: a flag does, or one that says what run it was.
func (r *Request) adds(a *world.World) (*store.Run, error) {
	about := ""
	for _, name := range ofRuns {
		if r.Given.Typed(name) && about == "" {
			about = "--" + name
		}
	}
	asked := r.Given.Typed("store") && r.Reading.Store.Name != app.NoStore
	fromStore := slices.ContainsFunc(r.Files, input.IsStored)
	switch {
	case about == "" && (!asked || fromStore):
		return nil, nil
	case fromStore:
		return nil, problem.Usage("tribunal import store:QUERY -o FILE writes them to a file",
			"%s is of runs that are added, and the trials are in a store", about)
	}
	name, err := r.Reading.Store.Named(a, nil)
	if err != nil {
		return nil, err
	}
	if name == "" {
		return nil, problem.Usage("add --store FILE", "%s is of runs that are added to a store, and none is named", about)
	}
	return r.run(a)
}

// run is what is known of the runs.
func (r *Request) run(a *world.World) (*store.Run, error) {
	run := &store.Run{Kind: "import", Suite: r.Suite, Commit: r.Commit, Branch: r.Branch}
	if r.At != "" {
		at, ok := store.ParseTime(r.At, a.Now())
		if !ok {
			return nil, problem.Usage("such as 2026-03-01, 2026-03-01T10:00:00Z or 2d", "%s %s is no time",
				r.Given.Origin("at"), prose.Quote(r.At))
		}
		run.Started = at.UTC()
	}
	for _, label := range r.Labels {
		key, value, ok := strings.Cut(label, "=")
		if !ok || key == "" || value == "" || strings.Contains(label, ",") {
			return nil, problem.Usage("such as --label lane=nightly", "%s %s is not KEY=VALUE, without a comma",
				r.Given.Origin("label"), prose.Quote(label))
		}
		if run.Labels == nil {
			run.Labels = make(map[string]string)
		}
		run.Labels[key] = value
	}
	return run, nil
}

// add adds each file to the store as a run, and writes its trials; w may be nil.
func (r *Request) add(
	ctx context.Context, a *world.World, run store.Run, files []string, o ingest.Options, w io.Writer,
) error {
	opened, err := r.Reading.Store.Required(ctx, a, nil, false)
	if err != nil {
		return err
	}
	defer opened.Close()
	var out *trial.Writer
	if w != nil {
		out = trial.NewWriter(w)
	}
	var done tally
	for _, file := range files {
		run.Stops = nil
		if app.IsJournal(file) {
			if run.Stops, err = app.JournalStops(ctx, file); err != nil {
				return err
			}
		}
		stream, all := evidence.Open(ctx, a, []string{file}, o, nil)
		added, err := opened.Add(ctx, run, done.passing(all, out))
		if err != nil {
			return err
		}
		done.notes = append(done.notes, stream.Notes()...)
		keeping.TellOfKept(a, opened, added)
	}
	if out != nil {
		if err := out.Flush(); err != nil {
			return err
		}
	}
	evidence.NoteEach(a, done.notes)
	a.Notice("note", "%s", done.closing(o))
	return nil
}

// passing are trials that are counted, and written to w unless it is nil, on their way; behind that what looks like a
// key is removed.
func (i *tally) passing(all iter.Seq2[*trial.Trial, error], w *trial.Writer) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		for t, err := range all {
			if err == nil {
				i.count(t)
			}
			if err == nil && w != nil {
				err = w.Write(t)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			kept := t.Clone()
			runner.RemoveKeys(kept)
			if !yield(kept, nil) {
				return
			}
		}
	}
}
