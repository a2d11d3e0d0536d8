package report

import (
	"fmt"
	"io"
	"math"

	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// Forecast writes a forecast as text.
func Forecast(w io.Writer, f *plan.Forecast, o TextOptions) error {
	if f == nil {
		return ErrNoResult
	}
	p := newPage(o.withDefaults(defaultScenarios))
	title := "cost unknown"
	if f.Cost != nil {
		title = money(f.Cost.Month) + " a month"
	}
	p.title(verdict.Pass, "FORECAST", fmt.Sprintf("%s at %s runs a day that succeed", title, quantity(f.RunsPerDay)))
	p.blank()
	p.labelled("trials", fmt.Sprintf("%s passed", ofTrials(f.Passes, f.Trials)))
	p.projection("cost", f.Cost, f.Level, money)
	p.projection("tokens", f.Tokens, f.Level, tokenAmount)
	if f.Price != nil {
		p.labelled("price", money(*f.Price)+" a million tokens, where a trial does not tell its cost")
	}
	p.warnings(f.Warnings)
	return p.flush(w)
}

func (p *page) projection(label string, x *plan.Projection, confidence float64, amount func(float64) string) {
	if x == nil {
		return
	}
	text := amount(x.PerSuccess) + " a success"
	month := amount(x.Month) + " a month"
	if x.Low != nil && x.MonthLow != nil {
		text += fmt.Sprintf(" %s", limits(amount(*x.Low), amount(*x.High)))
		month += fmt.Sprintf(" %s, %s interval (approximate)", limits(amount(*x.MonthLow), amount(*x.MonthHigh)), level(confidence))
	}
	p.labelled(label, text+"; "+month)
}

// tokenAmount writes many tokens in millions.
func tokenAmount(x float64) string {
	if x < 1e6 {
		return quantity(x)
	}
	return quantity(math.Round(x/1e4)/100) + " million"
}
