package report

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// buildAgainst is the plan of a test against a baseline: what is compared, the design with
// its proved errors, what it does at some rates of the baseline, and how many trials to
// expect.
func buildAgainst(d *document.Document, p *plan.Against) {
	d.Begin(p.Header(), "plan")
	d.Word, d.Colour = "plan", verdict.Pass
	if !p.Design.Gates {
		d.Colour = verdict.Fail
	}
	d.Headline = fmt.Sprintf("is the candidate as good as the baseline, or worse by %s or more?", phrase.Points(p.Delta))
	againstHead(d, p)
	d.Break()
	againstDesign(d, p)
	d.Break()
	againstTable(d, p)
	d.Break()
	againstReferences(d, p)
	d.Warn(p.Warnings)
	buildVariation(d, p.Variation)
	d.Close(againstSentence(p))
	if p.Baseline != nil {
		boundaries := &document.Path{
			In: document.Drawing, Name: "design", Verdict: d.Colour, Count: prose.Count(p.Design.MaxTrials, "trial"),
			Title:   "boundaries for this baseline",
			Caption: fmt.Sprintf("against a baseline, at most %s", prose.Count(p.Design.MaxTrials, "trial")),
			Digest:  p.Design.Digest, Boundaries: p.Design.Boundaries,
			Shown: len(p.Design.Boundaries.PassAtOrBelow),
		}
		if d.Detail.Chart {
			boundaries.In = document.Everywhere
			d.Break()
		}
		d.Parts = append(d.Parts, boundaries)
	}
	d.Cases = []document.Case{{
		Scenario: "design", Name: "proved errors", Status: statusOf(d.Colour, nil), Message: againstSentence(p),
		Facts: []document.Fact{
			number("delta", p.Delta), number("alpha", p.Design.Alpha), number("beta", p.Design.Beta),
			count("max_trials", p.Design.MaxTrials), fact("design", p.Design.Digest),
		},
	}}
	d.Outputs = d.Cases[0].Facts
}

// againstHead says what is compared, and for which rates the errors are kept.
func againstHead(d *document.Document, p *plan.Against) {
	guarded := fmt.Sprintf("errors are kept for rates of the baseline from %s to %s", phrase.Rate(p.Guarded.Low),
		phrase.Rate(p.Guarded.High))
	everyRate := p.Family != nil && p.Family.EveryRate
	if everyRate || p.Guarded.Low == 0 && p.Guarded.High == 1 {
		guarded = "errors are kept for every rate of the baseline"
	}
	switch b := p.Baseline; {
	case b == nil:
		d.Line("baseline", "runs beside the candidate, a trial of each in every round; "+guarded)
	case p.Gamma > 0 && !everyRate:
		d.Linef("baseline", "%s passed%s; %s, and its own is another with a chance of %s at most",
			figure.OfTrials(b.Passes, b.Trials), sampledBy(p), guarded, gammaText(p.Gamma))
	default:
		d.Linef("baseline", "%s passed%s; %s", figure.OfTrials(b.Passes, b.Trials), sampledBy(p), guarded)
	}
	d.Linef("errors", "false Fail at most %s (nothing changed), false Pass at most %s (a drop of %s or more)",
		figure.Level(p.Alpha), figure.Level(p.Beta), phrase.Points(p.Delta))
}

// sampledBy says of a baseline how it was sampled, if its number of trials was not fixed.
func sampledBy(p *plan.Against) string {
	if p.Family != nil && p.Family.Sample.Fixed == 0 {
		return ", where a sequential test ended"
	}
	return ""
}

// gammaText writes a small chance as it was given, such as 0.000001.
func gammaText(gamma float64) string { return strconv.FormatFloat(gamma, 'f', -1, 64) }

// againstDesign is the test itself.
func againstDesign(d *document.Document, p *plan.Against) {
	design, unit := p.Design, againstUnit(p)
	what := "boundaries for every outcome that the baseline might have had"
	if p.Baseline == nil {
		what = "both sides in rounds"
	}
	d.Linef("design", "%s: at most %s", what, prose.Count(design.MaxTrials, unit))
	added := ""
	if p.Gamma > 0 {
		added = ", the chance of another rate included"
	}
	d.Linef("exact errors", "false Fail %s (largest at %s), false Pass %s (at %s): proved for all of these rates%s",
		figure.ExactChance(design.Alpha), phrase.Rate(design.AlphaAt), figure.ExactChance(design.Beta),
		phrase.Rate(design.BetaAt), added)
	if p.Baseline != nil {
		d.Line("ends", endsOf(design.Boundaries))
	}
	d.Line("dependence", dependenceOfBoth(p.Dependence))
	// With fewer trials than the fixed sample not every test can end with an answer, and the
	// objective has a price for that.
	objective := fmt.Sprintf("%s expected %s, averaged over these rates", figure.Hundredths(design.Expected),
		prose.Plural(unit))
	if design.FixedTrials == 0 || design.MaxTrials < design.FixedTrials {
		objective = fmt.Sprintf("%s %s, averaged over these rates, where an Inconclusive counts as %d more",
			figure.Hundredths(design.Expected+float64(design.MaxTrials)*design.Inconclusive), prose.Plural(unit),
			design.MaxTrials)
	}
	d.Linef("objective", "%s; no such test is below %s (gap %s)", objective, figure.Hundredths(design.Bound),
		figure.Gap(design.Gap))
	d.Line("digest", figure.ShortDigest(design.Digest))
}

// dependenceOfBoth is what answers that are served again on both sides make of a test; "" of none.
func dependenceOfBoth(x *plan.DependenceOfBoth) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf("where each answer of both sides is served %d times in a row: false Fail %s (largest at %s), "+
		"false Pass %s (at %s); a test of one trial of each answer keeps its errors, with %d times the trials: %d of the "+
		"baseline, and at most %d of the candidate", x.Served, figure.ExactChance(x.FalseFail), phrase.Rate(x.FailAt),
		figure.ExactChance(x.FalsePass), phrase.Rate(x.PassAt), x.Served, x.BaselineTrials, x.MaxTrials)
}

// againstUnit is what a test counts: trials of the candidate, or rounds.
func againstUnit(p *plan.Against) string {
	if p.Baseline == nil {
		return "round"
	}
	return "trial"
}

// againstTable is what the test does where nothing changed, and where the candidate is worse
// by delta.
func againstTable(d *document.Document, p *plan.Against) {
	t := &document.Table{
		Title: "What the design does",
		Note: fmt.Sprintf("Expected %s and chances of a wrong answer, by the baseline's pass rate: where nothing changed, "+
			"and where the candidate is worse by %s.", prose.Plural(againstUnit(p)), phrase.Points(p.Delta)),
	}
	add := func(title string, drop int) {
		t.Columns = append(t.Columns, document.Column{Title: title, Right: len(t.Columns) > 0,
			Text: table.Column{Drop: drop}})
	}
	add("pass rate", 0)
	add("unchanged", 0)
	add("false Fail", 0)
	add(phrase.Points(p.Delta)+" worse", 0)
	add("false Pass", 0)
	if p.Baseline != nil {
		add("this baseline", 1)
	}
	for _, point := range p.Points {
		row := t.Add(againstRung(p, point), figure.Trials(point.Unchanged.ASN), figure.Computed(point.Unchanged.Fail),
			figure.Trials(point.Dropped.ASN), figure.Computed(point.Dropped.Pass))
		if given := point.Unchanged.Given; given != nil {
			row.Cells = append(row.Cells, document.Plain(figure.Trials(*given)))
		}
	}
	d.Table(t)
}

// againstRung names a rate of the baseline.
func againstRung(p *plan.Against, point plan.AgainstPoint) string {
	text := phrase.Rate(point.P)
	if p.Baseline != nil && point.P == p.Baseline.Rate() {
		text += " observed"
	}
	if !point.Guarded {
		text += ", not kept"
	}
	return text
}

// againstReferences are what the design is to be measured against.
func againstReferences(d *document.Document, p *plan.Against) {
	unit := againstUnit(p)
	fixed := "none keeps these errors"
	if n := p.Design.FixedTrials; n > 0 {
		fixed = prose.Count(n, unit) + " each time"
	}
	d.Line("fixed sample", fixed)
	if p.Baseline != nil {
		limits := "of the baseline's rate: none, the baseline is too small for them"
		if l := p.Limits; l != nil {
			limits = fmt.Sprintf("of the baseline's rate: at most %s, about %s expected",
				prose.Count(l.MaxTrials, "trial"), figure.Quantity(l.ASN))
		}
		d.Line("limits", limits)
	}
	if x := p.AtAnyTime; x != nil {
		var expected []string
		for i, point := range p.Points {
			if 2*i+1 < len(x.Expected) && x.Expected[2*i] != nil && x.Expected[2*i+1] != nil {
				expected = append(expected, fmt.Sprintf("%s and %s at %s", figure.Trials(*x.Expected[2*i]),
					figure.Trials(*x.Expected[2*i+1]), phrase.Rate(point.P)))
			}
		}
		d.Linef("at any time", "compare --anytime, without a plan: expected pairs, unchanged and %s worse, %s",
			phrase.Points(p.Delta), strings.Join(expected, ", "))
	}
	if price := p.Price; price != nil {
		each := plan.Spending{USD: price.PerTrialUSD, Seconds: price.SecondsPerTrial}
		d.Linef("price", "%s a trial, at most %s", spending(each), spending(price.Worst))
	}
}

// againstSentence is for a reader without statistics.
func againstSentence(p *plan.Against) string {
	unit := againstUnit(p)
	at := p.Points[0]
	for _, point := range p.Points {
		if p.Baseline != nil && point.P == p.Baseline.Rate() {
			at = point
		}
	}
	expected, dropped := at.Unchanged.ASN, at.Dropped.ASN
	if at.Unchanged.Given != nil && at.Dropped.Given != nil {
		expected, dropped = *at.Unchanged.Given, *at.Dropped.Given
	}
	where := fmt.Sprintf("of a baseline with a rate of %s", phrase.Rate(at.P))
	if p.Baseline != nil {
		where = "if the baseline's rate is " + phrase.Rate(at.P)
	}
	text := fmt.Sprintf("Expect about %s %s when nothing changed and about %s after a drop of %s (%s), at most %d.",
		figure.Quantity(expected), prose.Form(int(expected), unit, prose.Plural(unit)), figure.Quantity(dropped),
		phrase.Points(p.Delta), where,
		p.Design.MaxTrials)
	if !p.Design.Gates {
		return text + " The errors exceed what was asked for: no gate may rest on this design."
	}
	condition := ""
	if g := p.Guarded; p.Baseline == nil && (g.Low > 0 || g.High < 1) || p.Baseline != nil && !at.Guarded {
		condition = fmt.Sprintf("If the baseline's rate is from %s to %s, a", phrase.Rate(g.Low), phrase.Rate(g.High))
	}
	return text + " " + cmp.Or(condition, "A") + fmt.Sprintf(" candidate as good as the baseline is failed by mistake "+
		"at most %s of the time, one that is worse by %s or more is passed by mistake at most %s of the time.",
		figure.Level(p.Alpha), phrase.Points(p.Delta), figure.Level(p.Beta))
}
