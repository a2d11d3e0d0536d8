package base

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/app"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/suite"
)

// fromSuite marks a flag that the suite file has set.
const fromSuite = "suite"

// ofCommand marks a flag that asks something else than the key of its name in a suite file, which does not set it.
const ofCommand = "command"

// NotOfSuite marks flags so.
func NotOfSuite(flags *pflag.FlagSet, names ...string) {
	for _, name := range names {
		_ = flags.SetAnnotation(name, ofCommand, []string{})
	}
}

// fromSuites returns the flag of that name if a suite file may set it; nil if there is none.
func fromSuites(flags *pflag.FlagSet, name string) *pflag.Flag {
	flag := flags.Lookup(name)
	if flag == nil || flag.Annotations[ofCommand] != nil {
		return nil
	}
	return flag
}

// SuiteDefaults are the flags for which a suite file gives the value where neither the
// command line nor a variable does, with what it says.
var SuiteDefaults = [...]struct {
	// Without its hyphens; the key in the file is the same with underscores, under test.
	Flag string
	// What the suite says, as the flag would be written; "" where it says nothing.
	value func(*suite.Suite) string
}{
	{"threshold", func(s *suite.Suite) string { return decimal(s.Test.Threshold) }},
	{"delta", func(s *suite.Suite) string { return decimal(s.Test.Delta) }},
	{"alpha", func(s *suite.Suite) string { return decimal(s.Test.Alpha) }},
	{"beta", func(s *suite.Suite) string { return decimal(s.Test.Beta) }},
	{"max-trials", func(s *suite.Suite) string {
		if s.Test.MaxTrials == 0 {
			return ""
		}
		return strconv.Itoa(s.Test.MaxTrials)
	}},
	{"design", func(s *suite.Suite) string { return s.Test.Design.String() }},
	{"prior", priorText},
}

// priorText writes a prior as the flag --prior reads it, or "" for the default.
func priorText(s *suite.Suite) string {
	switch p := s.Test.Prior; p.Kind {
	case suite.StablePrior:
		return ""
	// Relative to the suite, while a flag is relative to the working directory.
	case suite.FilePrior:
		return s.Resolve(p.File)
	default:
		return p.String()
	}
}

// decimal writes a number as a flag reads it; 0 is one that the suite does not give.
func decimal(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// applySuite sets flags that nothing else has set from the suite file that is found
// from the working directory upwards, if there is one, and names it.
func applySuite(a *world.World, flags *pflag.FlagSet) error {
	wanted := false
	for _, d := range SuiteDefaults {
		flag := fromSuites(flags, d.Flag)
		wanted = wanted || flag != nil && !flag.Changed
	}
	// A command without such flags, or with all of them given, must not fail for a suite
	// that is broken.
	if !wanted {
		return nil
	}
	file, err := app.FindSuite()
	if err != nil || file == "" {
		return err
	}
	// One above the folder of a guest is not its own.
	if a.Guest != nil && !filepath.IsLocal(file) {
		return nil
	}
	s, err := app.LoadSuite(a.Opening, file)
	if err != nil {
		return err
	}
	var used []string
	for _, d := range SuiteDefaults {
		flag := fromSuites(flags, d.Flag)
		text := d.value(s)
		// Another --prior is a degree of belief, and shapes no design.
		if d.Flag == "prior" && flags.Lookup("design") == nil {
			continue
		}
		if flag == nil || flag.Changed || text == "" {
			continue
		}
		// The flag may be stricter than the suite is: what a suite can ask for is not
		// for every command.
		if err := flags.Set(d.Flag, text); err != nil {
			return problem.BadInput(
				file+": test."+strings.ReplaceAll(d.Flag, "-", "_")+" "+text+" is not for this command: "+err.Error(),
				"give --"+d.Flag)
		}
		_ = flags.SetAnnotation(d.Flag, fromSuite, []string{file})
		used = append(used, "--"+d.Flag+" "+text)
	}
	// Whoever reads the log must see that a file took part in the verdict.
	if len(used) > 0 {
		a.Notice("note", "%s gives %s", file, strings.Join(used, ", "))
		// Of the commands that plan a test, those of a run know the suite.
		if s.Test.Joint() && flags.Lookup("side-by-side") != nil {
			a.Notice("note", "this plans a test of one scenario; %s asks one question about all, which tribunal check plans",
				file)
		}
	}
	return nil
}
