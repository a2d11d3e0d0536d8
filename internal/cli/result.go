package cli

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/store"
	"github.com/tribunal-dev/tribunal/verdict"
)

// resultFlags say where a result goes, in what form, and which exit code tells it.
type resultFlags struct {
	// Text unless it is given.
	json bool
	// "" and "-" are standard output.
	output string
	// What the exit code of an inconclusive verdict is to be; Inconclusive unless it is
	// given.
	inconclusive word[verdict.Verdict]
	// Most rows of the text; JSON does not heed it.
	scenarios count
	// A private key that signs what is saved; "" signs nothing.
	sign  string
	signs *signature.Key // read from it; nil until it was
	// The text has the statistics, and every rule of a gate.
	explain bool
	reports reportFiles                           // beside where the result itself goes
	kept    func(context.Context, verdict.Result) // keeps in a store what was judged; nil keeps nothing
}

// register registers the flags of a result that is a verdict.
func (f *resultFlags) register(flags *pflag.FlagSet) {
	f.registerTarget(flags)
	f.registerReports(flags)
	f.registerRest(flags)
}

// registerReports registers the flag of further files. The result of a command is wanted in several places, and
// none of them has to be made from another.
func (f *resultFlags) registerReports(flags *pflag.FlagSet) {
	flags.Var(&f.reports, "report",
		"write the result to a file too, as `FORMAT=FILE`; may be given again; FORMAT as in tribunal report")
}

// registerForm registers the flags of a result that is no verdict.
func (f *resultFlags) registerForm(flags *pflag.FlagSet) {
	// Twenty is chosen, about a screen; the text says how many more there are.
	f.scenarios = count{value: 20, least: 1, most: math.MaxInt32}
	f.registerTarget(flags)
	flags.Var(&f.scenarios, "scenarios", "most rows of scenarios in the text")
}

// registerTarget registers the flags of the form of a result and where it goes.
func (f *resultFlags) registerTarget(flags *pflag.FlagSet) {
	flags.BoolVar(&f.json, "json", false, "print one JSON document instead of text")
	flags.StringVarP(&f.output, "output", "o", "",
		"write the result to `FILE`, whole or not at all, instead of standard output")
	f.registerSign(flags)
}

// registerRest registers the flags of a verdict beside those of where it goes. run and gate
// have these with an --output of their own.
func (f *resultFlags) registerRest(flags *pflag.FlagSet) {
	f.inconclusive = word[verdict.Verdict]{
		kind: "VERDICT", words: []verdict.Verdict{verdict.Pass, verdict.Fail, verdict.Inconclusive},
	}
	f.scenarios = count{value: 20, least: 1, most: math.MaxInt32}
	flags.Var(&f.inconclusive, "on-inconclusive",
		f.inconclusive.usage("exit code of an inconclusive verdict, which stays the verdict"))
	flags.Var(&f.scenarios, "scenarios", "most rows of scenarios in the text")
	f.registerExplain(flags)
}

// registerExplain registers the flag that shows what the text leaves out: only the results of judges have any.
func (f *resultFlags) registerExplain(flags *pflag.FlagSet) {
	flags.BoolVar(&f.explain, "explain", false, "show the statistics in the text too, and every rule of a gate")
}

// file returns where --output sends the result; nil is standard output. It must
// be none of the inputs, and no report may be it or one of them.
func (f *resultFlags) file(ctx context.Context, a *App, inputs []string) (*outputFile, error) {
	to, err := f.target(ctx, a, inputs)
	if err != nil {
		return nil, err
	}
	others := slices.Clone(inputs)
	if to != nil {
		others = append(others, f.output)
	}
	return to, f.reports.open(others...)
}

// target is file without the reports.
func (f *resultFlags) target(ctx context.Context, a *App, inputs []string) (*outputFile, error) {
	if f.output == "" || f.output == "-" {
		if f.sign != "" {
			return nil, usage("add --output FILE", "--sign signs a file, and there is none")
		}
		return nil, nil
	}
	to, err := newFileBeside("--output", f.output, inputs)
	if err == nil {
		to.key, err = f.key(ctx, a)
	}
	return to, err
}

// spared is that of all files that the result is written to, once they are known; to is that of --output.
func (f *resultFlags) spared(flag string, to *outputFile, inputs []string, every bool) error {
	if err := spared(flag, to, inputs, every); err != nil {
		return err
	}
	for _, file := range f.reports.list {
		if err := spared("--report", file.to, inputs, every); err != nil {
			return err
		}
	}
	return nil
}

// newFileBeside is newOutputFile for a file that must be none of the inputs.
func newFileBeside(flag, path string, inputs []string) (*outputFile, error) {
	for _, input := range inputs {
		if sameFile(path, input) {
			return nil, usage("choose another name", "%s %s would overwrite the input", flag, path)
		}
	}
	return newOutputFile(flag, path)
}

// exit returns the exit code of a verdict under --on-inconclusive. What could
// never have become Pass is not made one.
func (f *resultFlags) exit(a *App, v verdict.Verdict, reasons []verdict.Reason) int {
	code := v.ExitCode()
	if v != verdict.Inconclusive || f.inconclusive.value == verdict.Inconclusive {
		return code
	}
	if f.inconclusive.value == verdict.Pass {
		// No trials at all, or a design that cannot reach Pass: a run of nothing must not
		// turn green.
		for _, reason := range reasons {
			if reason.Code == verdict.CodeNoTrials || reason.Code == verdict.CodePassUnreachable {
				a.notice("warning", "--on-inconclusive pass does not apply, the exit code stays %d: %s", code,
					reason.Text)
				return code
			}
		}
	}
	return f.inconclusive.value.ExitCode()
}

// deliver writes the result, as JSON or as text.
func (f *resultFlags) deliver(ctx context.Context, a *App, to *outputFile, result verdict.Result) error {
	return f.deliverWith(ctx, a, to, result, f.textOptions(a, to))
}

// conclude writes a result that has a verdict, and ends the command with its exit code.
func (f *resultFlags) conclude(ctx context.Context, a *App, to *outputFile, result verdict.Result) error {
	if err := f.deliver(ctx, a, to, result); err != nil {
		return err
	}
	if f.kept != nil {
		f.kept(ctx, result)
	}
	return decided(result.Header().ExitCode)
}

// keeps lets the result be kept in the store with the trials that were judged, if they are.
func (f *resultFlags) keeps(a *App, s *spool, to *storeFlags, kind string) {
	if s != nil {
		f.kept = func(ctx context.Context, result verdict.Result) {
			s.keep(ctx, a, to, store.Run{Kind: kind, Suite: suiteHere(a)}, result)
		}
	}
}

// deliverWith writes the result, as JSON or as text with other options than usual, and before it the reports: a log
// that ends with the result has all of them.
func (f *resultFlags) deliverWith(
	ctx context.Context, a *App, to *outputFile, result verdict.Result, o report.Options,
) error {
	if err := f.reports.write(ctx, a, result, f); err != nil {
		return err
	}
	format := report.TextFormat
	if f.json {
		format = report.JSONFormat
	}
	return a.deliver(ctx, to, func(w io.Writer) error { return report.Write(w, result, format, o) })
}

// textOptions are those of the terminal, or of a file.
func (f *resultFlags) textOptions(a *App, to *outputFile) report.Options {
	// The stream itself, not the writer around it, which is no terminal.
	stream := a.stdout.w
	if to != nil {
		stream = nil
	}
	s := newScreen(stream, a.Env, a.TerminalWidth)
	return report.Options{Width: s.width, Colour: s.color, ASCII: s.ascii, Rows: f.scenarios.value, Explain: f.explain,
		Rest: restFlag}
}
