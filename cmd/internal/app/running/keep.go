package running

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
func (r *Request) KeepRun(ctx context.Context, a *world.World, o *Outcome, result verdict.Result) {
	r.keep(ctx, a, o, result, nil)
}

// KeepRun is that of a request, with what changed of the agent.
func (f *run) KeepRun(ctx context.Context, a *world.World, o *Outcome, result verdict.Result) {
	f.keep(ctx, a, o, result, f.changed)
}

func (r *Request) keep(
	ctx context.Context, a *world.World, o *Outcome, result verdict.Result, changed []string,
) {
	if ctx.Err() != nil {
		// What was gathered is kept for the next time, though not for as long as others would wait.
		defer session.Of(ctx).Tend()()
		var end context.CancelFunc
		ctx, end = context.WithTimeout(context.WithoutCancel(ctx), keepPatience)
		defer end()
	}
	opened, err := r.Store.Open(ctx, a, o.Suite, false)
	if err == nil && opened == nil {
		return
	}
	if err == nil {
		defer opened.Close()
		err = r.addTo(ctx, a, opened, o, result, changed)
	}
	if err != nil {
		wrong, _ := problem.Explain(err)
		a.Warn("the run is not in the store: " + wrong)
	}
}

// addTo is keep of a store that is open.
func (r *Request) addTo(
	ctx context.Context, a *world.World, to *store.Store, o *Outcome, result verdict.Result, changed []string,
) error {
	is := keeping.Run(a, r.Kind, o.Suite, o.Scenarios)
	is.Changed, is.Started = changed, o.Began
	if result != nil {
		if err := keeping.DecideOn(&is, result); err != nil {
			return err
		}
	}
	added, some, err := app.AddJournal(ctx, to, is, o.Journal)
	if err == nil && some {
		keeping.TellOfKept(a, to, added)
	}
	return err
}
