package deliver

import (
	"context"
	"io"
	"math"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Flags say where a result goes, in what form, and which exit code tells it.
type Flags struct {
	// Text unless it is given.
	Json bool
	// "" and "-" are standard output.
	Output string
	// What the exit code of an inconclusive verdict is to be; Inconclusive unless it is
	// given.
	inconclusive value.Word[verdict.Verdict]
	// Most rows of the text; JSON does not heed it.
	Scenarios value.Count
	// A private key that signs what is saved; "" signs nothing.
	sign  string
	signs *signature.Key // read from it; nil until it was
	// The text has the statistics, and every rule of a gate.
	explain bool
	Reports ReportFiles                           // beside where the result itself goes
	kept    func(context.Context, verdict.Result) // keeps in a store what was judged; nil keeps nothing
}

// Register registers the flags of a result that is a verdict.
func (f *Flags) Register(flags *pflag.FlagSet) {
	f.RegisterTarget(flags)
	f.RegisterReports(flags)
	f.RegisterRest(flags)
}

// RegisterReports registers the flag of further files. The result of a command is wanted in several places, and
// none of them has to be made from another.
func (f *Flags) RegisterReports(flags *pflag.FlagSet) {
	flags.Var(&f.Reports, "report",
		"write the result to a file too, as `FORMAT=FILE`; may be given again; FORMAT as in tribunal report")
}

// RegisterForm registers the flags of a result that is no verdict.
func (f *Flags) RegisterForm(flags *pflag.FlagSet) {
	// Twenty is chosen, about a screen; the text says how many more there are.
	f.Scenarios = value.Count{Value: 20, Least: 1, Most: math.MaxInt32}
	f.RegisterTarget(flags)
	flags.Var(&f.Scenarios, "scenarios", "most rows of scenarios in the text")
}

// RegisterTarget registers the flags of the form of a result and where it goes.
func (f *Flags) RegisterTarget(flags *pflag.FlagSet) {
	flags.BoolVar(&f.Json, "json", false, "print one JSON document instead of text")
	flags.StringVarP(&f.Output, "output", "o", "",
		"write the result to `FILE`, whole or not at all, instead of standard output")
	f.RegisterSign(flags)
}

// RegisterRest registers the flags of a verdict beside those of where it goes. run and gate
// have these with an --output of their own.
func (f *Flags) RegisterRest(flags *pflag.FlagSet) {
	f.inconclusive = value.Word[verdict.Verdict]{
		Kind: "VERDICT", Words: []verdict.Verdict{verdict.Pass, verdict.Fail, verdict.Inconclusive},
	}
	f.Scenarios = value.Count{Value: 20, Least: 1, Most: math.MaxInt32}
	flags.Var(&f.inconclusive, "on-inconclusive",
		f.inconclusive.Usage("exit code of an inconclusive verdict, which stays the verdict"))
	flags.Var(&f.Scenarios, "scenarios", "most rows of scenarios in the text")
	f.RegisterExplain(flags)
}

// RegisterExplain registers the flag that shows what the text leaves out: only the results of judges have any.
func (f *Flags) RegisterExplain(flags *pflag.FlagSet) {
	flags.BoolVar(&f.explain, "explain", false, "show the statistics in the text too, and every rule of a gate")
}

// File returns where --output sends the result; nil is standard output. It must
// be none of the inputs, and no report may be it or one of them.
func (f *Flags) File(ctx context.Context, a *world.World, inputs []string) (*outfile.File, error) {
	to, err := f.target(ctx, a, inputs)
	if err != nil {
		return nil, err
	}
	others := slices.Clone(inputs)
	if to != nil {
		others = append(others, f.Output)
	}
	return to, f.Reports.Open(others...)
}

// target is File without the reports.
func (f *Flags) target(ctx context.Context, a *world.World, inputs []string) (*outfile.File, error) {
	if f.Output == "" || f.Output == "-" {
		if f.sign != "" {
			return nil, problem.Usage("add --output FILE", "--sign signs a file, and there is none")
		}
		return nil, nil
	}
	to, err := NewFileBeside("--output", f.Output, inputs)
	if err == nil {
		to.Key, err = f.Key(ctx, a)
	}
	return to, err
}

// Spared is that of all files that the result is written to, once they are known; to is that of --output.
func (f *Flags) Spared(flag string, to *outfile.File, inputs []string, every bool) error {
	if err := evidence.Spared(flag, to, inputs, every); err != nil {
		return err
	}
	for _, file := range f.Reports.List {
		if err := evidence.Spared("--report", file.To, inputs, every); err != nil {
			return err
		}
	}
	return nil
}

// NewFileBeside is New for a file that must be none of the inputs.
func NewFileBeside(flag, path string, inputs []string) (*outfile.File, error) {
	for _, input := range inputs {
		if evidence.SameFile(path, input) {
			return nil, problem.Usage("choose another name", "%s %s would overwrite the input", flag, path)
		}
	}
	return outfile.New(flag, path)
}

// Exit returns the exit code of a verdict under --on-inconclusive. What could
// never have become Pass is not made one.
func (f *Flags) Exit(a *world.World, v verdict.Verdict, reasons []verdict.Reason) int {
	code := v.ExitCode()
	if v != verdict.Inconclusive || f.inconclusive.Value == verdict.Inconclusive {
		return code
	}
	if f.inconclusive.Value == verdict.Pass {
		// No trials at all, or a design that cannot reach Pass: a run of nothing must not
		// turn green.
		for _, reason := range reasons {
			if reason.Code == verdict.CodeNoTrials || reason.Code == verdict.CodePassUnreachable {
				a.Notice("warning", "--on-inconclusive pass does not apply, the exit code stays %d: %s", code,
					reason.Text)
				return code
			}
		}
	}
	return f.inconclusive.Value.ExitCode()
}

// Deliver writes the result, as JSON or as text.
func (f *Flags) Deliver(ctx context.Context, a *world.World, to *outfile.File, result verdict.Result) error {
	return f.DeliverWith(ctx, a, to, result, f.TextOptions(a, to))
}

// Conclude writes a result that has a verdict, and ends the command with its exit code.
func (f *Flags) Conclude(ctx context.Context, a *world.World, to *outfile.File, result verdict.Result) error {
	if err := f.Deliver(ctx, a, to, result); err != nil {
		return err
	}
	if f.kept != nil {
		f.kept(ctx, result)
	}
	return problem.Decided(result.Header().ExitCode)
}

// Keeps lets the result be kept in the store with the trials that were judged, if they are.
func (f *Flags) Keeps(a *world.World, s *keeping.Spool, to *app.StoreChoice, kind string) {
	if s != nil {
		f.kept = func(ctx context.Context, result verdict.Result) {
			s.Keep(ctx, a, to, store.Run{Kind: kind, Suite: keeping.SuiteHere(a)}, result)
		}
	}
}

// DeliverWith writes the result, as JSON or as text with other options than usual, and before it the reports: a log
// that ends with the result has all of them.
func (f *Flags) DeliverWith(
	ctx context.Context, a *world.World, to *outfile.File, result verdict.Result, o report.Options,
) error {
	if err := f.Reports.Write(ctx, a, result, f); err != nil {
		return err
	}
	format := report.TextFormat
	if f.Json {
		format = report.JSONFormat
	}
	return a.Deliver(ctx, to, func(w io.Writer) error { return report.Write(w, result, format, o) })
}

// TextOptions are those of the terminal, or of a file.
func (f *Flags) TextOptions(a *world.World, to *outfile.File) report.Options {
	// The stream itself, not the writer around it, which is no terminal.
	stream := a.Out.Stream
	if to != nil {
		stream = nil
	}
	s := world.NewScreen(stream, a.Env, a.TerminalWidth)
	return report.Options{Width: s.Width, Colour: s.Color, ASCII: s.Ascii, Rows: f.Scenarios.Value, Explain: f.explain,
		Rest: problem.RestFlag}
}
