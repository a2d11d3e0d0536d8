package running

import (
	"context"

	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// checkLive refuses an address that others reach: a run has no token.
func (f *run) checkLive() error {
	if f.Live == "" {
		return nil
	}
	remote, err := listen.Address("--live", f.Live)
	if err != nil {
		return err
	}
	if remote {
		return problem.Usage("tribunal store serve --journal FILE --token FILE shows it to other machines",
			"--live %q is reached by other machines", f.Live)
	}
	return nil
}

// serveLive serves a journal that is or will be there, once the run is planned; end ends it with the run.
func (f *run) serveLive(ctx context.Context, a *world.World, journal string) (planned, end func(), err error) {
	if f.Live == "" {
		return func() {}, func() {}, nil
	}
	done := make(chan struct{})
	served, err := listen.Serve(ctx, a, web.Options{Journal: journal, Planned: done, Now: a.Now}, f.Live)
	if err != nil {
		return nil, nil, err
	}
	a.Notice("live", "the run is shown at %s", served.Address)      // also without notes: nobody can guess it
	return func() { close(done) }, func() { _ = served.End() }, nil // the run is what counts
}
