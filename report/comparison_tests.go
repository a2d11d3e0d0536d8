package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// tests are the deciding test, the test of "not worse by delta", and the others in
// one line.
func (c *comparisonPage) tests() {
	r := c.result
	c.labelled("deciding test", c.decidedBy())
	if p := r.Tests.NonInferiority; p != nil {
		c.labelled("non-inferior", fmt.Sprintf("%s against a drop of %s or more (beta %s)", equals("p", pValue(p.P)), given(r.Delta), given(r.Beta)))
	}
	c.labelled("other tests", strings.Join(c.otherTests(), ", "))
	if i := r.Difference.NewScenarios; i != nil {
		c.labelled("new scenarios", fmt.Sprintf("difference %s, %s %s", limits(signed(i.Low), signed(i.High)), level(i.Level), i.Method))
	}
}

func (c *comparisonPage) decidedBy() string {
	r := c.result
	p := c.pOf(r.DecidedBy)
	if p == nil {
		return "" // there was nothing to test
	}
	test := fmt.Sprintf("%s %s, one-sided", r.DecidedBy, equals("p", pValue(*p)))
	switch {
	case r.By == verdict.ByScenario && len(r.Scenarios) > 0:
		return fmt.Sprintf("every scenario (boschloo, correction %s, alpha %s); pooled: %s", r.Correction, given(r.Alpha), test)
	case r.Rule == compare.BayesRule:
		return fmt.Sprintf("the posterior probability of a drop above %s (bayes rule)", given(r.Delta))
	}
	return fmt.Sprintf("%s (%s rule, alpha %s)", test, r.Rule, given(r.Alpha))
}

// pOf is the p-value of a test; nil where it was not computed.
func (c *comparisonPage) pOf(test stats.Test) *float64 {
	t := c.result.Tests
	switch {
	case test == stats.BoschlooTest && t.Boschloo != nil:
		return &t.Boschloo.P
	case test == stats.FisherTest && t.Fisher != nil:
		return &t.Fisher.P
	case test == stats.ZTest && t.Z != nil:
		return &t.Z.P
	case test == stats.McNemarTest && t.McNemar != nil:
		return &t.McNemar.P
	}
	return nil
}

// otherTests are all but the deciding one.
func (c *comparisonPage) otherTests() []string {
	var list []string
	for _, test := range []stats.Test{stats.BoschlooTest, stats.FisherTest, stats.ZTest, stats.McNemarTest} {
		p := c.pOf(test)
		if p == nil || test == c.result.DecidedBy && c.result.Rule != compare.BayesRule {
			continue
		}
		text := fmt.Sprintf("%s %s", test, equals("p", pValue(*p)))
		if test == stats.ZTest {
			text = fmt.Sprintf("z %.3g %s", c.result.Tests.Z.Z, equals("p", pValue(*p)))
		}
		list = append(list, text)
	}
	t := c.result.Tests
	if t.McNemar != nil {
		list = append(list, "mcnemar two-sided "+equals("p", pValue(t.McNemar.PTwoSided)), "mid-"+equals("p", pValue(t.McNemar.MidP)))
	}
	if t.CMH != nil {
		text := "CMH " + equals("p", pValue(t.CMH.P))
		if t.CMH.OddsRatio != nil {
			text += " (odds ratio " + quantity(*t.CMH.OddsRatio) + ")"
		}
		list = append(list, text)
	}
	if t.Stratified != nil {
		list = append(list, "stratified exact "+equals("p", pValue(t.Stratified.P)))
	}
	return list
}

// effect is the size of the difference, what could have been found, and the
// Bayesian view.
func (c *comparisonPage) effect() {
	r := c.result
	var parts []string
	if h := r.Effect.CohensH; h != nil {
		parts = append(parts, fmt.Sprintf("Cohen's h %s (%s)", signedQuantity(*h), r.Effect.Magnitude))
	}
	switch {
	case r.Effect.OddsRatio != nil:
		parts = append(parts, "odds ratio "+quantity(*r.Effect.OddsRatio))
	case r.Effect.OddsRatioReason != "":
		parts = append(parts, fmt.Sprintf("odds ratio none (%s)", r.Effect.OddsRatioReason))
	}
	c.labelled("effect", strings.Join(parts, ", "))
	if p := r.Power; p != nil {
		text := fmt.Sprintf("%s for a drop of %s, ", chance(p.AtDelta), given(r.Delta))
		if p.MDE != nil {
			text += fmt.Sprintf("%s from a drop of %s on", chance(1-r.Beta), rate(*p.MDE))
		} else {
			text += fmt.Sprintf("no drop reaches %s", chance(1-r.Beta))
		}
		c.labelled("power", text)
	}
	if p := r.Bayes.Probability; p != nil {
		c.labelled("bayes", fmt.Sprintf("%s (the bayes rule says %s)", equals(fmt.Sprintf("P(drop > %s)", given(r.Delta)), pValue(*p)), r.Bayes.Verdict))
	}
}

// reliabilities are pass^k and pass@k of both sides, where scenarios were tried
// twice or more, and the costs of a success.
func (c *comparisonPage) reliabilities() {
	b, k := c.result.Baseline.Reliability, c.result.Candidate.Reliability
	if b == nil || k == nil {
		return
	}
	if ks := sortedKs(b.PassHatK, k.PassHatK, b.PassAtK, k.PassAtK); len(ks) > 1 {
		c.passK(ks, []passKRow{
			{"pass^k base", b.PassHatK}, {"pass^k cand", k.PassHatK},
			{"pass@k base", b.PassAtK}, {"pass@k cand", k.PassAtK},
		})
	}
}
