package cli

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/report"
)

// Experiment is a command that measures something, such as error rates on simulated
// agents, in place of judging trials.
type Experiment struct {
	Name    string // of the command
	Summary string // what it measures, in a line of a list
	Text    string // the same in full, for its help
	Example string // command lines, each indented by two blanks

	Short string // what --short does
	Long  string // what --long does
	Drawn string // what --chart draws; "" where there is no drawing
	// Agents is what --agents does, with the name of its value in backquotes; "" where no agents can be run.
	Agents string

	// Run measures. It returns the context's error where that ends.
	Run func(context.Context, ExperimentOptions) (*Finding, error)
}

// ExperimentOptions say how much is measured.
type ExperimentOptions struct {
	Short bool   // less than usual; never together with Long
	Long  bool   // more than usual
	Seed  uint64 // of everything that is simulated
	Drawn bool   // a drawing is asked for

	Agents   *ExperimentAgents // that are to be run; nil where none are
	Recorded string            // file of trials in place of simulated ones; "" is none

	// Progress is told how many of the parts are done, of how many, and which is next.
	// It is not nil.
	Progress func(done, all int, part string)
}

// ExperimentAgents are agents that are run for an experiment, and what that may take.
type ExperimentAgents struct {
	File        string  // of their suite
	Trials      int     // of each scenario of each variant
	MaxCostUSD  float64 // of all of them; 0 is no limit
	Concurrency int     // trials at once
	Resume      bool    // continue what was begun
}

// Finding is what an experiment found, in every form.
type Finding struct {
	Document any                                  // as JSON
	Text     func(w io.Writer, columns int) error // for people, in lines of at most so many columns
	CSV      func(w io.Writer) error              // a row for each measurement
	SVG      func(w io.Writer) error              // the drawing; nil where there is none
	ExitCode int                                  // [ExitPass], or [ExitFail] where a promise is broken
}

// runExperiments runs one of these commands.
func runExperiments(
	ctx context.Context, a world.World, program, text string, experiments []Experiment, args []string,
) int {
	return base.Run(ctx, a, args, func(a *world.World) *cobra.Command {
		root := &cobra.Command{Use: program, Long: text, RunE: base.NoCommand(a)}
		for _, e := range experiments {
			root.AddCommand(experimentCommand(a, e))
		}
		return base.Dressed(a, root, program+" help "+experiments[0].Name)
	}, root)
}

// experimentCommand gives every experiment the same flags and streams, whatever it
// measures.
func experimentCommand(a *world.World, e Experiment) *cobra.Command {
	command := &cobra.Command{
		Use:                   e.Name,
		Short:                 e.Summary,
		Long:                  e.Text,
		Example:               e.Example,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := experimentFlags{Experiment: e}
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// experimentFlags are those of every experiment.
type experimentFlags struct {
	// Embedded for what the flags say in the help, and for Run.
	Experiment
	short bool
	long  bool
	// Not together with the JSON of the result.
	csv bool
	// "" draws nothing; there is no such flag where Drawn is "".
	chart  string
	seed   uint64
	result deliver.Target
	// Of agents that are run or were; there are no such flags where Agents is "".
	agents      string
	recorded    string
	trials      int
	maxCost     float64
	concurrency int
	resume      bool
}

func (f *experimentFlags) register(flags *pflag.FlagSet) {
	f.seed = 1
	o := option.For("experiment", flags)
	flags.BoolVar(&f.short, "short", false, f.Short)
	flags.BoolVar(&f.long, "long", false, f.Long)
	option.Bind(o, "seed", &f.seed, option.Seed)
	if f.Drawn != "" {
		flags.StringVar(&f.chart, "chart", "", "draw "+f.Drawn+" into this SVG `FILE` too")
	}
	if f.Agents != "" {
		f.trials, f.concurrency = 100, 1
		flags.StringVar(&f.agents, "agents", "", f.Agents)
		flags.StringVar(&f.recorded, "recorded", "", "read the trials of the recording in `FILE` in place of simulated ones")
		option.Bind(o, "trials", &f.trials, option.Count(20, 10_000))
		option.Bind(o, "max-cost", &f.maxCost, option.Amount)
		option.Bind(o, "concurrency", &f.concurrency, option.Count(1, 1000))
		o.Switch("resume", &f.resume)
	}
	o.Switch("csv", &f.csv)
	bind.Target(flags, &f.result)
}

// files returns where the result and the drawing go, before the work begins.
func (f *experimentFlags) files(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string,
) (to, drawing *outfile.File, err error) {
	for _, pair := range []struct {
		both bool
		a, b string
	}{{f.csv && f.result.JSON, "csv", "json"}, {f.short && f.long, "short", "long"},
		{f.agents != "" && f.recorded != "", "agents", "recorded"}} {
		if pair.both {
			return nil, nil, problem.Usage("omit one of them", "%s and %s are two forms", base.Origin(flags, pair.a),
				base.Origin(flags, pair.b))
		}
	}
	if len(args) > 0 {
		return nil, nil, problem.Usage("omit it", "%s takes no argument, but there is %q", f.Name, args[0])
	}
	if f.agents == "" {
		for _, name := range []string{"trials", "max-cost", "concurrency", "resume"} {
			if flag := flags.Lookup(name); flag != nil && flag.Changed && base.Origin(flags, name) == "--"+name {
				return nil, nil, problem.Usage("add --agents FILE", "--%s is of agents that are run", name)
			}
		}
	}
	if to, err = f.result.File(ctx, a, nil); err != nil || f.chart == "" {
		return to, nil, err
	}
	drawing, err = deliver.ChartFile(base.Origin(flags, "chart"), flags.Name(), f.chart, nil, to)
	return to, drawing, err
}

// execute checks the flags, measures with the progress on stderr, and writes the drawing
// and the result.
func (f *experimentFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	to, drawing, err := f.files(ctx, a, flags, args)
	if err != nil {
		return err
	}
	progress := a.NewMeasuring()
	options := ExperimentOptions{
		Short: f.short, Long: f.long, Seed: f.seed, Drawn: drawing != nil, Recorded: f.recorded, Progress: progress.Step,
	}
	if f.agents != "" {
		options.Agents = &ExperimentAgents{f.agents, f.trials, f.maxCost, f.concurrency, f.resume}
	}
	found, err := f.Run(ctx, options)
	// Before the error, if there is one, which must not share a line with the progress.
	progress.End()
	if err != nil {
		return err
	}
	// What took minutes is not lost for a drawing that cannot be made.
	err = f.deliver(ctx, a, to, found)
	if drawing != nil {
		if problem := a.Deliver(ctx, drawing, found.SVG); err == nil {
			err = problem
		}
	}
	if err != nil || found.ExitCode == ExitPass {
		return err
	}
	return problem.VerdictError(found.ExitCode)
}

// deliver writes what was found in the form that is asked for.
func (f *experimentFlags) deliver(ctx context.Context, a *world.World, to *outfile.File, found *Finding) error {
	options := f.result.TextOptions(a, to)
	return a.Deliver(ctx, to, func(w io.Writer) error {
		switch {
		case f.result.JSON:
			return report.JSON(w, found.Document)
		case f.csv:
			return found.CSV(w)
		}
		return found.Text(w, options.Width)
	})
}
