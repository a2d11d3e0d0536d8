package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// usualScenarios is how many scenarios of a comparison the text lists.
const usualScenarios = 8

// comparedScenarios is a row and a case for each scenario. The text lists those that say
// most, if single scenarios say anything: with one trial a side they do not, and the
// pairs that flipped are named above.
func comparedScenarios(d *document.Document, r *compare.Result) {
	// Whether the text shows the table is decided below, when it is known which rows
	// are worth listing.
	t := &document.Table{In: document.Pages}
	rows := map[*compare.Scenario]*document.Row{}
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		row := scenarioRow(t, s)
		rows[s] = row
		d.Cases = append(d.Cases, scenarioCase(r, s, t, row))
	}
	for _, v := range worstFirst {
		t.Groups = append(t.Groups, document.Group{
			Verdict: v, Title: "Scenarios: " + v.String(), Rank: rankScenarios, Fold: v != verdict.Fail,
		})
	}
	// With a trial on each side, a scenario flipped or it did not: a rate of one
	// trial says nothing more.
	informative := r.By == verdict.ByScenario || slices.ContainsFunc(r.Scenarios, func(s compare.Scenario) bool {
		return s.Baseline.Trials >= 2 && s.Candidate.Trials >= 2
	})
	sorted := sortedScenarios(r)
	// The sorted rows are notable up to some row: the text ends there, or where its
	// room does.
	listed := 0
	for listed < min(len(sorted), rowsOf(d, usualScenarios)) && isNotable(r, sorted[listed]) {
		listed++
	}
	// The column of errors is in the text if a listed row has any. Pages have errors
	// within the columns of the sides, see passedOf.
	errors := document.Pages
	for _, s := range sorted[:listed] {
		t.Listed = append(t.Listed, rows[s])
		if s.Baseline.Errors+s.Candidate.Errors > 0 {
			errors = document.Text
		}
	}
	t.Columns = scenarioColumns(errors)
	sortByVerdict(t)
	if informative && listed > 0 {
		t.In = d.Statistics()
		if more := len(sorted) - listed; more > 0 {
			t.Left = fmt.Sprintf("%s and %d more", d.Detail.Ellipsis, more)
		}
	}
	d.Table(t)
}

// scenarioColumns are those of the text, and of pages.
func scenarioColumns(errors document.Place) []document.Column {
	columns := []document.Column{
		{Title: "verdict", In: document.Text, Painted: true},
		{Title: "scenario", Text: table.Column{Least: 20}},
		{Title: "verdict", In: document.Pages},
		{Title: "baseline", Right: true},
		{Title: "candidate", Right: true},
		{Title: "errors", Right: true, In: document.Text},
		{Title: "change", Right: true, Text: table.Column{Drop: 3}},
		{Title: "p", Right: true, Text: table.Column{Drop: 4}},
		{Title: "p (Holm)", Right: true, Text: table.Column{Header: "p holm", Drop: 1}},
		{Title: "p (BH)", Right: true, Text: table.Column{Header: "p bh", Drop: 2}},
	}
	if errors != document.Text {
		// A place that no format reads for this table: the column is nowhere.
		columns[5].In, columns[5].Bar = document.Drawing, false
	}
	return columns
}

// scenarioRow has the verdict twice: as the first column of the text, and as a cell
// with a mark on pages. The p-values are given raw and under both corrections,
// whichever decides.
func scenarioRow(t *document.Table, s *compare.Scenario) *document.Row {
	row := t.Add(
		document.Told(s.Verdict.String()),
		document.Name(safe.Name(s.Name)),
		document.Verdict(s.Verdict),
		document.Told(passedOf(s.Baseline)).InBrief(passed(s.Baseline)),
		document.Told(passedOf(s.Candidate)).InBrief(passed(s.Candidate)),
		document.Told(fmt.Sprintf("%d, %d", s.Baseline.Errors, s.Candidate.Errors)),
		document.Told(changeOf(s)),
		document.Told(figure.PValue(s.P), number("p", s.P)),
		document.Told(figure.PValue(s.PHolm), number("p_holm", s.PHolm)),
		document.Told(figure.PValue(s.PBH), number("p_bh", s.PBH)),
	)
	row.Verdict = s.Verdict
	return row
}

// scenarioCase is the case of a scenario: the counts of both sides and the corrected
// p.
func scenarioCase(r *compare.Result, s *compare.Scenario, parent *document.Table, row *document.Row) document.Case {
	c := document.Case{
		Scenario: s.Name, Name: regressionCaseName, Status: statusOf(s.Verdict, nil), Weight: fall(s), Table: parent,
		Row: row,
		Message: fmt.Sprintf("baseline %s, candidate %s, p %s after Holm's correction", passedOf(s.Baseline),
			passedOf(s.Candidate), figure.PValue(s.PHolm)),
	}
	// A scenario fails alone where it decides, or where all of it failed.
	if s.Verdict == verdict.Fail && r.Verdict != verdict.Fail {
		c.Status = document.Open
	}
	// Where all trials together decide, a scenario that did not pass less often leaves nothing to look at.
	if r.By == verdict.BySuite && s.Verdict == verdict.Inconclusive && fall(s) <= 0 &&
		s.Baseline.Trials > 0 && s.Candidate.Trials > 0 && s.Baseline.Errors+s.Candidate.Errors == 0 {
		c.Status = document.Passed
	}
	return c
}

// regressionCaseName is that of the cases of a comparison.
const regressionCaseName = "regression"

// fallen are the scenarios that passed less often, those that fell most first.
func fallen(r *compare.Result) (names []string) {
	for _, s := range sortedScenarios(r) {
		if fall(s) > 0 {
			names = append(names, s.Name)
		}
	}
	return names
}

// someNames lists the first of many names, each cut to a length that leaves room for others.
func someNames(names []string) string {
	const most = 8
	var list []string
	for _, name := range names[:min(len(names), most)] {
		list = append(list, prose.CutRunes(safe.Name(name), 60))
	}
	text := strings.Join(list, ", ")
	if more := len(names) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// mostFell is how many scenarios that passed less often are findings: the table has all of them. Chosen.
const mostFell = 8

// comparisonFindings are the scenarios that passed less often, those that are shown to be worse first, and how many did
// not. With one trial a side they are the pairs that flipped, which stand below.
func comparisonFindings(d *document.Document, r *compare.Result) {
	better, same, few := 0, 0, true
	var gone, added, broken []string
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		switch {
		case s.Candidate.Trials+s.Candidate.Errors == 0:
			gone = append(gone, s.Name)
			continue
		case s.Baseline.Trials+s.Baseline.Errors == 0:
			added = append(added, s.Name)
			continue
		case s.Candidate.Trials == 0 || s.Baseline.Trials == 0:
			broken = append(broken, s.Name)
			continue
		}
		few = few && s.Baseline.Trials < 2 && s.Candidate.Trials < 2
		switch {
		case fall(s) < 0:
			better++
		case fall(s) == 0:
			same++
		}
	}
	alone := func(names []string, sentence string) {
		if len(names) > 0 {
			d.Findings = append(d.Findings, document.Finding{Name: someNames(names), Verdict: verdict.Inconclusive,
				Sentence: sentence})
		}
	}
	alone(gone, "not tried by the candidate")
	alone(added, "not tried by the baseline")
	alone(broken, "ended in errors alone on one side or both, so nothing is known of a change")
	if few {
		return
	}
	beside := len(d.Findings)
	for _, s := range sortedScenarios(r) {
		worse := isWorse(r, s)
		if fall(s) <= 0 && !worse || len(d.Findings)-beside >= mostFell && !worse {
			continue
		}
		f := document.Finding{Name: safe.Name(s.Name), Verdict: verdict.Inconclusive}
		f.Sentence = fmt.Sprintf("%s -> %s passed", seenOn(r, s.Baseline), seenOn(r, s.Candidate))
		if worse {
			f.Verdict = verdict.Fail
			f.Sentence += ": worse"
		} else {
			f.Sentence += ", which may be chance"
		}
		f.Pair, f.Unpaired = exampleOf(r, s)
		d.Findings = append(d.Findings, f)
	}
	told := len(d.Findings) - beside
	if fell := len(r.Scenarios) - better - same - len(gone) - len(added) - len(broken); fell > told {
		d.Findings = append(d.Findings, document.Finding{Name: fmt.Sprintf("%d more", fell-told),
			Verdict: verdict.Inconclusive, Sentence: "passed less often too"})
	}
	switch {
	case same == 0 && better > 0:
		d.Fine = prose.Count(better, "scenario") + " passed more often than before"
	case same > 0:
		d.Fine = prose.Count(same, "scenario") + " passed as often as before"
		if better > 0 {
			d.Fine += fmt.Sprintf(", and %d more often", better)
		}
	}
}

// exampleOf is a trial of each side of a scenario, and which of them there is none of.
func exampleOf(r *compare.Result, s *compare.Scenario) (pair *compare.Flip, missing string) {
	list := r.Examples
	if r.Pairs != nil {
		list = r.Pairs.Flips
	}
	if len(list) == 0 {
		return nil, "" // no trials are known, or it is of an earlier version
	}
	i := slices.IndexFunc(list, func(f compare.Flip) bool {
		return f.Scenario == s.Name && f.To == trial.Fail.String()
	})
	switch {
	case i < 0:
		return nil, "This result holds no trials of this scenario to set side by side."
	case s.Baseline.Passes == 0:
		missing = "No trial of the baseline passed."
	case s.Candidate.Passes == s.Candidate.Trials:
		missing = "No trial of the candidate failed."
	}
	return &list[i], missing
}

// passedOf is the passes of a side, with its errors if there are any: "9/10 (1
// error)".
func passedOf(p compare.PassCounts) string {
	if p.Errors > 0 {
		return fmt.Sprintf("%s (%s)", passed(p), prose.Count(p.Errors, "error"))
	}
	return passed(p)
}

// seenOn is the same in a sentence: "9 of 10 (1 error left out)".
func seenOn(r *compare.Result, p compare.PassCounts) string {
	text := fmt.Sprintf("%d of %d", p.Passes, p.Trials)
	if omitted := phrase.Omitted(p.Errors); omitted != "" && r.Errors != verdict.FailErrors {
		text += " (" + strings.TrimPrefix(omitted, ", ") + ")"
	}
	return text
}

// passed is passes over trials: "9/10".
func passed(p compare.PassCounts) string { return fmt.Sprintf("%d/%d", p.Passes, p.Trials) }

// isWorse reports whether the scenario is shown to be worse.
func isWorse(r *compare.Result, s *compare.Scenario) bool {
	return adjusted(r, s) <= r.ScenarioAlpha()
}

// isOpen reports whether the scenario's verdict stands in the way of a Pass.
func isOpen(r *compare.Result, s *compare.Scenario) bool {
	return r.By == verdict.ByScenario && s.Verdict != verdict.Pass
}

// isNotable reports whether the text lists the scenario, as long as there is room.
func isNotable(r *compare.Result, s *compare.Scenario) bool {
	return isWorse(r, s) || isOpen(r, s) || fall(s) > 0
}

// sortedScenarios puts those shown to be worse first, then those that are open, then
// those that fell most.
func sortedScenarios(r *compare.Result) []*compare.Scenario {
	var rows []*compare.Scenario
	for i := range r.Scenarios {
		rows = append(rows, &r.Scenarios[i])
	}
	rank := func(s *compare.Scenario) int {
		switch {
		case isWorse(r, s):
			return 0
		case isOpen(r, s):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(rows, func(a, b *compare.Scenario) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(fall(b), fall(a)), cmp.Compare(a.P, b.P))
	})
	return rows
}

// adjusted is the p-value under the correction that was chosen.
func adjusted(r *compare.Result, s *compare.Scenario) float64 {
	switch r.Correction {
	case multiplicity.Holm:
		return s.PHolm
	case multiplicity.BenjaminiHochberg:
		return s.PBH
	}
	return s.P
}

// passedRate is the observed rate of a side; false where it has no trials.
func passedRate(p compare.PassCounts) (float64, bool) {
	if p.Trials <= 0 {
		return 0, false
	}
	return float64(p.Passes) / float64(p.Trials), true
}

// fall is by how much the observed rate fell; 0 where a side has no trials.
func fall(s *compare.Scenario) float64 {
	b, known := passedRate(s.Baseline)
	k, knownToo := passedRate(s.Candidate)
	if !known || !knownToo {
		return 0
	}
	return b - k
}

// changeOf is the change of the observed rate, candidate minus baseline.
func changeOf(s *compare.Scenario) string {
	if s.Baseline.Trials <= 0 || s.Candidate.Trials <= 0 {
		return none
	}
	return figure.Points(-fall(s))
}
