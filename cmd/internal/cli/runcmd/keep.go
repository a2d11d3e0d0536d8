package runcmd

import (
	"context"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/session"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/verdict"
)

// keepPatience is for how long a command that was interrupted waits for its store.
const keepPatience = 3 * time.Second

// KeepRun adds a run to the store, with the trials of its journal. The result is known and counts: what keeps it from
// being added is a warning. A nil result is that of a run which was interrupted.
func (f *RunFlags) KeepRun(ctx context.Context, a *world.World, o *Outcome, result verdict.Result) {
	if ctx.Err() != nil {
		// What was gathered is kept for the next time, though not for as long as others would wait.
		defer session.Of(ctx).Tend()()
		var end context.CancelFunc
		ctx, end = context.WithTimeout(context.WithoutCancel(ctx), keepPatience)
		defer end()
	}
	opened, err := f.Store.Open(ctx, a, o.Suite, false)
	if err == nil && opened == nil {
		return
	}
	if err == nil {
		defer opened.Close()
		err = f.addTo(ctx, a, opened, o, result)
	}
	if err != nil {
		wrong, _ := problem.Explain(err)
		a.Warn("the run is not in the store: " + wrong)
	}
}

// addTo is KeepRun of a store that is open.
func (f *RunFlags) addTo(
	ctx context.Context, a *world.World, to *store.Store, o *Outcome, result verdict.Result,
) error {
	r := keeping.Run(a, f.Kind, o.Suite, o.Scenarios)
	r.Changed, r.Started = f.changed, o.Began
	if result != nil {
		if err := keeping.DecideOn(&r, result); err != nil {
			return err
		}
	}
	added, some, err := app.AddJournal(ctx, to, r, o.Journal)
	if err == nil && some {
		keeping.TellOfKept(a, to, added)
	}
	return err
}
