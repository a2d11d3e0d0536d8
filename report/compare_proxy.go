package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/stats/controlvariate"
	"github.com/tribunal-dev/tribunal/verdict/proxy"
)

// buildProxy is a comparison of two targets with the help of a proxy of each.
func buildProxy(d *document.Document, c *proxy.Comparison) {
	d.Begin(c.Header(), "compare")
	d.Headline = safe.Text(reasonsText(c.Reasons))
	for i, s := range []controlvariate.Sample{c.Baseline, c.Candidate} {
		target, cheap := s.Target(), s.Proxy()
		d.Linef([]string{"baseline", "candidate"}[i], "the target passes %d of %d, the proxy %d of %d", target.Passes,
			target.Trials, cheap.Passes, cheap.Trials)
	}
	if c.LeftOut > 0 {
		d.Linef("left out", "%s with pairs on one side alone", prose.Count(c.LeftOut, "scenario"))
	}
	r := c.Result
	d.Linef("difference", "%s of the target's rate, corrected by the proxy (coefficient %.2f), %s interval %s",
		figure.Points(r.Difference), r.Coefficient, phrase.Percent(1-c.Alpha),
		figure.Interval(figure.Signed(r.Interval.Low), figure.Signed(r.Interval.High)))
	alone := fmt.Sprintf("%s, standard error %s in place of %s", figure.Points(r.Alone.Difference),
		phrase.Points(r.Alone.StandardError), phrase.Points(r.StandardError))
	if c.Gain != nil {
		alone += fmt.Sprintf(": worth %.2f times the target's trials", *c.Gain)
	}
	d.Line("target alone", alone)
	d.Linef("proxy alone", "%s; a change of it is none of the target", figure.Points(r.Proxy.Difference))
	d.Linef("test", "studentized, %d relabelings within scenarios, seed %d", r.Draws, c.Seed)
	if by := c.Combined; by != nil {
		level := fmt.Sprintf("where neither changed it says so in %s of comparisons", phrase.Percent(by.Unchanged))
		if by.Changed != nil {
			level += fmt.Sprintf(", where only the proxy dropped by %s in %s", phrase.Points(c.Delta),
				phrase.Percent(*by.Changed))
		}
		d.Linef(by.Combination.String(), "p %s with weight %.2f for the proxy (AgentAssay, Equation 47). At a nominal %s "+
			"%s: it does not count", phrase.Significant(by.P), by.Rho, phrase.Percent(c.Alpha), level)
	}
	d.Cases = []document.Case{{Scenario: "all scenarios", Name: "pass rate", Status: statusOf(c.Verdict, c.Reasons),
		Message: d.Headline}}
	d.Outputs = []document.Fact{count("scenarios", len(c.Strata))}
}
