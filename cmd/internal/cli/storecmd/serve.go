package storecmd

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app/storing"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
)

// ServeCommand shows a store in a browser.
func ServeCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "serve",
		Short: "show a store and a run in progress in a browser",
		Long: `Serve pages over a store for a browser on this machine: its suites, runs and their
reports, two runs compared, traces with a search, each step by step, the history of a
suite, and baselines. With --journal a run in progress is followed, also without a store;
where neither is named, the latest run in this folder is shown.

Nothing can be changed through the pages, and they ask no other server. They are reached
under the printed address alone. Other machines reach them only where --listen names an
address of this one, and with a token: the first line of the file (or pipe) that --token
or TRIBUNAL_TOKEN names is asked for as the password of any user.

The address is printed. It goes on until SIGINT or SIGTERM, or for as long as --for says, with exit code 0.`,
		Example: `  tribunal store serve --store runs.db
  tribunal store serve --store runs.db --listen 127.0.0.1:8080
  tribunal store serve --journal .tribunal/shop.journal.jsonl
  tribunal store serve --store runs.db --listen 192.0.2.7:8080 --token token.txt`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	r := storing.ServeRequest{Listen: "127.0.0.1:0"}
	o := option.Of(command.Flags())
	o.Text(base.StoreFlag, &r.Store.Name)
	o.Text("listen", &r.Listen)
	o.Text("token", &r.Token)
	o.Text("journal", &r.Journal)
	o.Duration("for", &r.For)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		if len(args) > 0 {
			return problem.Usage("name the store with --store", "store serve takes no argument, but there is %q", args[0])
		}
		r.Given = base.GivenOf(flags)
		return storing.Serve(ctx, a, r)
	})
	return command
}
