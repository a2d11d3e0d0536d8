package gate

import (
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Family says how often a gate blocks what deserves none: each family of rules with a chance of at most its
// alpha, and all of them with one of at most their sum. Rules that are no tests, such as a floor that is
// compared with the observed rate, have no such chance and are not among them; nor is coverage, which never
// blocks.
type Family struct {
	Rules []string  `json:"rules"` // the names of the families that a false block can come from
	Alpha []float64 `json:"alpha"` // of each, at most
	All   float64   `json:"all"`   // of all of them, at most
}

// family counts the families of rules that are there.
func (g *Result) family(s *subject, o Options) {
	f := &Family{Rules: []string{}, Alpha: []float64{}}
	add := func(rule string, alpha float64) {
		f.Rules, f.Alpha = append(f.Rules, rule), append(f.Alpha, alpha)
		f.All += alpha
	}
	has := func(rule string) bool {
		return slices.ContainsFunc(g.Rules, func(r Rule) bool { return r.Name == rule })
	}
	verdicts, own, together := 0.0, 0.0, s.run != nil && len(s.run.Tests) > 1
	for _, t := range s.tests {
		if t.threshold > 0 {
			verdicts = max(verdicts, t.alpha)
		}
	}
	if s.run != nil {
		for i := range s.run.SuiteTests {
			if t := &s.run.SuiteTests[i]; t.Baseline != nil {
				own = max(own, t.Question.Alpha*float64(max(t.Shared, 1)))
			}
		}
		for i := range s.run.Tests {
			t := &s.run.Tests[i]
			together = together && t.Shared > 0
			if t.Regression != nil {
				own = max(own, t.Together(t.Regression.Alpha)+t.Regression.Gamma)
			}
		}
	}
	switch {
	// The alpha is that of the verdicts and of the tests against the baseline together.
	case together && verdicts > 0 && own > 0:
		add(ruleVerdict+" and "+ruleRegression, max(verdicts, own))
	default:
		if verdicts > 0 {
			add(ruleVerdict, verdicts)
		}
		if own > 0 {
			add(ruleRegression, own)
		}
	}
	if own == 0 && has(ruleRegression) {
		add(ruleRegression, o.Alpha)
	}
	if slices.ContainsFunc(s.tests, func(t testedRate) bool {
		x := o.floor(&t)
		return x.Rate > 0 && !x.Point && !t.joint
	}) {
		add(ruleFloor, o.Alpha)
	}
	if o.Behaviour != nil {
		add(ruleBehaviour, o.Behaviour.Alpha)
	}
	f.All = min(f.All, 1)
	g.Family = f
}

// seldomBlocks says that Fails of a scenario seldom count beside the others.
const seldomBlocks verdict.Code = "seldom-blocks"

// weak is the chance of a block below which a gate over several scenarios warns; chosen.
const weak = 0.5

// warnWeak warns where the tests of a run have all of their alpha each: Holm's correction, which compares the least
// p-value with alpha divided by the number of tests, then leaves most Fails of one scenario without effect.
func (g *Result) warnWeak(s *subject, o Options) error {
	if s.run == nil || o.Correction != multiplicity.Holm {
		return nil
	}
	g.warnWeakAgainst(s.run)
	return g.warnWeakAlone(s.run)
}

// warnWeakAgainst warns of tests against a baseline.
func (g *Result) warnWeakAgainst(run *runs.Result) {
	against, whole := 0, []string{} // tests against a baseline, and those that have all of their alpha
	for i := range run.Tests {
		if t := &run.Tests[i]; t.Regression != nil {
			against++
			if t.Shared == 0 {
				whole = append(whole, t.Name)
			}
		}
	}
	if against > 1 && len(whole) > 0 {
		g.Warnings = append(g.Warnings, seldomBlocks.Warning("of %d tests against a baseline %d have all of their alpha, "+
			"since the run was planned without the gate or the baseline is too small for a part of it: a drop that one of "+
			"them finds seldom counts beside the others (%s)", against, len(whole), prose.Some(whole, mostScenarios)))
	}
}

// warnWeakAlone warns of tests against a threshold that were planned by themselves.
func (g *Result) warnWeakAlone(run *runs.Result) error {
	var alone []*runs.Test
	for i := range run.Tests {
		if t := &run.Tests[i]; t.Threshold > 0 && t.Design.MaxTrials > 0 && t.Design.Kind != sprt.RecordingKind.String() {
			alone = append(alone, t)
		}
	}
	least, name := 1.0, ""
	known := map[string]float64{} // by the digest of the design
	for _, t := range alone {
		if t.Shared > 0 {
			continue
		}
		chance, found := known[t.Design.Digest]
		if !found {
			b, err := t.Design.Rebuild("design", sprt.Hypotheses{Threshold: t.Threshold, Delta: t.Delta, Alpha: t.Alpha,
				Beta: t.Beta})
			if err != nil {
				return err
			}
			l, err := b.Boundaries.Lattice()
			if err != nil {
				return err
			}
			chance = l.FailsWithin(t.Threshold, t.Alpha/float64(len(alone)), t.Threshold-t.Delta)
			known[t.Design.Digest] = chance
		}
		if chance < least {
			least, name = chance, t.Name
		}
	}
	if len(alone) > 1 && least < weak {
		g.Warnings = append(g.Warnings, seldomBlocks.Warning("the %d tests were planned by themselves: one scenario that is "+
			"too low by delta is blocked with a chance of %s (%s), and else needs review; tribunal gate, or run of a suite "+
			"with a gate, plans them together", len(alone), phrase.Percent(least), name))
	}
	return nil
}
