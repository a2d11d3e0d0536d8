package cli

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/bench"
	"github.com/tribunal-dev/tribunal/report"
)

func (r *run) benchCommand() *cobra.Command {
	command := &cobra.Command{
		Use:   "bench",
		Short: "measure what the methods save, at which error rates, how fast",
		Long: `Measure the methods of this program on simulated agents whose rates are known. Every
command prints the same tables for the same seed, on any machine, but for times.`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(seeHelp(cmd), "unknown command %q of bench", args[0])
			}
			return usage(seeHelp(cmd), "no command of bench is given")
		},
	}
	command.AddCommand(r.benchSavingsCommand(), r.benchCalibrationCommand(), r.benchSpeedCommand())
	return command
}

// benchFlags are those of all commands of bench.
type benchFlags struct {
	short  bool
	csv    bool
	chart  string
	seed   seed
	result resultFlags
}

// register registers the flags; what is drawn is "" where there is no drawing.
func (f *benchFlags) register(flags *pflag.FlagSet, short, drawn string) {
	f.seed = 1
	flags.BoolVar(&f.short, "short", false, short)
	flags.Var(&f.seed, "seed", "seed of everything that is simulated")
	if drawn != "" {
		flags.StringVar(&f.chart, "chart", "", "draw "+drawn+" into this SVG `FILE` too")
	}
	flags.BoolVar(&f.csv, "csv", false, "print CSV, a row for each measurement, instead of text")
	f.result.registerTarget(flags)
}

// files returns where the result and the drawing go, before the work begins.
func (f *benchFlags) files(flags *pflag.FlagSet, args []string) (to, drawing *outputFile, err error) {
	switch {
	case len(args) > 0:
		return nil, nil, usage("leave it out", "bench takes no argument, but there is %q", args[0])
	case f.csv && f.result.json:
		return nil, nil, usage("leave one of them out", "%s and %s are two forms", origin(flags, "csv"), origin(flags, "json"))
	}
	if to, err = f.result.file(nil); err != nil || f.chart == "" {
		return to, nil, err
	}
	drawing, err = chartFile(flags, f.chart, nil, to)
	return to, drawing, err
}

// measurement is what a command of bench measures: a report, and its drawing where it
// has one.
type measurement struct {
	report bench.Report
	draw   func(io.Writer) error
}

// measure checks the flags, measures with the progress on stderr, and writes the
// drawing and the report.
func (f *benchFlags) measure(ctx context.Context, r *run, flags *pflag.FlagSet, args []string, of func(step func(done, all int, part string), drawn bool) (measurement, error)) error {
	to, drawing, err := f.files(flags, args)
	if err != nil {
		return err
	}
	progress := r.newMeasuring()
	var found measurement
	err = await(ctx, func() (err error) {
		found, err = of(progress.step, drawing != nil)
		return err
	})
	progress.end()
	if err != nil {
		return err
	}
	if drawing != nil {
		if err := r.deliver(ctx, drawing, found.draw); err != nil {
			return err
		}
	}
	return f.deliver(ctx, r, to, found.report)
}

// deliver writes a report in the form that is asked for.
func (f *benchFlags) deliver(ctx context.Context, r *run, to *outputFile, found bench.Report) error {
	options := f.result.textOptions(r, to)
	return r.deliver(ctx, to, func(w io.Writer) error {
		switch {
		case f.result.json:
			return report.JSON(w, found)
		case f.csv:
			return found.Records().WriteCSV(w)
		}
		return found.Page().WriteText(w, options.Width)
	})
}

// measuring tells on stderr how far a benchmark is, from its second second on.
type measuring struct{ *progress }

func (r *run) newMeasuring() *measuring {
	m := &measuring{r.newProgress()}
	m.next = m.next.Add(time.Second - progressDelay)
	return m
}

// step notes that so many of so many parts are done, and which is next.
func (m *measuring) step(done, all int, part string) {
	if m.interval == 0 {
		return
	}
	if now := m.now(); !now.Before(m.next) {
		m.next = now.Add(m.interval)
		m.say(fmt.Sprintf("measuring: %d of %d: %s", done, all, part))
	}
}
