package cli

import (
	"fmt"
	"path"
	"slices"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// suiteFlags choose among the scenarios of a suite.
type suiteFlags struct {
	// Globs, any of which may match the name.
	only []string
	// Any of which is enough; with globs both must hold.
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
	if len(args) == 1 {
		return app.LoadSuite(args[0])
	}
	s, err := a.findSuite()
	if s == nil && err == nil {
		_, err = suite.Find(".") // which says that there is none, and where it looked
	}
	return s, err
}

// findSuite reads the suite that is found from the working directory upwards; nil is none.
// It is named on stderr, as the person did not name it.
func (a *App) findSuite() (*suite.Suite, error) {
	file, err := app.FindSuite()
	if err != nil || file == "" {
		return nil, err
	}
	notice(a.Stderr, "note", "the suite is %s", file)
	return app.LoadSuite(file)
}

// selected returns the scenarios that the flags choose, in the order of the suite.
func (f *suiteFlags) selected(s *suite.Suite) ([]suite.Scenario, error) {
	// Before the suite is searched, so that the message can name the flag.
	for _, glob := range f.only {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, usage(`such as --only "payment-*"`, "--only %q is no glob: %v", glob, err)
		}
	}
	chosen, err := app.Select(s, f.only, f.tags)
	if err != nil {
		return nil, err
	}
	// A run of no scenario would be one without a verdict.
	if len(chosen) == 0 {
		return nil, usage(fmt.Sprintf("the suite has %d scenarios, such as %q", len(s.Scenarios), s.Scenarios[0].Name),
			"no scenario matches --only and --tag")
	}
	return chosen, nil
}

// given reports whether scenarios are chosen.
func (f *suiteFlags) given() bool { return len(f.only) > 0 || len(f.tags) > 0 }

// selection says what of a suite is left out by the choice; nil is nothing.
func (f *suiteFlags) selection(s *suite.Suite, chosen []suite.Scenario) *runs.Selection {
	var left []string
	for _, c := range s.Scenarios {
		if !slices.ContainsFunc(chosen, func(x suite.Scenario) bool { return x.Name == c.Name }) {
			left = append(left, c.Name)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return &runs.Selection{Only: f.only, Tags: f.tags, LeftOut: left}
}

// told tells what is worth knowing of a recording that a suite names as a prior. A prior is
// read in any format, as --from is about other files.
func (a *App) told(h runner.History) {
	a.noteFiles(h.Notes, ingest.Auto)
	a.noteErrors(h)
}
