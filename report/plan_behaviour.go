package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// buildBehaviourPlan says how many trials show a shift of behaviour, and what the paper's formulas are worth beside it.
func buildBehaviourPlan(d *document.Document, b *plan.Behaviour) {
	d.Begin(b.Header(), "plan")
	d.Word, d.Colour = "plan", verdict.Pass
	d.Headline = "how many trials of each side show this shift of behaviour?"
	d.Linef("shift", "%s (Mahalanobis distance %s)", shiftText(b), figure.Quantity(b.Distance))
	d.Linef("errors", "a false alarm in at most %s of comparisons, the shift missed in at most %s", figure.Level(b.Alpha),
		figure.Level(b.Beta))
	d.Break()
	if b.Trials > 0 {
		d.Linef("each side", "%s (%d of each of %s): %s finds the shift in %s of comparisons (%s)",
			prose.Count(b.Trials, "trial"), b.PerScenario, prose.Count(b.Scenarios, "scenario"), b.Test,
			figure.Chance(b.Power), giveOrTake(d, b.PowerErr))
	} else {
		d.Linef("each side", "more than %d trials: with them %s finds the shift in %s of comparisons (%s)", b.MaxTrials,
			b.Test, figure.Chance(b.Power), giveOrTake(d, b.PowerErr))
	}
	d.Linef("simulated", "%d comparisons for each number, with trials drawn from the %d recorded ones", b.Simulations,
		b.Recorded)
	d.Linef("d_eff", "%s of %s hold 95%% of the variance (Equation 28); participation ratio %s",
		prose.Count(b.EffectiveDimension, "component"), prose.Count(b.Columns, "column"), figure.Quantity(b.Participation))
	d.Linef("variance", "%s in all, 95%% interval %s to %s if normal (Equation 41): %s by Definition 7.4, %s by the "+
		"limits of the paper's program", figure.Quantity(b.Variance), figure.Quantity(b.VarianceInterval[0]),
		figure.Quantity(b.VarianceInterval[1]), b.Class, b.ImplementedClass)
	d.Break()
	behaviourFormulas(d, b)
	behaviourCost(d, b)
	d.Warn(b.Warnings)
	d.Close(behaviourPlanClosing(b))
	c := document.Case{Scenario: "sizes", Name: "behaviour", Status: statusOf(verdict.Pass, nil),
		Message: behaviourPlanClosing(b), Facts: []document.Fact{count("trials", b.Trials), number("power", b.Power)}}
	d.Cases, d.Outputs = []document.Case{c}, c.Facts
}

// giveOrTake is a standard error behind its estimate.
func giveOrTake(d *document.Document, err float64) string {
	if d.Detail.ASCII {
		return "+/-" + figure.Chance(err)
	}
	return "±" + figure.Chance(err)
}

// shiftText tells the shift by column: "output_tokens +0.5 sd".
func shiftText(b *plan.Behaviour) string {
	if len(b.Shift) == 0 {
		return "in a direction that is drawn"
	}
	var parts []string
	for _, s := range b.Shift {
		parts = append(parts, fmt.Sprintf("%s %s sd", safe.Name(s.Column), figure.SignedQuantity(s.SD)))
	}
	return strings.Join(parts, ", ")
}

// behaviourFormulas is a row for each formula, with the power that it really has.
func behaviourFormulas(d *document.Document, b *plan.Behaviour) {
	d.Table(formulaTable(b))
	d.Break()
}

func formulaTable(b *plan.Behaviour) *document.Table {
	t := &document.Table{Title: "What formulas say", Columns: []document.Column{
		{Title: "formula"},
		{Title: "trials a side", Right: true},
		{Title: "finds it", Right: true},
		{Title: "if normal", Right: true, Text: table.Column{Drop: 1}},
	}, Note: fmt.Sprintf("%q is simulated with %s; %q is Hotelling's test of vectors that are normal.", "finds it", b.Test,
		"if normal")}
	for _, f := range b.Formulas {
		trials := none
		if f.Trials > 0 {
			trials = fmt.Sprint(f.Trials)
		}
		t.Add(f.Name, trials, figure.Optional(f.Power, figure.Chance), figure.Optional(f.NormalPower, figure.Chance))
	}
	return t
}

// behaviourCost prices both sides, and what the budget pays for.
func behaviourCost(d *document.Document, b *plan.Behaviour) {
	c := b.Cost
	if c == nil {
		return
	}
	if b.Trials > 0 {
		baseline := "the recorded ones are the baseline's"
		if c.Baseline > 0 {
			baseline = fmt.Sprintf("and %d of the baseline beside the recorded ones", c.Baseline)
		}
		d.Linef("cost", "%s a trial; %s: %d of the candidate, %s", figure.Money(c.PerTrialUSD), figure.Money(c.USD),
			c.Candidate,
			baseline)
	} else {
		d.Linef("cost", "%s a trial", figure.Money(c.PerTrialUSD))
	}
	if a := c.Affordable; a != nil {
		worth := "too few for a test"
		switch {
		case b.Trials > 0 && a.Trials >= b.Trials:
			worth = "enough"
		case a.Power > 0:
			worth = fmt.Sprintf("they find the shift in %s of comparisons (%s)", figure.Chance(a.Power),
				giveOrTake(d, a.PowerErr))
		}
		d.Linef("budget", "%s pays for %s of each scenario, %d in all, a side: %s", figure.Money(*c.MaxUSD),
			prose.Count(a.PerScenario, "trial"), a.Trials, worth)
	}
}

func behaviourPlanClosing(b *plan.Behaviour) string {
	if b.Trials == 0 {
		return "No number of trials that is worth planning finds so small a shift: name a larger one, or a lower power."
	}
	return fmt.Sprintf("Run %s of each side, and judge them with tribunal compare --behaviour-only: a shift like this is "+
		"found in %s of comparisons, if trials vary as the recorded ones do.", prose.Count(b.Trials, "trial"),
		figure.Chance(b.Power))
}
