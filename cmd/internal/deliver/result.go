package deliver

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/keeping"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/report"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Target says where a result goes, in what form, and which exit code tells it.
type Target struct {
	JSON         bool                                  // or Output ends in .json
	Output       string                                // its ending is the format; "" and "-" are standard output, as text
	Inconclusive trial.Optional[verdict.Verdict]       // whose exit code an inconclusive verdict has
	Rows         int                                   // most rows of the text; JSON does not heed it
	Sign         string                                // a private key that signs what is saved; "" signs nothing
	Explain      bool                                  // the text has the statistics, and every rule of a gate
	Suite        string                                // that was named, for hints; "" if none was
	Continue     func() string                         // the command that continues the run that is judged; may be nil
	Foreign      bool                                  // no journal has the trials that are judged
	Reports      ReportFiles                           // beside where the result itself goes
	format       report.Format                         // of Output
	judged       []string                              // the files, where those are known
	signs        *signature.Key                        // read from Sign; nil until it was
	kept         func(context.Context, verdict.Result) // keeps in a store what was judged; nil keeps nothing
}

// File returns where --output sends the result; nil is standard output. It must
// be none of the inputs, and no report may be it or one of them.
func (t *Target) File(ctx context.Context, a *world.World, inputs []string) (*outfile.File, error) {
	to, err := t.target(ctx, a, inputs)
	if err != nil {
		return nil, err
	}
	others := slices.Clone(inputs)
	if to != nil {
		others = append(others, t.Output)
	}
	return to, t.Reports.Open(others...)
}

// target is File without the reports.
func (t *Target) target(ctx context.Context, a *world.World, inputs []string) (*outfile.File, error) {
	if t.Output == "" || t.Output == "-" {
		if t.Sign != "" {
			return nil, problem.Usage("add --output FILE", "--sign signs a file, and there is none")
		}
		return nil, nil
	}
	t.format, _ = FormatOf(t.Output)
	t.JSON = t.JSON || t.format == report.JSONFormat
	to, err := NewFileBeside("--output", t.Output, inputs)
	if err == nil {
		to.Key, err = t.Key(ctx, a)
	}
	return to, err
}

// Spared is that of all files that the result is written to, once they are known; to is that of --output.
func (t *Target) Spared(flag string, to *outfile.File, inputs []string, every bool) error {
	if err := evidence.Spared(flag, to, inputs, every); err != nil {
		return err
	}
	for _, file := range t.Reports.List {
		if err := evidence.Spared("--report", file.To, inputs, every); err != nil {
			return err
		}
	}
	return nil
}

// NewSaved is NewFileBeside for a result that is saved, as JSON: the name may not end as that of another format.
func NewSaved(flag, path string, inputs ...string) (*outfile.File, error) {
	if f, usual := FormatOf(path); usual && f != report.JSONFormat && f != report.TextFormat {
		saved := strings.TrimSuffix(path, filepath.Ext(path)) + ".json"
		return nil, problem.Usage(
			fmt.Sprintf("%s %s saves it; then tribunal report %s --output %s", flag, saved, saved, path),
			"%s %s would save JSON, and the name says %s", flag, path, f)
	}
	return NewFileBeside(flag, path, inputs)
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

// Open is where the result of a command that reads trials goes, which is none of what it reads, nor anything that its
// next call would; nil is standard output.
func (t *Target) Open(
	ctx context.Context, a *world.World, files []string, r *evidence.ReadOptions,
) (*outfile.File, error) {
	t.judged = slices.DeleteFunc(slices.Clone(files), func(name string) bool { return name == "-" })
	to, err := t.File(ctx, a, files)
	if err != nil {
		return nil, err
	}
	return to, t.Spared("--output", to, files, r.EveryFile())
}

// Spool keeps the trials that a command judges till they are in a store with the result, where they are kept at all;
// it reads the prices before. The caller removes it.
func (t *Target) Spool(
	ctx context.Context, a *world.World, kind string, files []string, r *evidence.ReadOptions,
) (*keeping.Spool, error) {
	if err := r.Pricing.Load(nil); err != nil {
		return nil, err
	}
	s, err := keeping.NewSpool(ctx, &r.Store, a, files)
	if err == nil {
		t.Keeps(a, s, &r.Store, kind)
	}
	return s, err
}

// Exit returns the exit code of a verdict under --on-inconclusive. What could
// never have become Pass is not made one.
func (t *Target) Exit(a *world.World, v verdict.Verdict, reasons []verdict.Reason) int {
	code := v.ExitCode()
	if v != verdict.Inconclusive || !t.Inconclusive.Known || t.Inconclusive.Value == verdict.Inconclusive {
		return code
	}
	if t.Inconclusive.Value == verdict.Pass {
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
	return t.Inconclusive.Value.ExitCode()
}

// Deliver writes the result, as JSON or as text.
func (t *Target) Deliver(ctx context.Context, a *world.World, to *outfile.File, result verdict.Result) error {
	return t.DeliverWith(ctx, a, to, result, t.TextOptions(a, to))
}

// Conclude writes a result that has a verdict, and ends the command with its exit code.
func (t *Target) Conclude(ctx context.Context, a *world.World, to *outfile.File, result verdict.Result) error {
	if err := t.Deliver(ctx, a, to, result); err != nil {
		return err
	}
	if t.kept != nil {
		t.kept(ctx, result)
	}
	return problem.VerdictError(result.Header().ExitCode)
}

// Keeps lets the result be kept in the store with the trials that were judged, if they are.
func (t *Target) Keeps(a *world.World, s *keeping.Spool, to *app.StoreChoice, kind string) {
	if s != nil {
		t.kept = func(ctx context.Context, result verdict.Result) {
			s.Keep(ctx, a, to, store.Run{Kind: kind, Suite: keeping.SuiteHere(a)}, result)
		}
	}
}

// DeliverWith writes the result, as JSON or as text with other options than usual, and before it the reports: a log
// that ends with the result has all of them.
func (t *Target) DeliverWith(
	ctx context.Context, a *world.World, to *outfile.File, result verdict.Result, o report.Options,
) error {
	return t.write(ctx, a, to, o, ofResult(result))
}

// Show writes what is no result where Deliver would write one, and in the same forms.
func (t *Target) Show(ctx context.Context, a *world.World, to *outfile.File, d *report.Document) error {
	return t.write(ctx, a, to, t.TextOptions(a, to), ofDocument(d))
}

// ShowReports writes a document to the files of --report alone.
func (t *Target) ShowReports(ctx context.Context, a *world.World, d *report.Document) error {
	return t.Reports.write(ctx, a, t, ofDocument(d))
}

// ofDocument writes a document.
func ofDocument(d *report.Document) inFormat {
	return func(w io.Writer, f report.Format, o report.Options) error { return f.Document(w, d, o) }
}

// write is DeliverWith for what writes itself in a format.
func (t *Target) write(ctx context.Context, a *world.World, to *outfile.File, o report.Options, in inFormat) error {
	if err := t.Reports.write(ctx, a, t, in); err != nil {
		return err
	}
	format := report.TextFormat
	switch {
	case t.JSON:
		format = report.JSONFormat
	case to != nil:
		format = t.format
	}
	return a.Deliver(ctx, to, func(w io.Writer) error { return in(w, format, o) })
}

// inFormat writes one thing in any format.
type inFormat func(w io.Writer, f report.Format, o report.Options) error

// ofResult writes a result.
func ofResult(result verdict.Result) inFormat {
	return func(w io.Writer, f report.Format, o report.Options) error { return report.Write(w, result, f, o) }
}

// TextOptions are those of the terminal, or of a file.
func (t *Target) TextOptions(a *world.World, to *outfile.File) report.Options {
	// The stream itself, not the writer around it, which is no terminal.
	stream := a.Out.Stream
	if to != nil {
		stream = nil
	}
	s := world.NewScreen(stream, a.Env, a.TerminalWidth)
	return report.Options{Width: s.Width, Colour: s.Color, ASCII: s.Ascii, Rows: t.Rows, Explain: t.Explain,
		Subject: prose.Some(t.judged, 3),
		Rest: func(option string) string {
			switch {
			case t.Foreign && strings.HasPrefix(option, "Trial "):
			case option != "Continue":
				return problem.RestFlag(t.Suite, option)
			case t.Continue != nil:
				return t.Continue()
			}
			return ""
		}}
}
