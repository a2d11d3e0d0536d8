package cli

import (
	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
)

// testFlags say what a run decides, beside what its suite says.
type testFlags struct {
	// A saved result that all tests are against; "" is what the suite says.
	baseline string
	// Trials of each scenario, in place of the tests.
	record count
	// Of the scenarios that fail, for their number.
	family word[multiplicity.Correction]
}

func (f *testFlags) register(flags *pflag.FlagSet) {
	f.record = count{least: 1, most: maxDesign}
	f.family = word[multiplicity.Correction]{
		value: multiplicity.NoCorrection, kind: "METHOD", words: []multiplicity.Correction{
			multiplicity.NoCorrection, multiplicity.Holm, multiplicity.BenjaminiHochberg,
		},
	}
	flags.StringVar(&f.baseline, "baseline", "",
		"test against this saved result `FILE` of run, and against the suite's threshold where it has one")
	flags.Var(&f.record, "record", "run so many trials of each scenario, to be a baseline, and decide nothing")
	flags.Lookup("record").DefValue = ""
	flags.Var(&f.family, "family",
		f.family.usage("correction of the suite's Fail for the number of scenarios"))
}

// check refuses flags that do not go together.
func (f *testFlags) check(flags *pflag.FlagSet) error {
	if f.record.value == 0 {
		return nil
	}
	for _, name := range []string{"baseline", "family", "extend"} {
		if flags.Changed(name) {
			return usage("leave one of them out", "--record decides nothing, so it has no %s", origin(flags, name))
		}
	}
	return nil
}

// correction is nil where there is none.
func (f *testFlags) correction() *multiplicity.Correction {
	// Unregistered by the gate, whose correction is its own.
	if f.family.words == nil || f.family.value == multiplicity.NoCorrection {
		return nil
	}
	return &f.family.value
}

// compared tells on stderr what a run is tested against, and what of the agent changed: a
// person sees before the first trial whether it is the change that was meant.
func (a *App) compared(c runner.Comparison) {
	note := func(format string, arguments ...any) { notice(a.Stderr, "note", format, arguments...) }
	of := ""
	if c.Variant != "" {
		of = " of the variant " + c.Variant
	}
	switch r := c.Rounds; {
	case r == nil:
		finished := ""
		if c.Finished != "" {
			finished = ", finished " + c.Finished
		}
		note("a test%s against the baseline %s%s", of, prose.FileName(c.File), finished)
	case r.Matched():
		note("a test%s side by side with the baseline agent, of matched pairs; the errors are kept where at most "+
			"%.4g of them differ (test.discordant)", of, r.Hypotheses().Guarded.High)
	default:
		note("a test%s side by side with the baseline agent; the errors are kept for its pass rates from %.4g "+
			"(test.guard)", of, r.Hypotheses().Guarded.Low)
	}
	for _, line := range c.Changed {
		note("  changed: %s", line)
	}
	switch {
	case c.Earlier:
		note("  the baseline was saved by an earlier version: how it was judged, and what changed, is not known")
	case len(c.Changed) == 0:
		note("  nothing changed that the suite says of the agent")
	}
	if len(c.Removed) > 0 {
		note("  not run, though the baseline has it: %s", prose.Some(c.Removed, 8))
	}
}
