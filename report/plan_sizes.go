package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// buildSizes says how many trials a comparison takes: of each side, of a baseline that is recorded once, or of all
// scenarios of a suite.
func buildSizes(d *document.Document, s *plan.Sizes) {
	d.Begin(s.Header(), "plan")
	if s.Scenarios != nil {
		buildScenarios(d, s)
		return
	}
	d.Word, d.Colour = "plan", verdict.Pass
	closing := ""
	c := document.Case{Scenario: "sizes", Status: statusOf(verdict.Pass, nil)}
	d.Headline = fmt.Sprintf("how many trials tell a drop of %s from a baseline with a rate of %s?",
		phrase.Points(s.Delta), figure.BriefRate(s.Rate))
	d.Linef("errors", "false Fail at most %s (nothing changed), a drop of %s missed in at most %s of comparisons",
		figure.Level(s.Alpha), phrase.Points(s.Delta), figure.Level(s.Beta))
	d.Break()
	if x := s.Sides; x != nil {
		d.Linef("each side", "%s: Boschloo's test finds the drop in %s of comparisons", prose.Count(x.Trials, "trial"),
			figure.Chance(x.Power))
		if x.Settled > x.Trials {
			d.Linef("settled", "some larger numbers fall short of it; %d and more all have it", x.Settled)
		}
		d.Linef("unchanged", "a Pass in %s of comparisons", figure.Chance(x.Pass))
		for _, e := range []struct {
			name string
			plan.FormulaSize
		}{{"Equation 1", x.Equation1}, {"Equation 6", x.Equation6}} {
			d.Linef(e.name, "%s of each side (AgentAssay); with them it finds the drop in %s of comparisons",
				prose.Count(e.Trials, "trial"),
				figure.Chance(e.Power))
		}
		closing = fmt.Sprintf("Run %s of each side, and judge them with tribunal compare.", prose.Count(x.Trials, "trial"))
		c.Name, c.Facts = "sides", []document.Fact{count("trials", x.Trials), number("power", x.Power)}
	}
	if x := s.Recorded; x != nil {
		d.Linef("record once", "%s of the baseline, for %s", prose.Count(x.Trials, "trial"),
			prose.Count(x.Candidates, "later candidate"))
		d.Linef("candidate", "%s expected where nothing changed, %s after a drop of %s, at most %d, each",
			figure.Trials(x.Unchanged),
			figure.Trials(x.Dropped), phrase.Points(s.Delta), x.MaxTrials)
		d.Linef("in all", "%s trials where nothing changes; with more of the baseline each candidate takes fewer, and the "+
			"sum more", figure.Quantity(x.Total))
		closing = fmt.Sprintf("Record %s of the baseline once: %s later candidates then take about %s trials each.",
			prose.Count(x.Trials, "trial"), fmt.Sprint(x.Candidates), figure.Quantity(x.Unchanged))
		c.Name, c.Facts = "baseline", []document.Fact{count("trials", x.Trials), count("candidates", x.Candidates)}
	}
	d.Warn(s.Warnings)
	d.Close(closing)
	c.Message = closing
	d.Cases, d.Outputs = []document.Case{c}, c.Facts
}
