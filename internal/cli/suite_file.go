package cli

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/app"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
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
	s, err := a.loadNamed(args)
	if err == nil {
		a.tellOfSuite(s)
	}
	return s, err
}

// tellOfSuite says with --verbose what a suite comes to: where it stands, its digest and its settings, of which many
// are defaults.
func (a *App) tellOfSuite(s *suite.Suite) {
	if !a.verbose {
		return
	}
	a.notice("note", "%s is the suite %s, %s", s.File, s.Name, s.Digest())
	for _, line := range s.AgentSettings() {
		a.notice("note", "%s", line)
	}
}

// loadNamed is load without a word of the suite that is named.
func (a *App) loadNamed(args []string) (*suite.Suite, error) {
	if len(args) == 1 {
		return app.LoadSuite(a.opening, args[0])
	}
	s, err := a.findSuite()
	if s == nil && err == nil {
		_, err = suite.Find(".") // which says that there is none, and where it looked
		if none, ok := errors.AsType[*trial.FileError](err); ok {
			here := *none
			here.Advice = "tribunal init writes one to start from; or name the suite file"
			return nil, &here
		}
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
	a.notice("note", "the suite is %s", file)
	return app.LoadSuite(a.opening, file)
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
		return nil, usage(f.meant(s), "no scenario matches %s", strings.Join(f.asked(), " and "))
	}
	return chosen, nil
}

// asked is what the flags ask for, as they were given.
func (f *suiteFlags) asked() (list []string) {
	for _, flag := range []struct {
		name  string
		words []string
	}{{"--only", f.only}, {"--tag", f.tags}} {
		if len(flag.words) > 0 {
			list = append(list, flag.name+" "+prose.Or(quotedAll(flag.words)))
		}
	}
	return list
}

// quotedAll puts each word between quotation marks.
func quotedAll(words []string) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = prose.Quote(word)
	}
	return list
}

// meant is the scenario or the tag that may have been meant by what matches none.
func (f *suiteFlags) meant(s *suite.Suite) string {
	var names, tags []string
	for _, c := range s.Scenarios {
		names, tags = append(names, c.Name), append(tags, c.Tags...)
	}
	for _, glob := range f.only {
		if hint := meantByGlob(glob, names); hint != "" {
			return hint
		}
	}
	for _, tag := range f.tags {
		if word := nearest(tag, tags); word != "" {
			return fmt.Sprintf("did you mean --tag %s?", prose.Quote(word))
		}
	}
	return someScenario(s)
}

// someScenario shows how a suite names its scenarios.
func someScenario(s *suite.Suite) string {
	return fmt.Sprintf("the suite has %s, such as %q", prose.Count(len(s.Scenarios), "scenario"), s.Scenarios[0].Name)
}

// meantByGlob is the name, or the glob, that may have been meant by a glob; "" where none is near. One that matches
// a name is none to be mended.
func meantByGlob(glob string, names []string) string {
	matches := func(glob string) string {
		for _, name := range names {
			if is, _ := path.Match(glob, name); is {
				return name
			}
		}
		return ""
	}
	if matches(glob) != "" {
		return ""
	}
	// The first or the last part of a name is what people remember, and * ends at a slash.
	slash := ""
	if strings.Contains(glob, "*") {
		slash = "a * does not match a slash: "
	}
	for _, wider := range []string{
		strings.TrimRight(glob, "*/") + "/*", glob + "/*", strings.TrimRight(glob, "*/") + "/*/*", "*/" + glob, "*/*/" + glob,
	} {
		if name := matches(wider); name != "" && wider != glob {
			return fmt.Sprintf("%s--only %s matches %s", slash, prose.Quote(wider), prose.Quote(name))
		}
	}
	if name := nearestScenario(glob, names); name != "" {
		return fmt.Sprintf("did you mean --only %s?", prose.Quote(name))
	}
	return ""
}

// nearestScenario is the name that is nearest to what was typed, or else the one whose last part is.
func nearestScenario(typed string, names []string) string {
	if name := nearest(typed, names); name != "" {
		return name
	}
	for _, name := range names {
		if nearest(typed, []string{path.Base(name)}) != "" {
			return name
		}
	}
	return ""
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
