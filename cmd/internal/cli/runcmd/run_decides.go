package runcmd

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/base"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/judging"
	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/value"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite"
)

// TestFlags say what a run decides, beside what its suite says.
type TestFlags struct {
	// A saved result that all tests are against; "" is what the suite says.
	Baseline string
	// Trials of each scenario, in place of the tests.
	Record value.Count
	// Of the scenarios that fail, for their number.
	Family      value.Word[multiplicity.Correction]
	FamilyGiven bool // the flag was
}

func (f *TestFlags) register(flags *pflag.FlagSet) {
	f.Record = value.Count{Least: 1, Most: judging.MaxDesign}
	f.Family = value.Word[multiplicity.Correction]{
		Value: multiplicity.NoCorrection, Kind: "METHOD", Words: []multiplicity.Correction{
			multiplicity.NoCorrection, multiplicity.Holm, multiplicity.BenjaminiHochberg,
		},
	}
	flags.StringVar(&f.Baseline, "baseline", "",
		"test against this saved result `FILE` of run or name, and against the suite's threshold where it has one")
	flags.Var(&f.Record, "record", "run so many trials of each scenario, to be a baseline, and decide nothing")
	flags.Lookup("record").DefValue = ""
	flags.Var(&f.Family, "family",
		f.Family.Usage("correction of the suite's Fail for the number of scenarios"))
}

// check refuses flags that do not go together.
func (f *TestFlags) check(flags *pflag.FlagSet) error {
	f.FamilyGiven = flags.Changed("family")
	if f.Record.Value == 0 {
		return nil
	}
	for _, name := range []string{"baseline", "family", "extend"} {
		if flags.Changed(name) {
			return problem.Usage("leave one of them out", "--record decides nothing, so it has no %s", base.Origin(flags, name))
		}
	}
	return nil
}

// correction is nil where there is none.
func (f *TestFlags) correction() *multiplicity.Correction {
	// Unregistered by the gate, whose correction is its own.
	if f.Family.Words == nil || f.Family.Value == multiplicity.NoCorrection {
		return nil
	}
	return &f.Family.Value
}

// together says whether the tests of a run share the alpha: those that a gate decides over, of a suite whose
// gate corrects, and those of which the run corrects itself.
func (f *TestFlags) together(s *suite.Suite) bool {
	switch {
	case f.Family.Words == nil: // of the gate, whose correction is that of the suite
		return s.Gate.Correction == multiplicity.Holm
	case f.FamilyGiven:
		return f.Family.Value == multiplicity.Holm
	}
	return s.Gated()
}

// TellOfCompared tells on stderr what a run is tested against, and what of the agent changed: a
// person sees before the first trial whether it is the change that was meant.
func TellOfCompared(a *world.World, c runner.Comparison) {
	note := func(format string, arguments ...any) { a.Notice("note", format, arguments...) }
	what := suitefile.AgainstNamed(c.File, c.Named, c.Finished)
	if r := c.Rounds; r != nil && r.Matched() {
		what = fmt.Sprintf("matched pairs; the errors hold where %.4g differ at most (test.discordant)",
			r.Hypotheses().Guarded.High)
	} else if r != nil && r.Hypotheses().Guarded == baseline.EveryRate() {
		what = "side by side; the errors hold for every rate of the baseline"
	} else if r != nil {
		what = fmt.Sprintf("side by side; the errors hold for rates from %.4g (test.guard)", r.Hypotheses().Guarded.Low)
	}
	if c.Variant != "" {
		what = "variant " + c.Variant + " " + what
	}
	note("%s", what)
	suitefile.WarnOfAge(a, c.File, c.Named, c.Finished)
	for _, line := range c.Changed {
		note("  changed: %s", line)
	}
	switch {
	case c.Earlier:
		note("  saved by an earlier version: what changed is not known")
	case len(c.Changed) == 0:
		note("  nothing changed that the suite says of the agent")
	}
	if len(c.Added) > 0 {
		note("  not in the baseline, and judged by the threshold alone: %s", prose.Some(c.Added, 8))
	}
	if len(c.Removed) > 0 {
		note("  only in the baseline, and not run: %s", prose.Some(c.Removed, 8))
	}
}
