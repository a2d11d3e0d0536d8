package storing

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

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/evidence"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/promotion"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/store"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// ScenarioRequest asks for a scenario that a recorded trial makes.
type ScenarioRequest struct {
	Store  app.StoreChoice
	Trial  string              // RUN/PART/POSITION in a store, or a file
	Index  trial.Optional[int] // of the trial in the file, from 0; not known is its only one
	Suite  []string            // file, one at most; none is the one that is found from the working directory upwards
	Name   string              // of the scenario; "" is that of the trial's, with its place
	Accept bool                // writes it into the suite
}

// PromoteTrial makes a scenario of a trial.
func PromoteTrial(ctx context.Context, a *world.World, r ScenarioRequest) error {
	s, err := suitefile.Load(a, r.Suite)
	if err != nil {
		return err
	}
	t, from, place, err := r.find(ctx, a, s)
	if err != nil {
		return err
	}
	name := cmp.Or(r.Name, t.Scenario+"-"+place)
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
	if !r.Accept {
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
func (r *ScenarioRequest) find(
	ctx context.Context, a *world.World, s *suite.Suite,
) (t *trial.Trial, from, place string, err error) {
	if id, ok := placeInStore(r.Trial); ok {
		if r.Index.Known {
			return nil, "", "", problem.Usage("omit it", "--trial is for files, and %s is a trial of a store", r.Trial)
		}
		opened, err := r.Store.Required(ctx, a, s, true)
		if err != nil {
			return nil, "", "", err
		}
		defer opened.Close()
		run, err := opened.Run(ctx, id.Run)
		if err != nil {
			return nil, "", "", err
		}
		id.Run = run.ID
		found, err := opened.Trial(ctx, id)
		if err != nil {
			return nil, "", "", err
		}
		place = fmt.Sprintf("%s-%d-%d", run.ID[:min(len(run.ID), 7)], id.Part, id.Position)
		id.Run = shownID(id.Run)
		return found.Trial, "trial " + id.String(), place, nil
	}
	t, err = r.inFile(ctx, a)
	return t, fmt.Sprintf("%s, trial %d", filepath.Base(r.Trial), r.Index.Value), strconv.Itoa(r.Index.Value), err
}

// placeInStore reads RUN/PART/POSITION, where that is no file.
func placeInStore(text string) (id store.TrialID, ok bool) {
	if _, err := os.Lstat(text); !errors.Is(err, fs.ErrNotExist) {
		return id, false
	}
	return store.ParseTrialID(text)
}

// inFile returns a trial of a file.
func (r *ScenarioRequest) inFile(ctx context.Context, a *world.World) (found *trial.Trial, err error) {
	n := 0
	o := ingest.Options{Options: trial.Options{Unjudged: true}, AllVariants: true}
	if err := evidence.Read(ctx, a, []string{r.Trial}, o, evidence.Kept, func(t *trial.Trial) {
		if n == r.Index.Value {
			found = t.Clone()
		}
		n++
	}); err != nil {
		return nil, err
	}
	switch {
	case n > 1 && !r.Index.Known:
		return nil, problem.Usage("such as --trial 17, from 0", "%s has %s: which one", r.Trial, prose.Count(n, "trial"))
	case found == nil:
		return nil, problem.BadInput(fmt.Sprintf("%s has %s, and no trial %d", prose.FileName(r.Trial),
			prose.Count(n, "trial"), r.Index.Value),
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
