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
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/trial"
)

// fingerprintFlags are those of the command fingerprint.
type fingerprintFlags struct {
	evidence evidence.Reading
	// Only where it goes; the forms are CSV, the default, and JSON.
	result deliver.Target
	csv    bool
	chart  string
	// One scenario for all, so that trials which are the only ones of theirs can be drawn.
	pooled bool
	seed   value.Seed
	// By side; "" is the only one of the file.
	variants [2]string
}

// sideNames are what the sides of a comparison are called.
var sideNames = [2]string{"baseline", "candidate"}

// FingerprintCommand is for people who want to see what the test of behaviour sees: compare
// decides, this prints what it decides on. So it has no verdict.
func FingerprintCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "fingerprint BASELINE [CANDIDATE]",
		Short: "print how each trial behaved, as numbers, and draw a map of them",
		Long: `Print the vectors of recorded trials: a line for each trial with the share of its
steps by tool and by action, the number of steps, tokens, cost and more, each in its
own unit. Unknown values are empty (null in JSON). Trials need no outcome.

With --chart the trials are drawn on the first two principal axes: those of one file
with the columns that spread them, those of two with the columns that separate the
sides, and with what the test of both says.`,
		Example: `  tribunal fingerprint main.jsonl candidate.jsonl > vectors.csv
  tribunal fingerprint main.jsonl candidate.jsonl --chart behaviour.svg -o vectors.csv
  tribunal fingerprint traces.jsonl --json`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f fingerprintFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register names the output anew, as what is written are vectors and no result.
func (f *fingerprintFlags) register(flags *pflag.FlagSet) {
	f.seed = 1
	flags.BoolVar(&f.csv, "csv", false, "print CSV, which is the default")
	flags.BoolVar(&f.result.JSON, "json", false, "print one JSON document instead of CSV")
	flags.StringVar(&f.chart, "chart", "", "draw the trials into this SVG `FILE` too")
	flags.BoolVar(&f.pooled, "pooled", false, "let the chart take all trials for those of one scenario")
	flags.Var(&f.seed, "seed", "seed of the test that the chart tells the outcome of")
	for i, side := range sideNames {
		flags.StringVar(&f.variants[i], side+"-variant", "", "take the trials of this `VARIANT` as the "+side)
	}
	bind.Reading(flags, &f.evidence)
	flags.StringVarP(&f.result.Output, "output", "o", "",
		"write the vectors to `FILE`, whole or not at all, instead of standard output")
}

// check refuses flags and files that do not go together.
func (f *fingerprintFlags) check(flags *pflag.FlagSet, files []string) error {
	// What was typed, in contrast to what a variable says, which may be meant for other
	// commands.
	given := func(name string) bool { return flags.Changed(name) && base.Origin(flags, name) == "--"+name }
	switch {
	case len(files) == 0:
		return problem.Usage("name one file, or a baseline and a candidate", "there are no trials to print")
	case len(files) > 2:
		return problem.Usage("name a folder for each side, or join its files with tribunal import first",
			"fingerprint takes a baseline and a candidate, but there are %d files", len(files))
	case len(files) == 1 && given("candidate-variant"):
		return problem.Usage("name the file twice, or leave the flag out",
			"--candidate-variant needs a second file, and there is only %s", files[0])
	case f.csv && f.result.JSON && given("csv") == given("json"):
		return problem.Usage("leave one of them out", "%s and %s both say what to print", base.Origin(flags, "csv"),
			base.Origin(flags, "json"))
	case f.chart == "" && given("pooled"):
		return problem.Usage("leave it out", "--pooled is for --chart")
	case f.chart == "" && given("seed"):
		return problem.Usage("leave it out", "--seed is for --chart")
	}
	f.result.JSON = f.result.JSON && !given("csv") // a flag wins over a variable
	return evidence.CheckNames(files, true)
}

// execute reads both sides whole before it writes: the columns of the table are those of
// both together.
func (f *fingerprintFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string) error {
	if err := f.check(flags, files); err != nil {
		return err
	}
	to, err := f.result.File(ctx, a, files)
	if err != nil {
		return err
	}
	if err := evidence.Spared("--output", to, files, f.evidence.EveryFile()); err != nil {
		return err
	}
	var drawing *outfile.File
	if f.chart != "" {
		if drawing, err = deliver.ChartFile(base.Origin(flags, "chart"), flags.Name(), f.chart, files, to); err != nil {
			return err
		}
		if err := evidence.Spared(base.Origin(flags, "chart"), drawing, files, f.evidence.EveryFile()); err != nil {
			return err
		}
	}
	var table behaviourTable
	for i, file := range files {
		side, err := f.read(ctx, a, flags, file, i)
		if err != nil {
			return err
		}
		table = append(table, side)
	}
	if drawing != nil {
		if err := f.draw(ctx, a, drawing, table); err != nil {
			return err
		}
	}
	return a.Deliver(ctx, to, func(w io.Writer) error {
		if f.result.JSON {
			return report.JSON(w, table.document())
		}
		return table.writeCSV(w)
	})
}

// read reads the trials of one side.
func (f *fingerprintFlags) read(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, file string, i int,
) (*behaviourSide, error) {
	side := &behaviourSide{name: sideNames[i], file: prose.FileName(file)}
	options := f.evidence.Options(f.variants[i], trial.BasicFields|trial.StepFields|trial.ContentFields)
	options.Unjudged = true
	if err := evidence.Read(ctx, a, []string{file}, options, evidence.Kept, side.add); err != nil {
		return nil, evidence.Naming(sideNames[i]+"-variant", err)
	}
	// Such trials broke off, and their number of steps or tokens is not what they would
	// have had.
	switch lost := side.sample.Errors(); {
	case side.sample.Len() == 0:
		return nil, problem.BadInput(side.file+" holds no trial that did not end in an error",
			"such trials were cut off at some point and say nothing about behaviour")
	case lost > 0:
		a.Notice("warning", "%s: trials that ended in an error are left out, %d of %d", side.file, lost,
			lost+side.sample.Len())
	}
	return side, nil
}
