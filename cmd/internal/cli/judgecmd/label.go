package judgecmd

import (
	"context"
	"encoding/json"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/bind"
	"github.com/tribunal-dev/tribunal/cmd/internal/deliver"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/labels"
	"github.com/tribunal-dev/tribunal/cmd/internal/outfile"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/twophase"
	"github.com/tribunal-dev/tribunal/trial"
)

// labelFlags are those of the command label.
type labelFlags struct {
	n        value.Count
	seed     value.Seed
	variant  string
	output   string
	evidence evidence.Reading
}

// LabelCommand writes two files: what a person is shown, and what that person must not see.
func LabelCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "label RECORDING... --out SHEET.csv",
		Short: "draw judged trials for a person to label, without showing the judge's verdicts",
		Long: `Draw trials of a judged recording at random, and write them to a sheet: a CSV file with
what each trial was given and answered, and an empty column label, in which a person
writes pass or fail. What the judge said is not on it. The labels then tell what the
judge is worth (tribunal judge-check), and what the true pass rate is (tribunal verdict
--labels).

Trials are drawn among those that the judge passed and among those that it failed, a
fifth from the rarer at least. Which is which stands in the key beside the sheet, such
as sheet.key.json: keep both together, and the key from whoever labels.`,
		Example: `  tribunal label judged.jsonl --n 40 --out sheet.csv
  tribunal verdict judged.jsonl --threshold 0.8 --labels sheet.csv`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := labelFlags{n: value.Count{Value: 40, Least: 1, Most: twophase.MostLabels}}
	flags := command.Flags()
	flags.Var(&f.n, "n", "trials to label")
	flags.StringVarP(&f.output, "output", "o", "", "write the sheet to `FILE`, and its key beside it")
	f.seed = 1
	flags.Var(&f.seed, "seed", "what is drawn, and in which order")
	flags.StringVar(&f.variant, "variant", "", "draw from the trials of this `VARIANT`")
	bind.Reading(flags, &f.evidence)
	outIsOutput(flags)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *labelFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, files []string) error {
	switch {
	case len(files) == 0:
		return problem.Usage("such as tribunal label judged.jsonl --out sheet.csv",
			"there is nothing to label: name a recording")
	case f.output == "" || f.output == "-":
		return problem.Usage("such as --out sheet.csv", "name the sheet: it has a key beside it, and both are files")
	case evidence.KeyOf(f.output) == f.output:
		return problem.Usage("such as --out sheet.csv", "%s is the name of a key", f.output)
	}
	if err := evidence.CheckNames(files, f.evidence.Duplicates); err != nil {
		return err
	}
	var made [2]*outfile.File
	for i, name := range []string{f.output, evidence.KeyOf(f.output)} {
		if _, err := os.Lstat(name); err == nil {
			return problem.Usage("choose another name, or move it away", "%s is there already, and may have labels", name)
		}
		to, err := deliver.NewFileBeside("--output", name, files)
		if err != nil {
			return err
		}
		if err := evidence.Spared("--output", to, files, f.evidence.EveryFile()); err != nil {
			return err
		}
		made[i] = to
	}
	var r labels.Recording
	err := evidence.Read(ctx, a, files, evidence.LabelOptions(f.evidence.Options(f.variant, 0)), evidence.Kept,
		func(t *trial.Trial) { r.Add(t) })
	if err != nil {
		return evidence.Naming("variant", err)
	}
	sheet, err := labels.Draw(&r, f.n.Value, uint64(f.seed))
	if err != nil {
		return problem.BadInput("no sheet can be drawn: "+err.Error(), "tribunal judge judges a recording by a suite")
	}
	if err := made[0].Fill(ctx, func(w io.Writer) error { return sheet.WriteCSV(w) }); err != nil {
		return err
	}
	key, err := json.MarshalIndent(sheet.Key, "", " ")
	if err != nil {
		return err
	}
	if err := made[1].Write(ctx, append(key, '\n')); err != nil {
		return err
	}
	f.tell(a, sheet.Key)
	return nil
}

// tell says what was drawn, and what is to be done with it.
func (f *labelFlags) tell(a *world.World, k labels.Key) {
	if k.Errors > 0 {
		a.Notice("warning", "%s ended in an error, and nothing is drawn from them", prose.Count(k.Errors, "trial"))
	}
	if k.LeftOut > 0 {
		a.Notice("note", "%s left out: the judge did not judge %s", prose.Count(k.LeftOut, "trial"),
			prose.Form(k.LeftOut, "it", "them"))
	}
	if len(k.Rows) < f.n.Value {
		a.Notice("note", "there are no more than %s that a judge judged", prose.Count(k.Judged, "trial"))
	}
	a.Notice("note", "%s: %d of %s; write pass or fail into the column label of each row", f.output, len(k.Rows),
		prose.Count(k.Judged, "judged trial"))
	a.Notice("note", "%s has what the judge said: keep it beside the sheet, and from whoever labels",
		evidence.KeyOf(f.output))
}
