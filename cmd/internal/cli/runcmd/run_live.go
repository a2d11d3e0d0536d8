package runcmd

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// liveFlags serve a run while it goes on.
type liveFlags struct {
	listen string // "" serves nothing
}

// anyPort is what --live stands for without an address.
const anyPort = "127.0.0.1:0"

// register registers the flag.
func (f *liveFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.listen, "live", "",
		"serve the run in progress for a browser, on loopback, as --live=`HOST:PORT`; alone on a free port")
	flags.Lookup("live").NoOptDefVal = anyPort
}

// check refuses an address that others reach: a run has no token.
func (f *liveFlags) check() error {
	if f.listen == "" {
		return nil
	}
	remote, err := listen.Address("--live", f.listen)
	if err != nil {
		return err
	}
	if remote {
		return problem.Usage("tribunal serve --journal FILE --token FILE shows it to other machines",
			"--live %q is reached by other machines", f.listen)
	}
	return nil
}

// open serves a journal that is or will be there; end ends it with the run.
func (f *liveFlags) open(ctx context.Context, a *world.World, journal string) (end func(), err error) {
	if f.listen == "" {
		return func() {}, nil
	}
	served, err := listen.Serve(ctx, a, web.Options{Journal: journal, Now: a.Now}, f.listen)
	if err != nil {
		return nil, err
	}
	a.Notice("note", "the run is shown at %s", served.Address)
	return func() { _ = served.End() }, nil // the run is what counts
}
