package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// Plan writes a plan as text: what is tested, the design with its exact errors,
// what it does at a ladder of pass rates, what it is to be measured against, and a
// closing sentence that says how many trials to expect. Every line is at most as
// wide as the options say, and every write error is returned.
func Plan(w io.Writer, p *plan.Plan, o TextOptions) error {
	if p == nil {
		return ErrNoResult
	}
	t := planPage{page: newPage(o.withDefaults(defaultScenarios)), plan: p}
	t.head()
	t.blank()
	t.design()
	t.blank()
	t.ladder()
	t.blank()
	t.references()
	t.prices()
	t.warnings(p.Warnings)
	t.blank()
	t.paragraph(t.sentence())
	return t.flush(w)
}

type planPage struct {
	*page
	plan *plan.Plan
}

// head says what is tested, and at which errors.
func (t *planPage) head() {
	p := t.plan
	good := verdict.Pass
	if !p.Design.Gates {
		good = verdict.Fail
	}
	threshold, lower := brief(p.Threshold), brief(p.LowerRate())
	t.title(good, "PLAN", fmt.Sprintf("does the system pass at least %s of its trials, or only %s or less?", threshold, lower))
	if b := p.Baseline; b != nil {
		text := fmt.Sprintf("%s passed: its rate lies from %s to %s (%s exact limits); tested are the lower limit, and the upper one less %s",
			ofTrials(b.Passes, b.Trials), rate(b.Low), rate(b.High), level(1-b.Gamma), given(b.Delta))
		if b.ComfortableTrials > b.Trials {
			text += fmt.Sprintf("; %s of the baseline would make this test and every later one cheaper", plural(b.ComfortableTrials, "trial"))
		}
		t.labelled("baseline", text)
	}
	t.labelled("errors", fmt.Sprintf("false Fail at most %s (at a rate of %s or more), false Pass at most %s (at %s or less)",
		level(p.Alpha), threshold, level(p.Beta), lower))
}

// design is the test itself.
func (t *planPage) design() {
	p, d := t.plan, t.plan.Design
	looks := ""
	if d.Group > 1 {
		looks = fmt.Sprintf(", looking after every %d", d.Group)
	}
	kind := clean(d.Kind)
	switch {
	case p.Prior == "":
	case d.Objective != nil:
		kind += " under the prior " + p.Prior
	default:
		kind += ", which starts from " + p.Prior
	}
	t.labelled("design", fmt.Sprintf("%s: at most %s%s", kind, plural(d.MaxTrials, "trial"), looks))
	t.labelled("exact errors", fmt.Sprintf("false Fail %s, false Pass %s (%s)", exactChance(d.Alpha), exactChance(d.Beta), certified(d)))
	t.labelled("ends", t.ends())
	t.labelled("objective", t.objective())
	t.labelled("digest", shortDigest(d.Digest))
}

// objective is what an optimal design minimises, and the bound that no design beats.
func (t *planPage) objective() string {
	p, d := t.plan, t.plan.Design
	if d.Objective == nil {
		return ""
	}
	text := fmt.Sprintf("%s expected trials under the prior", hundredths(*d.Objective))
	if p.Fixed == nil || d.MaxTrials < p.Fixed.Trials {
		text = fmt.Sprintf("%s trials under the prior, where an Inconclusive counts as %d more", hundredths(*d.Objective), d.MaxTrials)
	}
	if d.Gap != nil {
		text += fmt.Sprintf("; no valid test is below %s (gap %s)", hundredths(p.Floors.OptimalObjective), gap(*d.Gap))
	}
	return text
}

// ends says in words where the boundaries begin.
func (t *planPage) ends() string {
	b := t.plan.Design.Boundaries
	passes, failures := b.StraightPasses(), b.StraightFailures()
	var parts []string
	if passes > 0 {
		parts = append(parts, fmt.Sprintf("with Pass after %s", straight(passes, "pass", "passes")))
	}
	if failures > 0 {
		parts = append(parts, fmt.Sprintf("with Fail after %s", straight(failures, "failure", "failures")))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ", at the earliest"
}

func straight(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d straight %s", n, many)
}

func certified(d plan.DesignPlan) string {
	switch {
	case d.Certified:
		return "certified in integers"
	case d.Gates:
		return "in floating point: too long to certify in integers"
	}
	return "not within the targets"
}

// ladder is the table of what the test does at some pass rates.
func (t *planPage) ladder() {
	p := t.plan
	columns := []table.Column{
		{Header: "pass rate"},
		{Header: "Pass", Align: table.Right},
		{Header: "Fail", Align: table.Right},
		{Header: "Inconclusive", Align: table.Right},
		{Header: "expected", Align: table.Right},
		{Header: "95% by", Align: table.Right, Drop: 2},
		{Header: "Wald", Align: table.Right, Drop: 3},
		{Header: "price", Align: table.Right},
		{Header: "time", Align: table.Right, Drop: 1},
	}
	shown := []bool{true, true, true, true, true, true, p.Wald != nil, p.Price != nil && p.Price.PerTrialUSD != nil, p.Price != nil && p.Price.SecondsPerTrial != nil}
	var rows [][]string
	for i, point := range p.Design.Points {
		row := []string{t.rung(point.P), computed(point.Pass), computed(point.Fail), computed(point.Inconclusive), trials(point.ASN), fmt.Sprint(point.Q95), "", "", ""}
		if p.Wald != nil && i < len(p.Wald.Points) {
			row[6] = trials(p.Wald.Points[i].ASN)
		}
		if p.Price != nil && i < len(p.Price.Points) {
			row[7], row[8] = spent(p.Price.Points[i].USD, money), spent(p.Price.Points[i].Seconds, duration)
		}
		rows = append(rows, row)
	}
	for i := len(shown) - 1; i >= 0; i-- {
		if shown[i] {
			continue
		}
		columns = slices.Delete(columns, i, i+1)
		for r := range rows {
			rows[r] = slices.Delete(rows[r], i, i+1)
		}
	}
	if len(rows) > 0 {
		t.table(table.Table{Columns: columns, Rows: rows})
	}
}

// rung names the rates that are told apart.
func (t *planPage) rung(p float64) string {
	switch p {
	case t.plan.Threshold:
		return brief(p) + " good"
	case t.plan.LowerRate():
		return brief(p) + " too low"
	}
	return brief(p)
}

// references are what the design is to be measured against.
func (t *planPage) references() {
	p := t.plan
	if f := p.Fixed; f != nil {
		t.labelled("fixed sample", fmt.Sprintf("%s each time, of which %d may fail (false Fail %s, false Pass %s)",
			plural(f.Trials, "trial"), f.MaxFailures, exactChance(f.Alpha), exactChance(f.Beta)))
	} else {
		t.labelled("fixed sample", "more than 20,000 trials each time")
	}
	t.labelled("Wald", t.wald())
	floors := p.Floors
	t.labelled("floors", fmt.Sprintf("no valid test passes before %s or fails before %s; none that always decides expects fewer than %s trials at %s or %s at %s",
		straight(floors.Pass, "pass", "passes"), straight(floors.Fail, "failure", "failures"),
		trials(floors.TrialsAtH0), brief(p.Threshold), trials(floors.TrialsAtH1), brief(p.LowerRate())))
}

// wald is Wald's test, cut off and not.
func (t *planPage) wald() string {
	var parts []string
	if w := t.plan.Wald; w != nil {
		text := fmt.Sprintf("cut off at %s: false Fail %s, false Pass %s", plural(w.MaxTrials, "trial"), exactChance(w.Alpha), exactChance(w.Beta))
		if most := leastDecided(w.Points); most > 0 {
			text += fmt.Sprintf(", Inconclusive up to %s", chance(most))
		}
		parts = append(parts, text)
	}
	if w := t.plan.WaldUncut; w != nil {
		text := "without a limit: %s and %s"
		if len(parts) == 0 {
			text = "without a limit: false Fail %s, false Pass %s"
		}
		parts = append(parts, fmt.Sprintf(text, exactChance(w.Alpha), exactChance(w.Beta)))
	}
	return strings.Join(parts, "; ")
}

// leastDecided is the largest chance of no decision that is worth a word.
func leastDecided(points []design.Point) float64 {
	most := 0.0
	for _, point := range points {
		most = max(most, point.Inconclusive)
	}
	if most < 0.00005 {
		return 0
	}
	return most
}
