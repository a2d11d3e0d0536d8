package running

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/cmd/internal/suitefile"
	"github.com/tribunal-dev/tribunal/cmd/internal/world"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/runner"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/suite"
)

// checkTests refuses options that do not go together.
func (f *run) checkTests() error {
	if f.Tests.Record == 0 {
		return nil
	}
	for _, name := range []string{"baseline", "family", "extend"} {
		if f.Given.Has(name) {
			return problem.Usage("omit one of them", "--record decides nothing, so it has no %s", f.Given.Origin(name))
		}
	}
	return nil
}

// correction is nil where there is none.
func (t Tests) correction() *multiplicity.Correction {
	if !t.Family.Known || t.Family.Value == multiplicity.NoCorrection {
		return nil
	}
	return &t.Family.Value
}

// together says whether the tests of a run share the alpha: those that a gate decides over, of a suite whose
// gate corrects, and those of which the run corrects itself.
func (t Tests) together(s *suite.Suite) bool {
	switch {
	case t.OfGate:
		return s.Gate.Correction == multiplicity.Holm
	case t.Family.Known:
		return t.Family.Value == multiplicity.Holm
	}
	return s.Gated()
}

// TellOfCompared tells on stderr what a run is tested against, and what of the agent changed: a
// person sees before the first trial whether it is the change that was meant.
func TellOfCompared(a *world.World, c runner.Comparison) {
	note := func(format string, arguments ...any) { a.Notice("note", format, arguments...) }
	what := suitefile.AgainstNamed(c.File, c.Named, c.Finished)
	if c.File == "" {
		what = "side by side; the errors hold for every rate of each scenario"
	}
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
		note("  changed since the baseline: %s", line)
	}
	switch {
	case c.Earlier:
		note("  saved by an earlier version: what changed is not known")
	case len(c.Changed) == 0:
		note("  the suite describes the same agent; a result keeps no files of it, so what changed in them is not seen")
	}
	if len(c.Added) > 0 {
		note("  not in the baseline, and judged by the threshold alone: %s", prose.Some(c.Added, 8))
	}
	if len(c.Removed) > 0 {
		note("  only in the baseline, and not run: %s", prose.Some(c.Removed, 8))
	}
}
