package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/verdict/plan"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// runCalibration says how many trials of each scenario were to be recorded, why, and what they find. What the paper's
// formulas say stands beside it with the power that they have.
func runCalibration(d *document.Document, r *runs.Result) {
	c := r.Calibration
	if c == nil || c.Decision == nil || c.Decision.Plan == nil {
		return // a warning says why
	}
	x, b := c.Decision, c.Decision.Plan
	d.Linef("calibrated", "by the first %s of each scenario: %s", prose.Count(c.Trials, "trial"), wantedTrials(x))
	recorded := fmt.Sprintf("%s of each scenario, %d in all", prose.Count(x.Record, "trial"), x.Record*x.Scenarios)
	if x.USD != nil {
		recorded += ", for an expected " + figure.Money(*x.USD)
	}
	if c.Recorded != x.Record {
		recorded += fmt.Sprintf("; each has %d or more", c.Recorded)
	}
	d.Line("recorded", recorded)
	d.Linef("worth", "beside as many of another side %s finds the shift in %s of comparisons (%s)", b.Test,
		figure.Chance(x.Power), giveOrTake(d, x.PowerErr))
	if text := foundShift(d, x); text != "" {
		d.Line("", text)
	}
	d.Linef("behaviour", "%s of %s hold 95%% of the variance (Equation 28); %s in all: %s by Definition 7.4, %s by the "+
		"limits of the paper's program", prose.Count(b.EffectiveDimension, "component"), prose.Count(b.Columns, "column"),
		figure.Quantity(b.Variance), b.Class, b.ImplementedClass)
	for _, f := range b.Formulas {
		if f.Name == "Algorithm 4" && f.Trials > 0 {
			d.Linef("Algorithm 4", "%s a side, which would find the shift in %s of comparisons", prose.Count(f.Trials, "trial"),
				figure.Optional(f.Power, figure.Chance))
		}
	}
	t := formulaTable(b)
	t.In = document.Pages
	d.Table(t)
}

// wantedTrials is what the trials that calibrate say.
func wantedTrials(x *plan.Calibration) string {
	b := x.Plan
	goal := fmt.Sprintf("to find %s with a chance of %s", shiftText(b), figure.Level(1-b.Beta))
	if x.Wanted == 0 {
		return fmt.Sprintf("more than %d a side are wanted %s", b.MaxTrials, goal)
	}
	text := fmt.Sprintf("%d a side are wanted, %d of each, %s", b.Trials, x.Wanted, goal)
	if x.WantedUSD != nil && x.LimitedBy != plan.NoCalibrationLimit {
		text += ", which cost " + figure.Money(*x.WantedUSD)
	}
	return text
}

// foundShift is the shift that is found where the trials are fewer than are wanted; "" where they are not.
func foundShift(d *document.Document, x *plan.Calibration) string {
	switch f := x.Found; {
	case x.LimitedBy == plan.NoCalibrationLimit:
		return ""
	case f == nil:
		return fmt.Sprintf("no shift up to %d times as large is found with a chance of %s", plan.MostMultiple,
			figure.Level(1-x.Plan.Beta))
	default:
		return fmt.Sprintf("a shift %s times as large in %s (%s)", figure.Quantity(f.Multiple), figure.Chance(f.Power),
			giveOrTake(d, f.PowerErr))
	}
}
