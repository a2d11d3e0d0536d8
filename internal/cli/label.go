package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/labels"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/twophase"
	"github.com/tribunal-dev/tribunal/trial"
)

// labelFlags are those of the command label.
type labelFlags struct {
	n        count
	seed     seed
	variant  string
	output   string
	evidence evidenceFlags
}

// labelCommand writes two files: what a person is shown, and what that person must not see.
func (a *App) labelCommand() *cobra.Command {
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
	f := labelFlags{n: count{value: 40, least: 1, most: twophase.MostLabels}}
	flags := command.Flags()
	flags.Var(&f.n, "n", "trials to label")
	flags.StringVarP(&f.output, "output", "o", "", "write the sheet to `FILE`, and its key beside it")
	f.seed = 1
	flags.Var(&f.seed, "seed", "what is drawn, and in which order")
	flags.StringVar(&f.variant, "variant", "", "draw from the trials of this `VARIANT`")
	f.evidence.register(flags)
	outIsOutput(flags)
	command.RunE = a.with(func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

// keyOf is the name of the key of a sheet.
func keyOf(sheet string) string { return strings.TrimSuffix(sheet, filepath.Ext(sheet)) + ".key.json" }

func (f *labelFlags) execute(ctx context.Context, a *App, flags *pflag.FlagSet, files []string) error {
	switch {
	case len(files) == 0:
		return usage("such as tribunal label judged.jsonl --out sheet.csv",
			"there is nothing to label: name a recording")
	case f.output == "" || f.output == "-":
		return usage("such as --out sheet.csv", "name the sheet: it has a key beside it, and both are files")
	case keyOf(f.output) == f.output:
		return usage("such as --out sheet.csv", "%s is the name of a key", f.output)
	}
	if err := checkNames(files, f.evidence.duplicates); err != nil {
		return err
	}
	var made [2]*outputFile
	for i, name := range []string{f.output, keyOf(f.output)} {
		if _, err := os.Lstat(name); err == nil {
			return usage("choose another name, or move it away", "%s is there already, and may have labels", name)
		}
		to, err := newFileBeside("--output", name, files)
		if err != nil {
			return err
		}
		if err := spared("--output", to, files, f.evidence.everyFile()); err != nil {
			return err
		}
		made[i] = to
	}
	var r labels.Recording
	err := a.read(ctx, files, labelOptions(f.evidence.options(flags, f.variant, 0)), kept,
		func(t *trial.Trial) { r.Add(t) })
	if err != nil {
		return naming("variant", err)
	}
	sheet, err := labels.Draw(&r, f.n.value, uint64(f.seed))
	if err != nil {
		return badInput("no sheet can be drawn: "+err.Error(), "tribunal judge judges a recording by a suite")
	}
	if err := made[0].fill(ctx, func(w io.Writer) error { return sheet.WriteCSV(w) }); err != nil {
		return err
	}
	key, err := json.MarshalIndent(sheet.Key, "", " ")
	if err != nil {
		return err
	}
	if err := made[1].write(ctx, append(key, '\n')); err != nil {
		return err
	}
	f.tell(a, sheet.Key)
	return nil
}

// labelOptions are how a recording is read that a sheet is drawn from, and again when the labels are there: trials that
// do not state their number get that of their order.
func labelOptions(o ingest.Options) ingest.Options {
	o.Fields, o.Numbered = 0, true
	return o
}

// tell says what was drawn, and what is to be done with it.
func (f *labelFlags) tell(a *App, k labels.Key) {
	if k.Errors > 0 {
		a.notice("warning", "%s ended in an error, and nothing is drawn from them", prose.Count(k.Errors, "trial"))
	}
	if len(k.Rows) < f.n.value {
		a.notice("note", "there are no more than %s that a judge judged", prose.Count(k.Judged, "trial"))
	}
	a.notice("note", "%s: %d of %s; write pass or fail into the column label of each row", f.output, len(k.Rows),
		prose.Count(k.Judged, "judged trial"))
	a.notice("note", "%s has what the judge said: keep it beside the sheet, and from whoever labels", keyOf(f.output))
}

// readLabels reads a labelled sheet with the key beside it.
func readLabels(file string) (*labels.Labelled, error) {
	key, err := openBeside(keyOf(file), "tribunal label writes it beside the sheet: keep both together")
	if err != nil {
		return nil, err
	}
	defer key.Close()
	k, err := labels.ParseKey(key.Name(), key)
	if err != nil {
		return nil, err
	}
	sheet, err := openBeside(file, "check the name")
	if err != nil {
		return nil, err
	}
	defer sheet.Close()
	return k.Read(sheet.Name(), sheet)
}

// openBeside opens a file of labels, or says that it is not there.
func openBeside(name, advice string) (*os.File, error) {
	file, err := os.Open(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{File: name, Problem: "does not exist", Advice: advice}
	case err != nil:
		return nil, &trial.FileError{File: name, Problem: "cannot be read: " + withoutPath(err).Error()}
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, &trial.FileError{File: name, Problem: "is a folder", Advice: advice}
	}
	return file, nil
}
