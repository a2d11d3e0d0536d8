package storecmd

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/listen"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/web"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// serveFlags are those of the command serve.
type serveFlags struct {
	store   app.StoreChoice
	listen  string
	token   string
	journal string
	length  time.Duration
}

// ServeCommand is thin: package web answers.
func ServeCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "serve",
		Short: "show a store and a run in progress in a browser",
		Long: `Serve pages over a store for a browser on this machine: its suites, runs and their
reports, two runs compared, traces with a search, each step by step, the history of a
suite, and baselines. With --journal a run in progress is followed, also without a store.

Nothing can be changed through the pages, and they ask no other server. They are reached
under the printed address alone. Other machines reach them only where --listen names an
address of this one, and with a token: the first line of the file (or pipe) that --token
or TRIBUNAL_TOKEN names is asked for as the password of any user.

The address is printed. It goes on until SIGINT or SIGTERM, or for as long as --for says, with exit code 0.`,
		Example: `  tribunal serve --store runs.db
  tribunal serve --store runs.db --listen 127.0.0.1:8080
  tribunal serve --journal .tribunal/shop.journal.jsonl
  tribunal serve --store runs.db --listen 192.0.2.7:8080 --token token.txt`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f serveFlags
	flags := command.Flags()
	option.Of(flags).Text(base.StoreFlag, &f.store.Name)
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`HOST:PORT` of this machine; port 0 is a free one")
	flags.StringVar(&f.token, "token", "",
		"`FILE` whose first line is asked for; needed where other machines reach --listen")
	flags.StringVar(&f.journal, "journal", "", "follow the run that writes this journal, a `FILE`")
	flags.DurationVar(&f.length, "for", 0, "end after this `DURATION`, such as 10m (default when it is interrupted)")
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// check refuses what cannot be served.
func (f *serveFlags) check(flags *pflag.FlagSet, args []string) error {
	switch {
	case len(args) > 0:
		return problem.Usage("name the store with --store", "serve takes no argument, but there is %q", args[0])
	case flags.Changed("for") && f.length <= 0:
		return problem.Usage("such as --for 10m", "--for must be above 0")
	}
	remote, err := listen.Address("--listen", f.listen)
	if err != nil {
		return err
	}
	if remote && f.token == "" {
		return problem.Usage("listen on 127.0.0.1, or name a file with a token by --token",
			"--listen %q is reached by other machines, and nothing keeps them from reading", f.listen)
	}
	return nil
}

func (f *serveFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags, args); err != nil {
		return err
	}
	o := web.Options{Journal: f.journal, Now: a.Now}
	var err error
	if o.Token, err = listen.ReadToken(ctx, f.token); err != nil {
		return err
	}
	if o.Store, err = f.store.Open(ctx, a, nil, true); err != nil {
		return err
	}
	if o.Store != nil {
		defer o.Store.Close()
	}
	if o.Store == nil && o.Journal == "" {
		return problem.Usage("--store FILE or TRIBUNAL_STORE names a store, and --journal FILE a run",
			"there is nothing to serve")
	}
	served, err := listen.Serve(ctx, a, o, f.listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.Out, served.Address); err != nil {
		_ = served.End() // nobody knows where it is
		return err
	}
	return f.wait(ctx, served)
}

// wait returns when it is time to end: to be interrupted is how it ends.
func (f *serveFlags) wait(ctx context.Context, served *listen.Pages) error {
	var over <-chan time.Time
	if f.length > 0 {
		timer := time.NewTimer(f.length)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-served.Broken:
	case <-ctx.Done():
		cause, signal := errors.AsType[*problem.Signalled](context.Cause(ctx))
		if !signal || cause.Signal == syscall.SIGHUP {
			_ = served.End() // the cause is told
			return context.Cause(ctx)
		}
	}
	return served.End()
}
