package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"time"

	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/store"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict"
)

// keptIDDigits are those of the ID of a run that are shown: as many as tell a billion runs apart.
const keptIDDigits = 16

// keepPatience is for how long a command that was interrupted waits for its store.
const keepPatience = 3 * time.Second

// runToKeep is what is known of a run of a suite beside its trials.
func (a *App) runToKeep(kind string, s *suite.Suite, scenarios []suite.Scenario) store.Run {
	names := make([]string, len(scenarios))
	for i, c := range scenarios {
		names[i] = c.Name
	}
	folder := filepath.Dir(s.File)
	return store.Run{
		Kind: kind, Suite: s.Name, Task: s.Task().Select(names).Digest, Agent: agentDigest(s),
		Commit: app.Commit(folder, a.Env.get), Branch: app.Branch(folder, a.Env.get), Build: app.Build(a.Env.get),
	}
}

// decideOn gives a run the result of its command, as it is saved.
func decideOn(r *store.Run, result verdict.Result) error {
	var text bytes.Buffer
	if err := report.JSON(&text, result); err != nil {
		return err
	}
	h := result.Header()
	r.Result = &store.Result{Name: h.Schema, Text: text.Bytes()}
	if h.Judged {
		r.Verdict = h.Verdict.String()
	}
	return nil
}

// keepRun adds a run to the store, with the trials of its journal. The result is known and counts: what keeps it from
// being added is a warning. A nil result is that of a run which was interrupted.
func (f *runFlags) keepRun(ctx context.Context, a *App, o *outcome, result verdict.Result) {
	if ctx.Err() != nil {
		// What was gathered is kept for the next time, though not for as long as others would wait.
		defer sessionOf(ctx).tend()()
		var end context.CancelFunc
		ctx, end = context.WithTimeout(context.WithoutCancel(ctx), keepPatience)
		defer end()
	}
	opened, err := f.store.open(ctx, a, o.suite, false)
	if err == nil && opened == nil {
		return
	}
	if err == nil {
		defer opened.Close()
		err = f.addTo(ctx, a, opened, o, result)
	}
	if err != nil {
		problem, _ := explain(err)
		a.warn("the run is not in the store: " + problem)
	}
}

// addTo is keepRun of a store that is open.
func (f *runFlags) addTo(ctx context.Context, a *App, to *store.Store, o *outcome, result verdict.Result) error {
	r := a.runToKeep(f.kind, o.suite, o.scenarios)
	r.Changed, r.Started = f.changed, o.began
	if result != nil {
		if err := decideOn(&r, result); err != nil {
			return err
		}
	}
	added, some, err := app.AddJournal(ctx, to, r, o.journal)
	if err == nil && some {
		a.tellOfKept(to, added)
	}
	return err
}

// tellOfKept says which run of the store it is.
func (a *App) tellOfKept(s *store.Store, added store.Added) {
	what := "is in"
	switch {
	case added.Known:
		what = "was already in"
	case added.Replaced:
		what = "goes on in"
	}
	a.notice("note", "run %.*s, %s, %s %s", keptIDDigits, added.ID, prose.Count(added.Trials, "trial"), what, prose.FileName(s.String()))
}
