package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// amounts are money and time; "" where neither is known.
func amounts(s plan.Spending) string {
	var parts []string
	if s.USD != nil {
		parts = append(parts, money(*s.USD))
	}
	if s.Seconds != nil {
		parts = append(parts, duration(*s.Seconds))
	}
	return strings.Join(parts, ", ")
}

// prices are those of a trial, of the longest test and of the fixed sample.
func (t *planPage) prices() {
	price := t.plan.Price
	if price == nil {
		return
	}
	text := fmt.Sprintf("%s a trial, at most %s", amounts(plan.Spending{USD: price.PerTrialUSD, Seconds: price.SecondsPerTrial}), amounts(price.Worst))
	if price.Fixed != nil {
		text += fmt.Sprintf("; the fixed sample takes %s each time", amounts(*price.Fixed))
	}
	t.labelled("price", text)
}

// expect says how many trials to expect, and their price.
func (t *planPage) expect() string {
	p, d := t.plan, t.plan.Design
	most, worst := fmt.Sprintf("at most %d", d.MaxTrials), ""
	if p.Price != nil {
		worst = inBrackets(amounts(p.Price.Worst))
	}
	for i, point := range d.Points {
		if point.P != 1 {
			continue
		}
		usual := ""
		if p.Price != nil && i < len(p.Price.Points) {
			usual = inBrackets(amounts(p.Price.Points[i].Spending))
		}
		return fmt.Sprintf("Expect about %s %s%s when nothing is broken, %s%s.", quantity(point.ASN), singular(int(point.ASN), "trial", "trials"), usual, most, worst)
	}
	return fmt.Sprintf("Expect %s trials%s.", most, worst)
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// sentence is for a reader without statistics.
func (t *planPage) sentence() string {
	d := t.plan.Design
	text := t.expect()
	if !d.Gates {
		return text + " The exact errors exceed what was asked for: no gate may rest on this design."
	}
	text += t.mistakes()
	if most := leastDecided(d.Points); most > 0 {
		text += fmt.Sprintf(" It may end without an answer, up to %s of the time.", chance(most))
	}
	return text
}

// mistakes are the two errors in everyday words.
func (t *planPage) mistakes() string {
	p := t.plan
	good, poor, unless := fmt.Sprintf("that passes %s of its trials", brief(p.Threshold)), fmt.Sprintf("that passes only %s", brief(p.LowerRate())), ""
	if b := p.Baseline; b != nil {
		good, poor = "as good as the baseline", fmt.Sprintf("that is worse by %s or more", given(b.Delta))
		unless = fmt.Sprintf(", unless the limits miss the baseline's rate, as they do at most %s of the time", level(b.Gamma))
	}
	return fmt.Sprintf(" A system %s is failed by mistake at most %s of the time, one %s is passed by mistake at most %s of the time%s.",
		good, level(p.Alpha), poor, level(p.Beta), unless)
}
