package importing

import (
	"context"
	"io"

	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// Request asks to turn logs into trials.
type Request struct {
	Files      []string // or folders, or patterns; - is standard input
	Reading    evidence.ReadOptions
	Scenario   ingest.ScenarioRule // the zero rule leaves the scenario to the format
	Pass       ingest.PassRule     // the zero rule judges nothing
	ToolErrors ingest.ErrorPattern // the zero pattern matches nothing
	Variant    string              // "" leaves what the format says
	Rejudge    bool                // judges what passed or failed by Pass, too
	Strict     bool                // refuses records that are not understood
	Output     string              // file; "" is standard output
	List       bool                // prints the formats, and reads no files

	// What is said of the runs that are added to a store.
	Suite, Commit, Branch, At string
	Labels                    []string // KEY=VALUE

	Given value.GivenOptions // the options that were given
}

// check refuses flags that do not go together. A variable gives way to a flag.
func (r *Request) check() error {
	given := r.Given
	switch {
	case r.List && len(r.Files) > 0:
		return problem.Usage("omit them", "%s reads no files", given.Origin("list-formats"))
	case r.List:
		return nil
	case len(r.Files) == 0:
		return problem.Usage("name files or folders; - is standard input", "there is nothing to import")
	// A variable for it is ignored where there is no rule.
	case given.Typed("rejudge") && r.Rejudge && !given.Has("pass-when"):
		return problem.Usage("add --pass-when RULE", "--rejudge needs a rule to judge by")
	// Where one is typed and the other a variable, the typed one wins; see options.
	case given.Has("pass-when") && given.Has("pass-score") && given.Typed("pass-when") == given.Typed("pass-score"):
		return problem.Usage("write score>= in the rule, and omit --pass-score",
			"%s and %s both say what passes", given.Origin("pass-when"), given.Origin("pass-score"))
	}
	return evidence.CheckNames(r.Files, r.Reading.Duplicates)
}

// options say how the trials are read. All variants are, and what nobody judged.
func (r *Request) options() ingest.Options {
	o := r.Reading.Options("", 0)
	// Unlike commands that judge: choosing is left to them. Numbered gives every trial
	// without a number the next one of its scenario.
	o.AllVariants, o.Unjudged, o.Numbered = true, true, true
	o.Scenario, o.SetVariant, o.ToolErrors, o.Strict = r.Scenario, r.Variant, r.ToolErrors, r.Strict
	if r.Given.Has("pass-when") && !r.Given.Typed("pass-score") {
		o.Pass, o.Rejudge, o.PassScore = r.Pass, r.Rejudge, trial.Optional[float64]{}
	}
	return o
}

// Import writes while it reads, as the trials need not fit into memory.
func Import(ctx context.Context, a *world.World, r Request) error {
	if err := r.check(); err != nil {
		return err
	}
	if r.List {
		return listFormats(ctx, a)
	}
	o := r.options()
	files, err := evidence.FilesOf(ctx, a, r.Files, o)
	if err != nil {
		return err
	}
	adds, err := r.adds(a)
	if err != nil {
		return err
	}
	// The checks of other outputs hold here too: no input is overwritten.
	to, err := (&deliver.Target{Output: r.Output}).File(ctx, a, files)
	if err != nil {
		return err
	}
	// Trials are read again whatever folder they lie in.
	if err := evidence.Spared("--output", to, r.Files, true); err != nil {
		return err
	}
	var done tally
	// Standard output cannot be taken back, so what breaks off there is marked; a file
	// appears whole or not at all and needs no mark.
	switch {
	case adds != nil && to == nil:
		return r.add(ctx, a, *adds, files, o, nil)
	case adds != nil:
		return to.Fill(ctx, func(w io.Writer) error { return r.add(ctx, a, *adds, files, o, w) })
	case to == nil:
		done, err = importTo(ctx, a, a.Out, files, o, true)
	default:
		err = to.Fill(ctx, func(w io.Writer) (err error) {
			done, err = importTo(ctx, a, w, files, o, false)
			return err
		})
	}
	if err != nil {
		return err
	}
	// Only once all is written: a count of trials that nobody has would mislead.
	done.tell(a, o)
	return nil
}

// importTo writes the trials of the files. If that fails when some were written, the
// rest being lost, marked lets the last line be one that is refused.
func importTo(
	ctx context.Context, a *world.World, w io.Writer, files []string, o ingest.Options, marked bool,
) (done tally, err error) {
	out := &outfile.StartedWriter{W: w}
	if err := done.write(ctx, a, out, files, o); err != nil {
		if out.Started && marked {
			io.WriteString(w, outfile.CutMark) // if that fails too, there is nothing else to do
		}
		return tally{}, err
	}
	return done, nil
}

// write writes the trials and counts them.
func (i *tally) write(ctx context.Context, a *world.World, w io.Writer, files []string, o ingest.Options) error {
	stream, all := evidence.Open(ctx, a, files, o, evidence.Counted)
	trials := trial.NewWriter(w)
	for t, err := range all {
		if err != nil {
			return err
		}
		i.count(t)
		if err := trials.Write(t); err != nil {
			return err
		}
	}
	// They are complete when the stream has ended.
	i.notes = stream.Notes()
	return trials.Flush()
}
