package report

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// buildScenarios says what one question about all scenarios of a suite takes.
func buildScenarios(d *document.Document, s *plan.Sizes) {
	x := s.Scenarios
	q := x.Question
	d.Word, d.Colour = "plan", verdict.Pass
	asked := fmt.Sprintf("has their mean pass rate dropped by %s, or has one lost %s", phrase.Points(s.Delta),
		phrase.Points(1-q.Floor.To))
	if q.Sides == stratified.Threshold {
		asked = fmt.Sprintf("is their mean pass rate %s or less, or does one pass %s or less", phrase.Percent(q.Lower()),
			phrase.Percent(q.Floor.To))
	}
	d.Headline = fmt.Sprintf("%s as one question: %s?", prose.Count(q.Scenarios, "scenario"), asked)
	var closing string
	var t *document.Table
	if q.Sides == stratified.Stored {
		d.Linef("errors", "false Fail at most %s, false Pass at most %s; a smaller baseline costs answers, and no error",
			figure.Level(s.Alpha), figure.Level(s.Beta))
		d.Linef("rates", "every scenario of the baseline passes %s", phrase.Rate(s.Rate))
		t = storedTable(x)
		closing = "None of these lets an unchanged suite pass often enough: run the baseline beside it, with baseline_agent."
		for _, r := range x.Recorded {
			if r.Passes >= 1-s.Beta {
				closing = fmt.Sprintf("Record %d trials of each scenario, %d in all: an unchanged suite then passes in %s of runs.",
					r.Trials, r.Trials*q.Scenarios, figure.Chance(r.Passes))
				break
			}
		}
	} else {
		d.Linef("errors", "false Fail at most %s, false Pass at most %s, whatever the rates of the scenarios (proved)",
			figure.ExactChance(x.FalseFail), figure.ExactChance(x.FalsePass))
		t = casesTable(x)
		closing = fmt.Sprintf("Expect about %s trials where nothing ever fails, at most %d.",
			figure.Trials(x.Cases[0].Trials), x.MaxTrials)
	}
	d.Break()
	d.Table(t)
	if x.Repetitions > 0 {
		d.Break()
		d.Linef("simulated", "%d runs of each case that is not exact, with seed %d", x.Repetitions, x.Seed)
	}
	d.Warn(s.Warnings)
	d.Close(closing)
	c := document.Case{Scenario: "sizes", Name: "scenarios", Status: statusOf(verdict.Pass, nil), Message: closing,
		Facts: []document.Fact{count("scenarios", q.Scenarios), count("max_trials", x.MaxTrials)}}
	d.Cases, d.Outputs = []document.Case{c}, c.Facts
}

// casesTable has a row for each case of rates.
func casesTable(x *stratified.Size) *document.Table {
	t := &document.Table{Title: "Cases", Columns: []document.Column{{Title: "scenarios pass"}}}
	beside := x.Question.Sides != stratified.Threshold
	if beside {
		t.Columns = append(t.Columns, document.Column{Title: "baseline", Right: true})
	}
	for _, title := range []string{"Pass", "Fail", "trials"} {
		t.Columns = append(t.Columns, document.Column{Title: title, Right: true})
	}
	t.Columns = append(t.Columns, document.Column{Title: "figures"})
	for _, c := range x.Cases {
		rates := "all " + phrase.Rate(c.Rate)
		if c.Broken != nil {
			rates = fmt.Sprintf("one %s, others %s", phrase.Rate(*c.Broken), phrase.Rate(c.Rate))
		}
		chance, figures := figure.Chance, "exact"
		if !c.Exact {
			figures = "simulated"
			chance = func(p float64) string { return simulated(p, x.Repetitions) }
		}
		cells := []any{rates}
		if beside {
			cells = append(cells, "all "+phrase.Rate(*c.Baseline))
		}
		t.Add(append(cells, document.Told(chance(c.Pass), number("pass", c.Pass)),
			document.Told(chance(c.Fail), number("fail", c.Fail)),
			document.Told(figure.Trials(c.Trials), number("trials", c.Trials)), figures)...)
	}
	return t
}

// simulated is a share of repetitions: what never happened is not impossible.
func simulated(p float64, repetitions int) string {
	least := 1 / float64(repetitions)
	switch {
	case p < least/2:
		return "< " + phrase.Percent(least)
	case p > 1-least/2:
		return "> " + phrase.Percent(1-least)
	}
	return phrase.Rate(p)
}

// storedTable has a row for each number of trials that are recorded of a scenario.
func storedTable(x *stratified.Size) *document.Table {
	t := &document.Table{Title: "Baselines"}
	for _, title := range []string{"recorded", "in all", "unchanged passes", "drop found", "collapse shown by"} {
		t.Columns = append(t.Columns, document.Column{Title: title, Right: true})
	}
	for _, r := range x.Recorded {
		shown := none
		if r.Failures > 0 {
			shown = prose.Count(r.Failures, "failure")
		}
		t.Add(r.Trials, r.Trials*x.Question.Scenarios, document.Told(figure.Chance(r.Passes), number("passes", r.Passes)),
			document.Told(figure.Chance(r.Finds), number("finds", r.Finds)), shown)
	}
	return t
}
