package importcmd

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
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/trial"
)

// importFlags are those of the command import.
type importFlags struct {
	evidence evidence.Reading
	// The zero rule leaves the scenario to the format.
	scenario value.Rule[ingest.ScenarioRule]
	// The zero rule judges nothing.
	pass value.Rule[ingest.PassRule]
	// The zero pattern matches nothing.
	toolErrors value.Rule[ingest.ErrorPattern]
	// "" leaves what the format says.
	variant string
	rejudge bool
	strict  bool
	// It is not among Flags: what is written are trials and no result.
	output string
	list   bool
	// What is said of the runs that are added to a store.
	suite, commit, branch, at string
	labels                    []string // KEY=VALUE
}

// ImportCommand reads as the judging commands do and writes what was read, so that a rule
// is applied once, in the open, and the judged file can be looked at.
func ImportCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "import FILE...",
		Short: "turn other tools' logs into trials, one JSON object a line",
		Long: `Turn logs of agents and evaluation tools into trials, one JSON object a line. The
format is told from the content. FILE may be a folder: its files in a known format
are read, and those of the folders in it. A pattern in quotes, such as
'runs/**/*.json', stands for the files that it matches; ** is any depth. Notes on
stderr say what was read.

--scenario-from says what was tried, where the format does not:
  path                 the name of the file
  path:PATTERN         a group of the pattern, in the path of the file
  attribute:KEY        a tag of the trial, such as attribute:metadata.task_id
  regex:PATTERN        a group of the pattern, in the name that the format gives
The group is the only one, or the one named scenario: (?P<scenario>...). Groups
named trial and variant give those. Else a trial's number is its order.

--pass-when says what passed, where the format does not: conditions with and
between them, or with or.
  score>=0.5           also > <= < ==
  attribute:KEY=VALUE  also > >= < <= of numbers, and ~PATTERN
  output~PATTERN       or output=TEXT, of the last answer
  no-error             no step failed
  tool:NAME            the tool was called
A trial of which a condition is unknown stays unjudged.

With --store the trials of each file are added to a store as a run, and written with
-o alone. The same file again changes nothing. --suite, --commit, --branch, --at and
--label say what run it was, --as which version was tried.`,
		Example: `  tribunal import runs/ -o trials.jsonl --scenario-from 'path:([^/]+)/[^/]+$'
  tribunal import traces.json -o trials.jsonl --pass-when 'output~booked and no-error'
  tribunal import log.eval --scorer match --variant main | tribunal verdict - --threshold 0.8
  tribunal import nightly/*.xml --store runs.db --suite shop --as v2 --label lane=nightly
  tribunal import --list-formats`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	var f importFlags
	f.register(command.Flags())
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// register has its own order: first what import alone has, then what all reading commands
// have.
func (f *importFlags) register(flags *pflag.FlagSet) {
	f.scenario = value.Rule[ingest.ScenarioRule]{Kind: "RULE", Parse: ingest.ParseScenarioRule}
	f.pass = value.Rule[ingest.PassRule]{Kind: "RULE", Parse: ingest.ParsePassRule}
	f.toolErrors = value.Rule[ingest.ErrorPattern]{Kind: "PATTERN", Parse: ingest.ParseErrorPattern}
	flags.StringVarP(&f.output, "output", "o", "",
		"write the trials to `FILE`, all or none, instead of standard output")
	flags.Var(&f.scenario, "scenario-from", "where the scenario of a trial is found")
	flags.StringVar(&f.variant, "variant", "", "all trials are of this `VARIANT`")
	flags.Var(&f.pass, "pass-when", "when a trial passes whose log does not tell")
	flags.BoolVar(&f.rejudge, "rejudge", false, "judge trials that passed or failed by --pass-when, too")
	flags.Var(&f.toolErrors, "pattern-errors", "outputs of tools that match are errors of theirs")
	flags.BoolVar(&f.strict, "strict", false, "refuse records that are not understood, instead of counting them")
	bind.Reading(flags, &f.evidence)
	flags.StringVar(&f.suite, "suite", "", "the runs in the store are of the suite of this `NAME`")
	flags.StringVar(&f.commit, "commit", "", "the runs in the store are of this `COMMIT`")
	flags.StringVar(&f.branch, "branch", "", "the runs in the store are of this `BRANCH`")
	flags.StringVar(&f.at, "at", "",
		"`TIME` at which the runs in the store began, such as 2026-03-01 or 2d for that long ago "+
			"(default that of their first trial)")
	flags.StringArrayVar(&f.labels, "label", nil,
		"the runs in the store have this label, as `KEY=VALUE`; may be given again")
	flags.BoolVar(&f.list, "list-formats", false, "print the formats that are read")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "as" { // in a store a variant is a version
			name = "variant"
		}
		return pflag.NormalizedName(name)
	})
}

// check refuses flags that do not go together. A variable gives way to a flag.
func (f *importFlags) check(flags *pflag.FlagSet, args []string) error {
	given := func(name string) bool { return flags.Changed(name) && base.Origin(flags, name) == "--"+name }
	switch {
	case f.list && len(args) > 0:
		return problem.Usage("leave them out", "%s reads no files", base.Origin(flags, "list-formats"))
	case f.list:
		return nil
	case len(args) == 0:
		return problem.Usage("name files or folders; - is standard input", "there is nothing to import")
	// A variable for it is ignored where there is no rule.
	case given("rejudge") && f.rejudge && !flags.Changed("pass-when"):
		return problem.Usage("add --pass-when RULE", "--rejudge needs a rule to judge by")
	// Where one is typed and the other a variable, the typed one wins; see options.
	case flags.Changed("pass-when") && flags.Changed("pass-score") && given("pass-when") == given("pass-score"):
		return problem.Usage("write score>= in the rule, and leave --pass-score out",
			"%s and %s both say what passes", base.Origin(flags, "pass-when"), base.Origin(flags, "pass-score"))
	}
	return evidence.CheckNames(args, f.evidence.Duplicates)
}

// options say how the trials are read. All variants are, and what nobody judged.
func (f *importFlags) options(flags *pflag.FlagSet) ingest.Options {
	o := f.evidence.Options("", 0)
	// Unlike commands that judge: choosing is left to them. Numbered gives every trial
	// without a number the next one of its scenario.
	o.AllVariants, o.Unjudged, o.Numbered = true, true, true
	o.Scenario, o.SetVariant, o.ToolErrors, o.Strict = f.scenario.Value, f.variant, f.toolErrors.Value, f.strict
	byScore := flags.Changed("pass-score") && base.Origin(flags, "pass-score") == "--pass-score"
	if flags.Changed("pass-when") && !byScore {
		o.Pass, o.Rejudge, o.PassScore = f.pass.Value, f.rejudge, trial.Optional[float64]{}
	}
	return o
}

// execute writes while it reads, as the trials need not fit into memory.
func (f *importFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if err := f.check(flags, args); err != nil {
		return err
	}
	if f.list {
		return listFormats(a)
	}
	o := f.options(flags)
	files, err := evidence.FilesOf(ctx, a, args, o)
	if err != nil {
		return err
	}
	adds, err := f.adds(a, flags, args)
	if err != nil {
		return err
	}
	// The checks of other outputs hold here too: no input is overwritten.
	to, err := (&deliver.Target{Output: f.output}).File(ctx, a, files)
	if err != nil {
		return err
	}
	// Trials are read again whatever folder they lie in.
	if err := evidence.Spared("--output", to, args, true); err != nil {
		return err
	}
	var done imported
	// Standard output cannot be taken back, so what breaks off there is marked; a file
	// appears whole or not at all and needs no mark.
	switch {
	case adds != nil && to == nil:
		return f.add(ctx, a, *adds, files, o, nil)
	case adds != nil:
		return to.Fill(ctx, func(w io.Writer) error { return f.add(ctx, a, *adds, files, o, w) })
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
) (done imported, err error) {
	out := &outfile.StartedWriter{W: w}
	if err := done.write(ctx, a, out, files, o); err != nil {
		if out.Started && marked {
			io.WriteString(w, outfile.CutMark) // if that fails too, there is nothing else to do
		}
		return imported{}, err
	}
	return done, nil
}

// write writes the trials and counts them.
func (i *imported) write(ctx context.Context, a *world.World, w io.Writer, files []string, o ingest.Options) error {
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
