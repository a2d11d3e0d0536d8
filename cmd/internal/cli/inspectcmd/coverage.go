package inspectcmd

import (
	"context"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/report/chart"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// coverageFlags are those of the command coverage.
type coverageFlags struct {
	// "" is the one that is found from the working directory upwards, or none.
	suite string
	// A list of tools in place of that of the suite; "" is that of the suite.
	tools string
	// It counts only where it is given; 0 asks that coverage is measured at all.
	minimum value.Proportion
	variant string
	// "" draws nothing.
	chart string
	// λ is fitted to the trials, and no minimum is compared.
	calibrate bool
	evidence  evidence.Reading
	result    deliver.Target
}

// CoverageCommand has an exit code of 1 and yet no verdict: it measures, and nothing about
// it is a test. That is why it uses with and not judging.
func CoverageCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "coverage TRACES...",
		Short: "what recorded trials have tried of an agent, and what not",
		Long: `Measure how much of what an agent can do recorded trials have tried: the tools
called, the decision paths and states seen, the limits of parameters touched, the
models run on; and name what they have not. Trials need not be judged.

Tools, models, limits, graph, weights and capabilities are declared in a suite; --tools
takes the tools and their limits from an MCP or OpenAI list. What nobody declared
is not measured. Exit code 1 says that the lower limit of the overall coverage is
below the minimum, or that it is not measured; without a minimum the code is 0.`,
		Example: `  tribunal coverage trials.jsonl --tools tools.json
  tribunal coverage small.jsonl large.jsonl --suite tribunal.yaml --minimum 0.8
  tribunal coverage trusted.jsonl --calibrate-lambda
  tribunal coverage trials.jsonl --tools tools.json --chart coverage.svg --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f coverageFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register leaves out the flags of verdicts, such as --on-inconclusive: there is none here.
func (f *coverageFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.suite, "suite", "",
		"`FILE` of the suite that declares what there is to cover (default: tribunal.yaml, from here upwards)")
	flags.StringVar(&f.tools, "tools", "",
		"take tools and their limits from this MCP or OpenAI tool list, a JSON `FILE`")
	flags.Var(&f.minimum, "minimum",
		"exit with 1 unless the overall coverage is at least so much (default: that of the suite, or none)")
	flags.Lookup("minimum").DefValue = ""
	flags.StringVar(&f.variant, "variant", "", "take the trials of this `VARIANT` from the files")
	flags.BoolVar(&f.calibrate, "calibrate-lambda", false,
		"fit lambda, the number of distinct states to expect, to these trials, for the suite")
	flags.StringVar(&f.chart, "chart", "", "draw the dimensions into this SVG `FILE`")
	bind.Reading(flags, &f.evidence)
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of text")
	flags.StringVarP(&f.result.Output, "output", "o", "",
		"write the result to `FILE`, whole or not at all, instead of standard output")
	bind.Reports(flags, &f.result)
}

// execute looks at all files that will be written before it reads the first trial.
func (f *coverageFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string) error {
	if len(files) == 0 {
		return problem.Usage("such as tribunal coverage trials.jsonl --tools tools.json",
			"there are no trials to measure: no file is named")
	}
	if err := evidence.CheckNames(files, f.evidence.Duplicates); err != nil {
		return err
	}
	if f.calibrate && base.Typed(flags, "minimum") {
		return problem.Usage("declare the lambda that is fitted, and measure other trials by it",
			"--minimum does not go with --calibrate-lambda, which measures states by themselves")
	}
	declared, read, err := f.declared(a, flags)
	if err != nil {
		return err
	}
	to, drawing, err := f.files(ctx, a, flags, append(read, files...))
	if err != nil {
		return err
	}
	if err := f.result.Spared(base.Origin(flags, "output"), to, files, f.evidence.EveryFile()); err != nil {
		return err
	}
	if err := evidence.Spared(base.Origin(flags, "chart"), drawing, files, f.evidence.EveryFile()); err != nil {
		return err
	}
	collector, err := coverage.NewCollector(declared)
	if err != nil {
		return problem.BadInput(err.Error(), "compare what the suite declares with the list of tools")
	}
	// Also unjudged trials have called tools.
	options := f.evidence.Options(f.variant, trial.BasicFields|trial.StepFields|trial.ContentFields)
	options.Unjudged = true
	// As one stream, so that a trial that is recorded twice does not count twice.
	options.VariantEachFile = true
	if err := evidence.Read(ctx, a, files, options, evidence.Counted, collector.Add); err != nil {
		return evidence.Naming("variant", err)
	}
	result := collector.Measure()
	// The drawing comes first: when the result is printed, everything is done.
	if drawing != nil {
		draw := func(w io.Writer) error { return chart.CoverageRadar(w, result) }
		if err := a.Deliver(ctx, drawing, draw); err != nil {
			return err
		}
	}
	// The result is written in any case: a minimum that is missed is when it is wanted
	// most.
	err = f.result.Deliver(ctx, a, to, (*verdict.Coverage)(result))
	if err == nil && result.Met != nil && !*result.Met {
		return problem.Decided(exit.Fail)
	}
	return err
}

// declared returns what there is to cover, by the suite and the flags, and the files that
// say so. The flags win over the suite. The names of the files are returned so that no
// output overwrites one of them.
func (f *coverageFlags) declared(a *world.World, flags *pflag.FlagSet) (d coverage.Declared, read []string, err error) {
	s, err := f.load(a)
	if err != nil {
		return d, nil, err
	}
	if s != nil {
		read = append(read, s.File)
		if f.tools != "" { // which then need not be read
			s.Coverage.ToolsFile, s.Coverage.Tools = "", nil
		}
		// This reads the list of tools that the suite names.
		if d, err = s.Declared(); err != nil {
			return d, nil, err
		}
		if s.Coverage.ToolsFile != "" {
			read = append(read, s.Resolve(s.Coverage.ToolsFile))
		}
		if s.Coverage.GraphFile != "" {
			read = append(read, s.Resolve(s.Coverage.GraphFile))
		}
	}
	if f.tools != "" {
		list, err := coverage.LoadTools(f.tools)
		if err != nil {
			return d, nil, err
		}
		d.Use(list)
		read = append(read, f.tools)
	}
	if flags.Changed("minimum") {
		d.Minimum = trial.Some(float64(f.minimum))
	}
	// States that are measured by themselves reach any number that a person may choose, or none.
	if f.calibrate {
		d.FitLambda, d.Minimum = true, trial.Optional[float64]{}
	}
	return d, read, nil
}

// load reads the suite that is named, or found; nil is none. Without a suite nothing is
// declared but by --tools.
func (f *coverageFlags) load(a *world.World) (*suite.Suite, error) {
	if f.suite != "" {
		return suitefile.Load(a, []string{f.suite})
	}
	return suitefile.FindSuite(a)
}

// files returns where the result and the drawing go. Neither may be the other or an input.
// A drawing that was not asked for is nil, as is a result for standard output.
func (f *coverageFlags) files(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, inputs []string,
) (to, drawing *outfile.File, err error) {
	if to, err = f.result.File(ctx, a, inputs); err != nil || f.chart == "" {
		return to, nil, err
	}
	drawing, err = deliver.ChartFile(base.Origin(flags, "chart"), flags.Name(), f.chart, inputs, to)
	for _, file := range f.result.Reports.List {
		if err == nil && file.To.Path == drawing.Path {
			err = problem.Usage("choose another name", "%s and --report name the same file", base.Origin(flags, "chart"))
		}
	}
	return to, drawing, err
}
