package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// buildPlan is what is tested, the design with its exact errors, what it does at a ladder
// of pass rates, what it is to be measured against, and how many trials to expect.
func buildPlan(d *document.Document, p *plan.Plan) {
	d.Begin(p.Header(), "plan")
	d.Word = "plan"
	d.Colour = verdict.Pass
	// A design whose exact errors exceed what was asked for cannot be relied on.
	if !p.Design.Gates {
		d.Colour = verdict.Fail
	}
	planHead(d, p)
	d.Break()
	// The comparison takes the place of the design in the text; on pages both stand,
	// the table of the comparison folded.
	if d.Detail.Compare {
		sideBySide(d, p, document.Everywhere)
		d.Break()
		d.Warn(p.Warnings)
		buildVariation(d, p.Variation)
		d.Close(comparedSentence(p))
	} else {
		planDesign(d, p)
		d.Break()
		plannedLooks(d, p)
		ladder(d, p)
		d.Break()
		references(d, p)
		d.Line("price", planPrices(p))
		sideBySide(d, p, document.Pages)
		d.Warn(p.Warnings)
		buildVariation(d, p.Variation)
		d.Close(planSentence(p))
	}
	// A page draws the boundaries in any case, without a path: nothing has been run.
	boundaries := &document.Path{
		In: document.Drawing, Name: "design", Verdict: d.Colour, Count: prose.Count(p.Design.MaxTrials, "trial"),
		Title: "boundaries of the design", Caption: fmt.Sprintf("%s design, at most %s", safe.Text(p.Design.Kind),
			prose.Count(p.Design.MaxTrials, "trial")),
		Digest: p.Design.Digest, Boundaries: p.Design.Boundaries, Shown: p.Design.MaxTrials,
	}
	if d.Detail.Chart {
		boundaries.In = document.Everywhere
		d.Break()
	}
	d.Parts = append(d.Parts, boundaries)
	d.Cases = []document.Case{planCase(d, p)}
	d.Outputs = d.Cases[0].Facts
}

// planCase is the one case of a plan: it fails where the errors of the design exceed
// their targets. Its facts are what scripts are told as well.
func planCase(d *document.Document, p *plan.Plan) document.Case {
	return document.Case{
		Scenario: "design", Name: "exact errors", Status: statusOf(d.Colour, nil), Message: planSentence(p),
		Facts: []document.Fact{
			number("threshold", p.Threshold), number("alpha", p.Design.Alpha), number("beta", p.Design.Beta),
			count("max_trials", p.Design.MaxTrials), fact("design", p.Design.Digest),
		},
	}
}

// planHead says what is tested, and at which errors.
func planHead(d *document.Document, p *plan.Plan) {
	threshold, lower := figure.BriefRate(p.Threshold), figure.BriefRate(p.LowerRate())
	d.Headline = fmt.Sprintf("does the system pass at least %s of its trials, or only %s or less?", threshold, lower)
	if b := p.Baseline; b != nil {
		text := fmt.Sprintf("%s passed: its rate lies from %s to %s (%s exact limits); "+
			"tested are the lower limit, and the upper one less %s",
			figure.OfTrials(b.Passes, b.Trials), phrase.Rate(b.Low), phrase.Rate(b.High), figure.Level(1-b.Gamma),
			phrase.Points(b.Delta))
		// The limits of the baseline's rate are tested against, so a small baseline
		// makes an expensive test.
		if b.ComfortableTrials > b.Trials {
			text += fmt.Sprintf("; %s of the baseline would make this test and every later one cheaper",
				prose.Count(b.ComfortableTrials, "trial"))
		}
		d.Line("baseline", text)
	}
	d.Linef("errors", "false Fail at most %s (at a rate of %s or more), false Pass at most %s (at %s or less)",
		figure.Level(p.Alpha), threshold, figure.Level(p.Beta), lower)
}

// planDesign is the test itself.
func planDesign(d *document.Document, p *plan.Plan) {
	design := p.Design
	// A test of groups may end only at the end of a group.
	looks := ""
	if design.Group > 1 {
		looks = fmt.Sprintf(", analysed after every %d", design.Group)
	}
	kind := safe.Text(design.Kind)
	switch {
	// An optimal design expects the fewest trials under the prior; a design of
	// another kind starts from it.
	case p.Prior == "":
	case design.Objective != nil:
		kind += " under the prior " + p.Prior
	default:
		kind += ", which starts from " + p.Prior
	}
	d.Linef("design", "%s: at most %s%s", kind, prose.Count(design.MaxTrials, "trial"), looks)
	d.Linef("exact errors", "false Fail %s, false Pass %s (%s)", figure.ExactChance(design.Alpha),
		figure.ExactChance(design.Beta),
		certified(design))
	d.Line("ends", ends(p))
	d.Line("dependence", dependence(p.Dependence))
	d.Line("objective", objective(p))
	d.Line("digest", figure.ShortDigest(design.Digest))
}

// dependence is what answers that are served again make of a design; "" of none.
func dependence(x *plan.Dependence) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("where each answer is served %d times: false Fail %s, false Pass %s; a test of one trial of "+
		"each answer keeps its errors, with %d times the trials: at most %d, %s expected at the threshold and %s at "+
		"the lower rate",
		x.Served, figure.ExactChance(x.FalseFail), figure.ExactChance(x.FalsePass), x.Served, x.MaxTrials,
		figure.Trials(x.AtThreshold), figure.Trials(x.AtLower))
}

// plannedLooks is what the design says at each look, where it is looked at a few times.
func plannedLooks(d *document.Document, p *plan.Plan) {
	if len(p.Looks) == 0 {
		return
	}
	t := &document.Table{Title: "The analyses", Columns: []document.Column{
		{Title: "analysis"}, {Title: "trials", Right: true}, {Title: "Pass with failures", Right: true},
		{Title: "Fail with failures", Right: true},
	}}
	for i, l := range p.Looks {
		pass, fail := "-", "-"
		if l.PassAtOrBelow >= 0 {
			pass = fmt.Sprintf("%d or fewer", l.PassAtOrBelow)
		}
		if l.FailAtOrAbove != nil {
			fail = fmt.Sprintf("%d or more", *l.FailAtOrAbove)
		}
		row := &document.Row{}
		for _, text := range []string{fmt.Sprint(i + 1), fmt.Sprint(l.Trials), pass, fail} {
			row.Cells = append(row.Cells, document.Plain(text))
		}
		t.Rows = append(t.Rows, row)
	}
	d.Table(t)
	d.Break()
}

// objective is what an optimal design minimises, and the bound that no design beats.
func objective(p *plan.Plan) string {
	d := p.Design
	if d.Objective == nil {
		return ""
	}
	text := fmt.Sprintf("%s expected trials under the prior", figure.Hundredths(*d.Objective))
	// With fewer trials than the fixed sample not every test can end with an answer,
	// and the objective has a price for that.
	if p.Fixed == nil || d.MaxTrials < p.Fixed.Trials {
		text = fmt.Sprintf("%s trials under the prior, where an Inconclusive counts as %d more",
			figure.Hundredths(*d.Objective), d.MaxTrials)
	}
	if d.Gap != nil {
		text += fmt.Sprintf("; no valid test is below %s (gap %s)", figure.Hundredths(p.Floors.OptimalObjective),
			figure.Gap(*d.Gap))
	}
	return text
}

// ends says in words where the boundaries begin.
func ends(p *plan.Plan) string { return endsOf(p.Design.Boundaries) }

// endsOf is ends of any boundaries.
func endsOf(b design.Boundaries) string {
	passes, failures := b.StraightPasses(), b.StraightFailures()
	var parts []string
	if passes > 0 {
		parts = append(parts, "with Pass after "+straight(passes, "pass"))
	}
	if failures > 0 {
		parts = append(parts, "with Fail after "+straight(failures, "failure"))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ", at the earliest"
}

// straight is a number of passes or failures without any other outcome between them.
func straight(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d straight %s", n, prose.Plural(noun))
}

// certified says how the exact errors were confirmed: in integers, without any
// rounding, or in floating point where the design is too long for that.
func certified(d plan.DesignPlan) string {
	switch {
	case d.Certified:
		return "certified in integers"
	case d.Gates:
		return "in floating point: too long to certify in integers"
	}
	return "not within the targets"
}

// ladder is what the test does at some pass rates.
func ladder(d *document.Document, p *plan.Plan) {
	t := &document.Table{Title: "What the design does"}
	// Columns and cells are added by the same conditions, so that they stay in step:
	// what the plan does not know has no column.
	add := func(title string, drop int, known bool) {
		if known {
			t.Columns = append(t.Columns, document.Column{Title: title, Right: len(t.Columns) > 0,
				Text: table.Column{Drop: drop}})
		}
	}
	priced := p.Price != nil && p.Price.PerTrialUSD != nil
	timed := p.Price != nil && p.Price.SecondsPerTrial != nil
	for _, title := range []string{"pass rate", "Pass", "Fail", "Inconclusive", "expected"} {
		add(title, 0, true)
	}
	// The number of trials by which 95 % of the tests have ended.
	add("95% by", 2, true)
	add("Wald", 3, p.Wald != nil)
	add("price", 0, priced)
	add("time", 1, timed)
	for i, point := range p.Design.Points {
		row := &document.Row{}
		// Wald's test and the prices may have fewer points than the design.
		put := func(text string, known bool) {
			if known {
				row.Cells = append(row.Cells, document.Plain(text))
			}
		}
		wald, price, time := "", "", ""
		if p.Wald != nil && i < len(p.Wald.Points) {
			wald = figure.Trials(p.Wald.Points[i].ASN)
		}
		if p.Price != nil && i < len(p.Price.Points) {
			price, time = figure.Optional(p.Price.Points[i].USD, figure.Money), figure.Optional(p.Price.Points[i].Seconds,
				figure.Duration)
		}
		put(rung(p, point.P), true)
		for _, share := range []float64{point.Pass, point.Fail, point.Inconclusive} {
			put(figure.Computed(share), true)
		}
		put(figure.Trials(point.ASN), true)
		put(fmt.Sprint(point.Q95), true)
		put(wald, p.Wald != nil)
		put(price, priced)
		put(time, timed)
		t.Rows = append(t.Rows, row)
	}
	d.Table(t)
}

// rung names the rates that are told apart.
func rung(p *plan.Plan, x float64) string {
	switch x {
	case p.Threshold:
		return phrase.Rate(x) + " good"
	case p.LowerRate():
		return phrase.Rate(x) + " too low"
	}
	return phrase.Rate(x)
}

// references are what the design is to be measured against.
func references(d *document.Document, p *plan.Plan) {
	// That is as far as a fixed sample is looked for.
	fixed := "more than 20,000 trials each time"
	if f := p.Fixed; f != nil {
		fixed = fmt.Sprintf("%s each time, of which %d may fail (false Fail %s, false Pass %s)",
			prose.Count(f.Trials, "trial"), f.MaxFailures, figure.ExactChance(f.Alpha), figure.ExactChance(f.Beta))
	}
	d.Line("fixed sample", fixed)
	d.Line("Wald", wald(p))
	d.Line("at any time", verdictAtAnyTime(p))
	floors := p.Floors
	d.Linef("floors", "no valid test passes before %s or fails before %s; "+
		"none that always decides expects fewer than %s trials at %s or %s at %s",
		straight(floors.Pass, "pass"), straight(floors.Fail, "failure"),
		figure.Trials(floors.TrialsAtH0), figure.BriefRate(p.Threshold), figure.Trials(floors.TrialsAtH1),
		figure.BriefRate(p.LowerRate()))
}

// verdictAtAnyTime is what the rate takes without a plan; "" where a plan does not say.
func verdictAtAnyTime(p *plan.Plan) string {
	x := p.AtAnyTime
	if x == nil {
		return ""
	}
	var expected []string
	for i, trials := range x.Expected {
		if trials != nil && i < len(p.Design.Points) {
			rate := phrase.Rate(p.Design.Points[i].P)
			expected = append(expected, fmt.Sprintf("%s at %s", figure.Trials(*trials), rate))
		}
	}
	return "verdict --anytime, without a plan: expected trials " + strings.Join(expected, ", ")
}

// wald is Wald's test, cut off and not.
func wald(p *plan.Plan) string {
	var parts []string
	// Both forms of Wald's test, each with its own exact errors: cut off, and with a
	// limit so far away that it matters at no rate.
	if w := p.Wald; w != nil {
		text := fmt.Sprintf("cut off at %s: false Fail %s, false Pass %s", prose.Count(w.MaxTrials, "trial"),
			figure.ExactChance(w.Alpha), figure.ExactChance(w.Beta))
		if most := mostInconclusive(w.Points); most > 0 {
			text += ", Inconclusive up to " + figure.Chance(most)
		}
		parts = append(parts, text)
	}
	if w := p.WaldUncut; w != nil {
		text := "without a limit: %s and %s"
		if len(parts) == 0 {
			text = "without a limit: false Fail %s, false Pass %s"
		}
		parts = append(parts, fmt.Sprintf(text, figure.ExactChance(w.Alpha), figure.ExactChance(w.Beta)))
	}
	return strings.Join(parts, "; ")
}

// mostInconclusive is the largest chance of no decision, if it is worth a word.
func mostInconclusive(points []design.Point) float64 {
	most := 0.0
	for _, point := range points {
		most = max(most, point.Inconclusive)
	}
	// Below this it would be written as less than 0.01 %.
	if most < 0.00005 {
		return 0
	}
	return most
}

// spending is money and time; "" where neither is known.
func spending(s plan.Spending) string {
	var parts []string
	if s.USD != nil {
		parts = append(parts, figure.Money(*s.USD))
	}
	if s.Seconds != nil {
		parts = append(parts, figure.Duration(*s.Seconds))
	}
	return strings.Join(parts, ", ")
}

// planPrices are those of a trial, of the longest test and of the fixed sample.
func planPrices(p *plan.Plan) string {
	// A price is known where the plan was given one, of money, of time or of both.
	price := p.Price
	if price == nil {
		return ""
	}
	each := plan.Spending{USD: price.PerTrialUSD, Seconds: price.SecondsPerTrial}
	text := fmt.Sprintf("%s a trial, at most %s", spending(each), spending(price.Worst))
	if price.Fixed != nil {
		text += fmt.Sprintf("; the fixed sample takes %s each time", spending(*price.Fixed))
	}
	return text
}

// planSentence is for a reader without statistics.
func planSentence(p *plan.Plan) string {
	d := p.Design
	// What to expect, then how often it is wrong, then how often it does not answer:
	// in everyday words, with the exact figures above it.
	text := expect(p)
	if !d.Gates {
		return text + " The exact errors exceed what was asked for: no gate may rest on this design."
	}
	text += mistakes(p)
	if most := mostInconclusive(d.Points); most > 0 {
		text += fmt.Sprintf(" It may end without an answer, in up to %s of runs.", figure.Chance(most))
	}
	return text
}

// expect says how many trials to expect, and their price.
func expect(p *plan.Plan) string {
	d := p.Design
	most := fmt.Sprintf("at most %d", d.MaxTrials)
	if p.Price != nil {
		most += inBrackets(spending(p.Price.Worst))
	}
	for i, point := range d.Points {
		// Nothing is broken at a pass rate of 1: what a team sees on most days.
		if point.P != 1 {
			continue
		}
		// The price in brackets is that of the expected trials; the other is that of
		// the most.
		usual := ""
		if p.Price != nil && i < len(p.Price.Points) {
			usual = inBrackets(spending(p.Price.Points[i].Spending))
		}
		return fmt.Sprintf("Expect about %s %s%s when nothing is broken, %s.",
			figure.Quantity(point.ASN), prose.Form(int(point.ASN), "trial", "trials"), usual, most)
	}
	if p.Price == nil {
		return fmt.Sprintf("Expect %s trials.", most)
	}
	return fmt.Sprintf("Expect at most %s%s.", prose.Count(d.MaxTrials, "trial"), inBrackets(spending(p.Price.Worst)))
}

// inBrackets is a remark behind a number; "" where there is none.
func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// mistakes are the two errors in everyday words.
func mistakes(p *plan.Plan) string {
	// With a baseline the hypotheses are about its rate, which is known up to limits:
	// gamma is the chance that they miss it.
	good := fmt.Sprintf("that passes %s of its trials", figure.BriefRate(p.Threshold))
	poor := "that passes only " + figure.BriefRate(p.LowerRate())
	unless := ""
	if b := p.Baseline; b != nil {
		good = "as good as the baseline"
		poor = fmt.Sprintf("that is worse by %s or more", phrase.Points(b.Delta))
		unless = fmt.Sprintf(", unless the limits miss the baseline's rate, as they do at most %s of the time",
			figure.Level(b.Gamma))
	}
	return fmt.Sprintf(" A system %s is failed by mistake at most %s of the time, "+
		"one %s is passed by mistake at most %s of the time%s.",
		good, figure.Level(p.Alpha), poor, figure.Level(p.Beta), unless)
}
