package report

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// buildForecast is what an agent will cost: the amounts of all trials over their
// passes, which is what a success takes with the failures on the way to it, and the
// same for the runs of a month; with intervals where they are known. A forecast has
// no verdict and is shown in green.
func buildForecast(d *document.Document, f *plan.Forecast) {
	title := "cost unknown"
	if f.Cost != nil {
		title = figure.Money(f.Cost.Month) + " a month"
	}
	d.Begin(f.Header(), "forecast")
	d.Word = "forecast"
	d.Colour = verdict.Pass
	d.Headline = fmt.Sprintf("%s at %s runs a day that succeed", title, figure.Quantity(f.RunsPerDay))
	c := document.Case{Scenario: "forecast", Name: "cost", Status: document.Passed, Message: d.Headline}
	d.Break()
	d.Linef("trials", "%s passed", figure.OfTrials(f.Passes, f.Trials))
	c.Facts = append(c.Facts, count("passes", f.Passes), count("trials", f.Trials),
		number("runs_per_day", f.RunsPerDay))
	// Both amounts are lines of the text and exact facts of the case, which scripts
	// are told.
	c.Facts = append(c.Facts, projection(d, "cost", f.Cost, f.Level, figure.Money)...)
	c.Facts = append(c.Facts, projection(d, "tokens", f.Tokens, f.Level, tokenAmount)...)
	if f.Price != nil {
		d.Line("price", figure.Money(*f.Price)+" a million tokens, where a trial does not tell its cost")
	}
	d.Warn(f.Warnings)
	d.Cases = []document.Case{c}
	d.Outputs = c.Facts
}

// projection is an amount for a success and for a month; its exact values are
// returned. The interval is left out unless all of its four ends are known, and
// called what it is: approximate.
func projection(d *document.Document, label string, x *plan.Projection, confidence float64,
	amount func(float64) string) []document.Fact {
	if x == nil {
		return nil
	}
	text := amount(x.PerSuccess) + " a success"
	month := amount(x.Month) + " a month"
	if x.Low != nil && x.High != nil && x.MonthLow != nil && x.MonthHigh != nil {
		text += " " + figure.Interval(amount(*x.Low), amount(*x.High))
		month += fmt.Sprintf(" %s, %s interval (approximate)", figure.Interval(amount(*x.MonthLow), amount(*x.MonthHigh)),
			figure.Level(confidence))
	}
	d.Line(label, text+"; "+month)
	return []document.Fact{number(label+"_per_success", x.PerSuccess), number(label+"_per_month", x.Month)}
}

// tokenAmount writes many tokens in millions.
func tokenAmount(x float64) string {
	if x < 1e6 {
		return figure.Quantity(x)
	}
	// Two decimals of a million.
	return figure.Quantity(math.Round(x/1e4)/100) + " million"
}
