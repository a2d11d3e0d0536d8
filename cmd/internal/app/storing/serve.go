package storing

import (
	"context"
	"fmt"
	"time"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// ServeRequest asks for pages over a store, and over a run in progress.
type ServeRequest struct {
	Store   app.StoreChoice
	Listen  string             // HOST:PORT
	Token   string             // file of the password; "" asks for none
	Journal string             // of the run; "" is none
	For     time.Duration      // after which it ends; 0 goes on until it is interrupted
	Given   value.GivenOptions // the options that were given
}

// check refuses what cannot be served.
func (r *ServeRequest) check() error {
	if r.Given.Has("for") && r.For <= 0 {
		return problem.Usage("such as --for 10m", "--for must be above 0")
	}
	remote, err := listen.Address("--listen", r.Listen)
	if err != nil {
		return err
	}
	if remote && r.Token == "" {
		return problem.Usage("listen on 127.0.0.1, or name a file with a token by --token",
			"--listen %q is reached by other machines, and nothing keeps them from reading", r.Listen)
	}
	return nil
}

// Serve serves the pages until it is interrupted: package web answers.
func Serve(ctx context.Context, a *world.World, r ServeRequest) error {
	if err := r.check(); err != nil {
		return err
	}
	o := web.Options{Journal: r.Journal, Now: a.Now}
	var err error
	if o.Token, err = listen.ReadToken(ctx, r.Token); err != nil {
		return err
	}
	if o.Store, err = r.Store.Open(ctx, a, nil, true); err != nil {
		return err
	}
	if o.Store != nil {
		defer o.Store.Close()
	}
	if o.Store == nil && o.Journal == "" {
		return problem.Usage("--store FILE or TRIBUNAL_STORE names a store, and --journal FILE a run",
			"there is nothing to serve")
	}
	served, err := listen.Serve(ctx, a, o, r.Listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.Out, served.Address); err != nil {
		_ = served.End() // nobody knows where it is
		return err
	}
	if err := listen.Wait(ctx, r.For, served.Broken); err != nil {
		_ = served.End() // the cause is told
		return err
	}
	return served.End()
}
