package suitefile

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Choice chooses among the scenarios of a suite.
type Choice struct {
	// Globs, any of which may match the name.
	Only []string
	// Any of which is enough; with globs both must hold.
	Tags []string
}

// Load reads the suite that an argument names, or that is found from the working
// directory upwards. A folder stands for the suite file in it.
func Load(a *world.World, args []string) (*suite.Suite, error) {
	if len(args) > 1 {
		return nil, problem.Usage("name one suite file", "there are %d arguments, and one is the suite", len(args))
	}
	s, err := loadNamed(a, args)
	if err == nil {
		TellOfSuite(a, s)
	}
	return s, err
}

// Named reads a suite by its file or folder; "" is the one that is found from the working directory upwards.
func Named(a *world.World, name string) (*suite.Suite, error) {
	if name == "" {
		return Load(a, nil)
	}
	return Load(a, []string{name})
}

// TellOfSuite says with --verbose what a suite comes to: where it stands, its digest and its settings, of which many
// are defaults.
func TellOfSuite(a *world.World, s *suite.Suite) {
	if !a.Verbose {
		return
	}
	a.Notice("note", "%s is the suite %s, %s", s.File, s.Name, s.Digest())
	for _, line := range s.AgentSettings() {
		a.Notice("note", "%s", line)
	}
}

// loadNamed is Load without a word of the suite that is named.
func loadNamed(a *world.World, args []string) (*suite.Suite, error) {
	if len(args) == 1 {
		s, err := app.LoadSuite(a.Opening, args[0])
		if errors.Is(err, fs.ErrNotExist) {
			return nil, orScenario(a, args[0], err)
		}
		return s, err
	}
	s, err := FindSuite(a)
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

// orScenario says that a name which is no file is that of a scenario of the suite here, or near to one.
func orScenario(a *world.World, name string, err error) error {
	missing, is := errors.AsType[*trial.FileError](err)
	here, _ := app.FindSuite()
	if !is || here == "" {
		return err
	}
	s, failed := app.LoadSuite(a.Opening, here)
	if failed != nil {
		return err
	}
	var names []string
	for _, c := range s.Scenarios {
		names = append(names, c.Name)
	}
	near := NearestScenario(name, names)
	if near == "" {
		return err
	}
	other := *missing
	other.Advice = fmt.Sprintf("%s has the scenario %s: tribunal try %[2]s shows a trial of it, tribunal run --only %[2]s"+
		" runs it", here, near)
	return &other
}

// FindSuite reads the suite that is found from the working directory upwards; nil is none.
// It is named on stderr, as the person did not name it.
func FindSuite(a *world.World) (*suite.Suite, error) {
	file, err := app.FindSuite()
	if err != nil || file == "" {
		return nil, err
	}
	a.Notice("note", "the suite is %s", file)
	return app.LoadSuite(a.Opening, file)
}

// Selected returns the scenarios that are chosen, in the order of the suite.
func (f *Choice) Selected(s *suite.Suite) ([]suite.Scenario, error) {
	// Before the suite is searched, so that the message can name the flag.
	for _, glob := range f.Only {
		if _, err := path.Match(glob, ""); err != nil {
			return nil, problem.Usage(`such as --only "payment-*"`, "--only %q is no glob: %v", glob, err)
		}
	}
	chosen, err := app.Select(s, f.Only, f.Tags)
	if err != nil {
		return nil, err
	}
	// A run of no scenario would be one without a verdict.
	if len(chosen) == 0 {
		return nil, problem.Usage(f.meant(s), "no scenario matches %s", strings.Join(f.asked(), " and "))
	}
	return chosen, nil
}

// asked is what is asked for, as it was given.
func (f *Choice) asked() (list []string) {
	for _, flag := range []struct {
		name  string
		words []string
	}{{"--only", f.Only}, {"--tag", f.Tags}} {
		if len(flag.words) > 0 {
			list = append(list, flag.name+" "+prose.Or(QuotedAll(flag.words)))
		}
	}
	return list
}

// QuotedAll puts each word between quotation marks.
func QuotedAll(words []string) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = prose.Quote(word)
	}
	return list
}

// meant is the scenario or the tag that may have been meant by what matches none.
func (f *Choice) meant(s *suite.Suite) string {
	var names, tags []string
	for _, c := range s.Scenarios {
		names, tags = append(names, c.Name), append(tags, c.Tags...)
	}
	for _, glob := range f.Only {
		if hint := meantByGlob(glob, names); hint != "" {
			return hint
		}
	}
	for _, tag := range f.Tags {
		if word, ok := prose.Nearest(tag, tags); ok {
			return fmt.Sprintf("did you mean --tag %s?", prose.Quote(word))
		}
	}
	return SomeScenario(s)
}

// SomeScenario shows how a suite names its scenarios.
func SomeScenario(s *suite.Suite) string {
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
	if name := NearestScenario(glob, names); name != "" {
		return fmt.Sprintf("did you mean --only %s?", prose.Quote(name))
	}
	return ""
}

// NearestScenario is the name that is nearest to what was typed, or else the one whose last part is.
func NearestScenario(typed string, names []string) string {
	if name, ok := prose.Nearest(typed, names); ok {
		return name
	}
	for _, name := range names {
		if _, ok := prose.Nearest(typed, []string{path.Base(name)}); ok {
			return name
		}
	}
	return ""
}

// Given reports whether scenarios are chosen.
func (f *Choice) Given() bool { return len(f.Only) > 0 || len(f.Tags) > 0 }

// Selection says what of a suite is left out by the choice; nil is nothing.
func (f *Choice) Selection(s *suite.Suite, chosen []suite.Scenario) *runs.Selection {
	var left []string
	for _, c := range s.Scenarios {
		if !slices.ContainsFunc(chosen, func(x suite.Scenario) bool { return x.Name == c.Name }) {
			left = append(left, c.Name)
		}
	}
	if len(left) == 0 {
		return nil
	}
	return &runs.Selection{Only: f.Only, Tags: f.Tags, LeftOut: left}
}
