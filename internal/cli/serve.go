package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/web"
)

// serveFlags are those of the command serve.
type serveFlags struct {
	store   storeFlags
	listen  string
	token   string
	journal string
	length  time.Duration
}

// serveCommand is thin: package web answers.
func (a *App) serveCommand() *cobra.Command {
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
	f.store.register(flags, "show this store")
	flags.StringVar(&f.listen, "listen", "127.0.0.1:0", "`HOST:PORT` of this machine; port 0 is a free one")
	flags.StringVar(&f.token, "token", "",
		"`FILE` whose first line is asked for; needed where other machines reach --listen")
	flags.StringVar(&f.journal, "journal", "", "follow the run that writes this journal, a `FILE`")
	flags.DurationVar(&f.length, "for", 0, "end after this `DURATION`, such as 10m (default when it is interrupted)")
	command.RunE = a.with(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// check refuses what cannot be served.
func (f *serveFlags) check(flags *pflag.FlagSet, args []string) error {
	switch {
	case len(args) > 0:
		return usage("name the store with --store", "serve takes no argument, but there is %q", args[0])
	case flags.Changed("for") && f.length <= 0:
		return usage("such as --for 10m", "--for must be above 0")
	}
	remote, err := listenAddress("--listen", f.listen)
	if err != nil {
		return err
	}
	if remote && f.token == "" {
		return usage("listen on 127.0.0.1, or name a file with a token by --token",
			"--listen %q is reached by other machines, and nothing keeps them from reading", f.listen)
	}
	return nil
}

func (f *serveFlags) execute(ctx context.Context, a *App, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags, args); err != nil {
		return err
	}
	o := web.Options{Journal: f.journal, Now: a.Now}
	var err error
	if o.Token, err = readToken(ctx, f.token); err != nil {
		return err
	}
	if o.Store, err = f.store.open(ctx, a, nil, true); err != nil {
		return err
	}
	if o.Store != nil {
		defer o.Store.Close()
	}
	if o.Store == nil && o.Journal == "" {
		return usage("--store FILE or TRIBUNAL_STORE names a store, and --journal FILE a run", "there is nothing to serve")
	}
	served, err := a.serving(ctx, o, f.listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.stdout, served.address); err != nil {
		_ = served.end() // nobody knows where it is
		return err
	}
	return f.wait(ctx, served)
}

// wait returns when it is time to end: to be interrupted is how it ends.
func (f *serveFlags) wait(ctx context.Context, served *servedPages) error {
	var over <-chan time.Time
	if f.length > 0 {
		timer := time.NewTimer(f.length)
		defer timer.Stop()
		over = timer.C
	}
	select {
	case <-over:
	case <-served.broken:
	case <-ctx.Done():
		cause, signal := errors.AsType[*signalled](context.Cause(ctx))
		if !signal || cause.signal == syscall.SIGHUP {
			_ = served.end() // the cause is told
			return context.Cause(ctx)
		}
	}
	return served.end()
}

// servedPages are pages that are served while something else goes on.
type servedPages struct {
	address string // of the first page
	cancel  context.CancelFunc
	broken  chan struct{} // closed when it has ended
	err     error         // why, where it ended by itself; read after broken
}

// end ends it, and returns why it could not be served.
func (s *servedPages) end() error {
	if s == nil {
		return nil
	}
	s.cancel()
	<-s.broken
	return s.err
}

// serving begins to serve pages. The end of the context alone does not end it.
func (a *App) serving(ctx context.Context, o web.Options, listen string) (*servedPages, error) {
	server, err := web.New(o)
	if err != nil {
		return nil, err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", listen)
	if err != nil {
		return nil, unavailable(fmt.Sprintf("nothing can listen on %s: %v", listen, err), "port 0 is a free one")
	}
	within, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s := &servedPages{address: fmt.Sprintf("http://%s/", listener.Addr()), cancel: cancel, broken: make(chan struct{})}
	go func() {
		defer close(s.broken)
		s.err = server.Serve(within, listener)
	}()
	return s, nil
}
