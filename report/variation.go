package report

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
)

// buildVariation is how alike the trials of a scenario are, and what more of them or of scenarios would tell. It
// reports whether that is known: else it says nothing.
func buildVariation(d *document.Document, v *intraclass.Variation) bool {
	if v == nil || v.Correlation == nil || v.StandardError == nil || v.MoreScenarios == nil || v.MoreTrials == nil {
		return false
	}
	d.Break()
	interval := "no interval of so few scenarios"
	if v.Low != nil && v.High != nil {
		interval = fmt.Sprintf("%s, %s interval by a bootstrap over scenarios",
			figure.Interval(hundredths(*v.Low), hundredths(*v.High)), figure.Level(v.Level))
	}
	d.Linef("alike", "trials of a scenario: intraclass correlation %s (%s)", hundredths(*v.Correlation), interval)
	points := func(x float64) string { return phrase.Points(math.Round(1e4*x) / 1e4) }
	d.Linef("new tasks", "standard error %s, of %s with %s", points(*v.StandardError),
		prose.Count(v.Scenarios, "scenario"), prose.Count(v.Trials, "trial"))
	d.Linef("more tasks", "10 scenarios (%s): standard error %s", prose.Count(v.MoreScenarios.Trials, "trial"),
		points(v.MoreScenarios.StandardError))
	d.Linef("more trials", "10 of each scenario (%s): standard error %s", prose.Count(v.MoreTrials.Trials, "trial"),
		points(v.MoreTrials.StandardError))
	return true
}

// hundredths writes a correlation.
func hundredths(x float64) string { return fmt.Sprintf("%.2f", x) }
