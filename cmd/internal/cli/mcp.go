package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/app/looking"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/looks"
	"github.com/tribunal-dev/tribunal/cmd/internal/mcpserver"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// mcpFlags are those of the command mcp: what a person allows agents that ask.
type mcpFlags struct {
	root      string
	allowRun  bool
	maxCost   float64
	maxTrials int
	alpha     float64
	session   string
	ledger    string
}

// mcpCommand is thin: package mcpserver has the tools, and each of them is a command of this tree.
func mcpCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "mcp",
		Short: "let coding agents ask for verdicts, by the Model Context Protocol",
		Long: `Serve the Model Context Protocol on standard input and output. A coding agent calls tools
where a person types commands: check, plan, verdict, compare, gate and explain; with
--allow-run and a budget also run. The resources are the saved results and the methods.

Files are read in one folder only. No program is started without --allow-run. The only file
that is written counts the analyses: each analysis of a task uses part of the error level
before it is judged, so that the chance of a false yes in any of them is at most --alpha,
however often an agent asks. --session names the analyses that share the level.`,
		Example: `  tribunal mcp
  claude mcp add tribunal -- tribunal mcp --root .
  tribunal mcp --allow-run --max-cost 5 --max-trials 500`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f mcpFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *mcpFlags) register(flags *pflag.FlagSet) {
	f.alpha, f.session = verdict.DefaultAlpha, "default"
	o := option.Of(flags)
	o.Text("root", &f.root)
	o.Switch("allow-run", &f.allowRun)
	option.Bind(o, "max-cost", &f.maxCost, option.Amount)
	option.Bind(o, "max-trials", &f.maxTrials, option.Count(1, value.MaxTrials))
	option.Bind(o, "alpha", &f.alpha, option.Risk)
	base.NotOfSuite(flags, "alpha") // that of the folder gives it, and none above
	o.Text("session", &f.session)
	o.Text("ledger", &f.ledger)
}

func (f *mcpFlags) check(flags *pflag.FlagSet, args []string) error {
	budget := f.maxCost > 0 || f.maxTrials > 0
	switch {
	case len(args) > 0:
		return problem.Usage("name the folder with --root", "mcp takes no argument, but there is %q", args[0])
	case f.allowRun && !budget:
		return problem.Usage("add --max-cost USD, --max-trials N, or both", "--allow-run needs a budget")
	case !f.allowRun && budget:
		return problem.Usage("add --allow-run", "a budget is for runs, and none is allowed")
	}
	return nil
}

func (f *mcpFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags, args); err != nil {
		return err
	}
	ledger := f.ledger
	if ledger != "" && ledger != looking.NoLedger {
		path, err := filepath.Abs(ledger)
		if err != nil {
			return problem.Usage("", "--ledger %q cannot be used: %v", ledger, err)
		}
		ledger = path
	}
	// Names in answers lead from the folder.
	if f.root != "" {
		if err := os.Chdir(f.root); err != nil {
			return problem.Usage("name a folder", "--root %q cannot be used: %v", f.root, problem.WithoutPath(err))
		}
	}
	if err := f.levelOfFolder(a, flags); err != nil {
		return err
	}
	switch ledger {
	case looking.NoLedger:
		ledger = ""
	case "":
		// Where it cannot be made, every answer says that looks are not counted.
		_ = outfile.WorkFolder(app.WorkFolder)
		ledger = filepath.Join(app.WorkFolder, looks.File)
	}
	server, err := mcpserver.New(mcpserver.Options{
		Root: ".", Level: f.alpha, Session: f.session, Ledger: ledger,
		AllowRun: f.allowRun, MaxCostUSD: f.maxCost, MaxTrials: f.maxTrials,
		Version: a.Version, Now: a.Now,
		Command:  func(ctx context.Context, c mcpserver.Call) mcpserver.Reply { return answer(ctx, a, c) },
		Describe: optionsOf(),
	})
	if err != nil {
		return err
	}
	defer server.Close() // nothing was written through it
	a.Notice("note", "an MCP client is awaited on standard input")
	return server.Serve(ctx, io.NopCloser(a.Stdin), unclosedWriter{a.Out})
}

// optionsOf says what the help says of an option of a command.
func optionsOf() func(command, flag string) string {
	commands := root(new(world.World).Complete())
	return func(name, flag string) string {
		command, _, err := commands.Find([]string{name})
		if err != nil {
			panic(err) // of the tools of package mcpserver
		}
		return option.About(command.Flags().Lookup(flag))
	}
}

// levelOfFolder takes the level from the suite of the folder, where there is one and no flag says otherwise.
func (f *mcpFlags) levelOfFolder(a *world.World, flags *pflag.FlagSet) error {
	if _, err := os.Stat(suite.FileName); err != nil || flags.Changed("alpha") {
		return nil
	}
	s, err := app.LoadSuite(a.Opening, suite.FileName)
	if err != nil {
		return err
	}
	f.alpha = s.Test.Alpha
	a.Notice("note", "%s gives --alpha %v", suite.FileName, s.Test.Alpha)
	return nil
}

// unclosedWriter is an output that stays open: the process closes its own.
type unclosedWriter struct{ io.Writer }

func (unclosedWriter) Close() error { return nil }

// answer runs one command for a guest, as [App.Run] runs one for a person.
func answer(ctx context.Context, a *world.World, c mcpserver.Call) mcpserver.Reply {
	var stdout, stderr bytes.Buffer
	g := &world.Guest{Spend: func(look world.GuestLook) (int, error) { return c.Spend(mcpserver.Look(look)) }}
	if c.MaxTrials > 0 {
		g.Trials = trial.Some(c.MaxTrials)
	}
	if c.Progress != nil {
		g.Progress = func(p runner.Progress) {
			c.Progress(mcpserver.Progress{
				Test: p.Test, Trials: p.Trials, Failures: p.Failures, Most: p.MaxTrials,
				Attempts: p.Spent.Attempts + p.InFlight, USD: p.Spent.CostUSD,
			})
		}
	}
	inner := world.World{
		Stdout: &stdout, Stderr: &stderr, Now: a.Now, Version: a.Version, Guest: g,
		// The flags of a guest are its own; what a build server says of the commit stays.
		Env: func(name string) (string, bool) {
			if strings.HasPrefix(name, world.EnvironmentName("")) || a.Env == nil {
				return "", false
			}
			return a.Env(name)
		},
		TerminalWidth: func(io.Writer) (int, bool) { return 0, false },
	}
	code := base.Run(ctx, inner, c.Arguments, asked, root)
	return mcpserver.Reply{Output: stdout.String(), Messages: stderr.String(), Code: code}
}
