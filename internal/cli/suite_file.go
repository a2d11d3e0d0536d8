package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// suiteFlags choose among the scenarios of a suite.
type suiteFlags struct {
	only []string
	tags []string
}

func (f *suiteFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.only, "only", nil, "only scenarios whose name matches the `GLOB`; may be given again")
	flags.StringSliceVar(&f.tags, "tag", nil, "only scenarios with this `TAG`; may be given again")
}

// load reads the suite that an argument names, or that is found from the working
// directory upwards. A folder stands for the suite file in it.
func (a *App) load(args []string) (*suite.Suite, error) {
	if len(args) > 1 {
		return nil, usage("name one suite file", "there are %d arguments, and one is the suite", len(args))
	}
	file := ""
	if len(args) == 1 {
		file = args[0]
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			file = path.Join(file, suite.FileName)
		}
	} else {
		found, err := suite.Find(".")
		if err != nil {
			return nil, err
		}
		file = relative(found)
		notice(a.Stderr, "note", "the suite is %s", file)
	}
	return loadSuite(file)
}

func loadSuite(file string) (*suite.Suite, error) {
	s, err := suite.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &trial.FileError{File: file, Problem: "does not exist", Advice: "tribunal init writes a suite to start from", Err: err}
	}
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return nil, &trial.FileError{File: file, Problem: "cannot be read: " + pathError.Err.Error(), Err: err}
	}
	return s, err
}

// selected returns the scenarios that the flags choose, in the order of the suite.
func (f *suiteFlags) selected(s *suite.Suite) ([]suite.Scenario, error) {
	for _, glob := range f.only {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, usage(`such as --only "payment-*"`, "--only %q is no glob: %v", glob, err)
		}
	}
	var chosen []suite.Scenario
	for _, c := range s.Scenarios {
		named := len(f.only) == 0 || slices.ContainsFunc(f.only, func(glob string) bool { ok, _ := path.Match(glob, c.Name); return ok })
		tagged := len(f.tags) == 0 || slices.ContainsFunc(f.tags, func(tag string) bool { return slices.Contains(c.Tags, tag) })
		if named && tagged {
			chosen = append(chosen, c)
		}
	}
	if len(chosen) == 0 {
		return nil, usage(fmt.Sprintf("the suite has %d scenarios, such as %q", len(s.Scenarios), s.Scenarios[0].Name), "no scenario matches --only and --tag")
	}
	return chosen, nil
}

// told tells what is worth knowing of a recording that a suite names as a prior.
func (a *App) told(h runner.History) {
	a.noteFiles(h.Notes, ingest.Auto)
	a.noteErrors(h)
}

// relative returns a path from the working directory, where that is possible.
func relative(file string) string {
	here, err := os.Getwd()
	if err != nil {
		return file
	}
	if rel, err := filepath.Rel(here, file); err == nil {
		return rel
	}
	return file
}
