package storecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/promotion"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// traceFlags are those of the command promote.
type traceFlags struct {
	store  app.StoreChoice
	trial  value.Count
	as     string
	accept bool
}

// PromoteCommand makes scenarios of recorded trials.
func PromoteCommand(a *world.World) *cobra.Command {
	command := &cobra.Command{
		Use:   "promote TRIAL|FILE [SUITE]",
		Short: "make a scenario of a recorded trial, for a person to accept",
		Long: `Make a scenario of a trial that was recorded, such as one of production: its input, how
it is judged, and what its model answered as a script, by which it can be replayed. The
trial is one of the store, RUN/PART/POSITION as tribunal traces query lists it, or that of
a file which --trial counts.

What would be written is shown first. With --accept the scenario is added to the suite's
file, of which every other line stays as it is, and the script stands beside it. A trial
of a scenario of the suite is judged as that one is.`,
		Example: `  tribunal promote 4f0c2d1/0/17 --as lost-parcel
  tribunal promote production.jsonl --trial 17 --as lost-parcel --accept`,
		DisableFlagsInUseLine: true,
		Args:                  cobra.ArbitraryArgs,
	}
	f := traceFlags{trial: value.Count{Least: 0, Most: 1<<31 - 1}}
	flags := command.Flags()
	flags.Var(&f.trial, "trial", "which trial of a file, from 0 (default: its only one)")
	flags.Lookup("trial").DefValue = ""
	flags.StringVar(&f.as, "as", "", "`NAME` of the scenario (default: that of the trial's, with its place)")
	flags.BoolVar(&f.accept, "accept", false, "write it into the suite")
	option.Of(flags).Text(base.StoreFlag, &f.store.Name)
	command.RunE = base.With(a, func(ctx context.Context, flags *pflag.FlagSet, args []string) error {
		return f.execute(ctx, a, flags, args)
	})
	return command
}

func (f *traceFlags) execute(ctx context.Context, a *world.World, flags *pflag.FlagSet, args []string) error {
	if len(args) < 1 || len(args) > 2 {
		return problem.Usage("such as tribunal promote 4f0c2d1/0/17",
			"name a trial, and a suite if it is not found from here")
	}
	s, err := suitefile.Load(a, args[1:])
	if err != nil {
		return err
	}
	t, from, place, err := f.find(ctx, a, flags, s, args[0])
	if err != nil {
		return err
	}
	name := cmp.Or(f.as, t.Scenario+"-"+place)
	p, err := promotion.New(s, t, promotion.Options{Name: name, From: from})
	if err != nil {
		return err
	}
	for _, file := range p.Files {
		if _, err := os.Lstat(file.Path); !errors.Is(err, fs.ErrNotExist) {
			return problem.BadInput(prose.FileName(file.Path)+" is there already",
				"give the scenario another name with --as, or move it away")
		}
	}
	for _, line := range p.Notes {
		a.Notice("note", "%s", line)
	}
	if !f.accept {
		if err := showPromotion(a, p); err != nil {
			return err
		}
		a.Notice("note", "nothing is written: --accept does it")
		return nil
	}
	if err := accept(p); err != nil {
		return err
	}
	return tellPromoted(a, p)
}

// find returns the trial, where it comes from in words, and its place for a name.
func (f *traceFlags) find(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, s *suite.Suite, text string,
) (t *trial.Trial, from, place string, err error) {
	if id, ok := placeInStore(text); ok {
		if flags.Changed("trial") {
			return nil, "", "", problem.Usage("leave it out", "--trial is for files, and %s is a trial of a store", text)
		}
		opened, err := f.store.Required(ctx, a, s, true)
		if err != nil {
			return nil, "", "", err
		}
		defer opened.Close()
		r, err := opened.Run(ctx, id.Run)
		if err != nil {
			return nil, "", "", err
		}
		id.Run = r.ID
		found, err := opened.Trial(ctx, id)
		if err != nil {
			return nil, "", "", err
		}
		place = fmt.Sprintf("%s-%d-%d", r.ID[:min(len(r.ID), 7)], id.Part, id.Position)
		id.Run = shownID(id.Run)
		return found.Trial, "trial " + id.String(), place, nil
	}
	t, err = f.inFile(ctx, a, flags, text)
	return t, fmt.Sprintf("%s, trial %d", filepath.Base(text), f.trial.Value), strconv.Itoa(f.trial.Value), err
}

// placeInStore reads RUN/PART/POSITION, where that is no file.
func placeInStore(text string) (id store.TrialID, ok bool) {
	if _, err := os.Lstat(text); !errors.Is(err, fs.ErrNotExist) {
		return id, false
	}
	return store.ParseTrialID(text)
}

// inFile returns a trial of a file.
func (f *traceFlags) inFile(
	ctx context.Context, a *world.World, flags *pflag.FlagSet, file string,
) (found *trial.Trial, err error) {
	n := 0
	o := ingest.Options{Options: trial.Options{Unjudged: true}, AllVariants: true}
	if err := evidence.Read(ctx, a, []string{file}, o, evidence.Kept, func(t *trial.Trial) {
		if n == f.trial.Value {
			found = t.Clone()
		}
		n++
	}); err != nil {
		return nil, err
	}
	switch {
	case n > 1 && !flags.Changed("trial"):
		return nil, problem.Usage("such as --trial 17, from 0", "%s has %s: which one", file, prose.Count(n, "trial"))
	case found == nil:
		return nil, problem.BadInput(fmt.Sprintf("%s has %s, and no trial %d", prose.FileName(file), prose.Count(n, "trial"),
			f.trial.Value),
			"they are counted from 0")
	}
	return found, nil
}

// showPromotion prints what would be written, as lines that are added.
func showPromotion(a *world.World, p *promotion.Promotion) error {
	var text strings.Builder
	fmt.Fprintf(&text, "%s, behind line %d\n", prose.FileName(p.Suite.Path), p.Suite.Line)
	for _, line := range p.Suite.Lines {
		fmt.Fprintf(&text, "+ %s\n", line)
	}
	for _, file := range p.Files {
		fmt.Fprintf(&text, "\n%s\n", prose.FileName(file.Path))
		for line := range strings.Lines(string(file.Text)) {
			fmt.Fprintf(&text, "+ %s\n", strings.TrimRight(line, "\n"))
		}
	}
	_, err := fmt.Fprint(a.Out, text.String())
	return err
}

// accept writes the files and then the suite. Where the suite cannot be read then, all of it is taken back.
func accept(p *promotion.Promotion) (err error) {
	before, err := os.ReadFile(p.Suite.Path)
	if err != nil {
		return err
	}
	var made []string
	defer func() {
		if err == nil {
			return
		}
		for _, path := range made {
			_ = os.Remove(path) // the error that is returned says more
		}
	}()
	for _, file := range p.Files {
		f, err := os.OpenFile(file.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
		if err != nil {
			return &problem.WriteError{Target: file.Path, Err: err}
		}
		made = append(made, file.Path)
		_, err = f.Write(file.Text)
		if err := errors.Join(err, f.Close()); err != nil {
			return &problem.WriteError{Target: file.Path, Err: err}
		}
	}
	if err := replaceFile(p.Suite.Path, p.Suite.Text); err != nil {
		return err
	}
	files := []string{p.Suite.Path}
	if p.Replay != "" && p.Replay != p.Suite.Path {
		files = append(files, p.Replay)
	}
	for _, file := range files {
		if _, err := suite.Load(file); err != nil {
			return errors.Join(err, replaceFile(p.Suite.Path, before))
		}
	}
	return nil
}

// replaceFile puts another text into a file at once: whoever reads it meanwhile has the one or the other.
func replaceFile(path string, text []byte) error {
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".promote-*")
	if err != nil {
		return &problem.WriteError{Target: path, Err: err}
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that is returned says more
		return &problem.WriteError{Target: path, Err: err}
	}
	return nil
}

// tellPromoted says what was written, and what comes next.
func tellPromoted(a *world.World, p *promotion.Promotion) error {
	text := fmt.Sprintf("%s is a scenario of %s.", prose.Quote(p.Name), prose.FileName(p.Suite.Path))
	if p.Replay != "" {
		text += fmt.Sprintf(" Its recorded answers: tribunal run %s --only %s", prose.FileName(p.Replay), prose.Quote(p.Name))
	}
	_, err := fmt.Fprintln(a.Out, text)
	return err
}
