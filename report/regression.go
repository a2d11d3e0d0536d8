package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// runRegression is a row for each test of a run that is against a baseline: what both sides came
// to, and whether a drop is shown or excluded. Lines say what the baseline is, and what changed.
func runRegression(d *document.Document, r *runs.Result) {
	t := regressionTable(d, r)
	if t == nil {
		return
	}
	d.Table(t)
	d.Break()
	baselineLines(d, r)
	if len(r.Tests) == 1 {
		regressionSingle(d, &r.Tests[0])
	}
	d.Break()
}

// regressionTable has the rows of the tests against a baseline; nil where there are none.
func regressionTable(d *document.Document, r *runs.Result) *document.Table {
	t := &document.Table{
		Title: "Against the baseline", Rank: rankRegression,
		Note: "Does the candidate pass less often than the baseline? The p-values are against \"nothing changed\" and " +
			"against \"it passes less often by delta\", the largest over the guarded rates of the baseline.",
		Columns: []document.Column{
			{Title: nounOf(r), Text: table.Column{Least: 10}},
			{Title: "drop", Painted: true},
			{Title: "baseline", Right: true},
			{Title: "candidate", Right: true},
			{Title: "difference", Right: true, Text: table.Column{Header: "change", Drop: 1}},
			{Title: "interval", Text: table.Column{Header: "95% interval", Align: table.Right, Drop: 2}},
			{Title: "p unchanged", Right: true, Text: table.Column{Header: "p same"}},
			{Title: "p dropped", Right: true, Text: table.Column{Header: "p drop"}},
			{Title: "delta", Right: true, In: document.Pages},
			{Title: "false Fail at most", Right: true, In: document.Pages},
			{Title: "false Pass at most", Right: true, In: document.Pages},
			{Title: "guarded rates", Right: true, In: document.Pages},
			{Title: "at most", Right: true, In: document.Pages},
			{Title: "expected, unchanged and dropped", Right: true, In: document.Pages},
		},
	}
	for i := range r.Tests {
		if x := r.Tests[i].Regression; x != nil {
			regressionRow(t, safe.Name(r.Tests[i].Name), x)
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if len(r.Tests) > 1 {
		sortByVerdict(t)
	}
	t.List(rowsOf(d, 0), func(left int) string { return more(d, left, "Rows") })
	return t
}

// dropWord says what a test against a baseline found.
func dropWord(v verdict.Verdict) string {
	switch v {
	case verdict.Pass:
		return "excluded"
	case verdict.Fail:
		return "shown"
	}
	return "undecided"
}

// regressionRow is what there is to say of one test.
func regressionRow(to *document.Table, name string, x *runs.Regression) {
	change, span := none, none
	if y := x.Difference; y != nil {
		change, span = figure.Points(y.MedianUnbiased), figure.Interval(figure.Signed(y.Low), figure.Signed(y.High))
	}
	expected := none
	if e := x.Expected; e != nil {
		expected = fmt.Sprintf("%s, %s", figure.Trials(e.Unchanged), figure.Trials(e.Dropped))
	}
	alpha, beta := x.Errors()
	row := to.Add(
		document.Name(name), document.Plain(dropWord(x.Verdict)), document.Plain(sideText(x.Baseline)),
		document.Plain(sideText(x.Candidate)), document.Plain(change), document.Plain(span),
		document.Plain(figure.Optional(x.PUnchanged, figure.PValue)), document.Plain(figure.Optional(x.PDropped,
			figure.PValue)),
		document.Plain(figure.Brief(x.Delta)), document.Plain(figure.ExactChance(alpha)),
		document.Plain(figure.ExactChance(beta)),
		document.Plain(guardedText(x)), document.Plain(prose.Count(x.MaxTrials, unitOf(x))), document.Plain(expected),
	)
	row.Verdict = x.Verdict
}

// sideText is such as 43/45, and errors apart: they are neither passes nor failures.
func sideText(s runs.Side) string {
	text := fmt.Sprintf("%d/%d", s.Passes, s.Trials)
	if s.Errors > 0 {
		text += fmt.Sprintf(" (%dE)", s.Errors)
	}
	return text
}

// unitOf is what a test counts its length in.
func unitOf(x *runs.Regression) string {
	switch x.Kind {
	case runs.SideBySideKind:
		return "round"
	case runs.MatchedKind:
		return "pair"
	}
	return "trial"
}

// guardedText are the rates for which the errors are kept.
func guardedText(x *runs.Regression) string {
	if x.Low == 0 && x.High == 1 {
		return "all"
	}
	return figure.Brief(x.Low) + " to " + figure.Brief(x.High)
}

// kindText says how the baseline was run.
func kindText(x *runs.Regression) string {
	switch x.Kind {
	case runs.SideBySideKind:
		return "runs beside the candidate, a trial of each in every round"
	case runs.MatchedKind:
		return "runs beside the candidate, in pairs that share what makes a trial hard"
	}
	text := safe.Name(x.Source.File) + revisionText(x.Source.Revision, len(x.Source.Runs))
	if x.Source.Finished != "" {
		text += ", of " + safe.Text(x.Source.Finished)
	}
	return text
}

// revisionText is what is said of a baseline with a name behind it; "" of a file.
func revisionText(revision, runs int) string {
	if revision == 0 {
		return ""
	}
	return fmt.Sprintf(", revision %d of %s", revision, prose.Count(runs, "run"))
}

// mostChanged is how many changes the text lists; chosen.
const mostChanged = 6

// baselineLines say what the tests are against, and what changed of the agent: once where it is the
// same of all.
func baselineLines(d *document.Document, r *runs.Result) {
	kinds, changed, _ := baselinesOf(r)
	d.Line("baseline", strings.Join(kinds, "; "))
	d.Against = against(strings.Join(kinds, "; "), changed)
	listed := &document.Table{
		Title: "What changed since the baseline", In: document.Pages, Rank: rankRegression,
		Columns: document.Columns("what the suite says otherwise of the agent and its tests"),
	}
	for i, line := range changed {
		listed.Add(document.Name(line))
		switch {
		case i < mostChanged:
			name := "changed"
			if i > 0 {
				name = ""
			}
			d.TextLine(name, line)
		case i == mostChanged:
			d.TextLinef("", "and %d more", len(changed)-i)
		}
	}
	d.Table(listed)
	// Of what is not known of a baseline's agent nothing is said.
	known := slices.ContainsFunc(r.Tests, func(t runs.Test) bool {
		x := t.Regression
		return x != nil && (x.Kind != runs.StoredKind || x.Source.Task != "")
	})
	if len(changed) == 0 && known {
		d.Line("changed", "nothing that the suite says of the agent and its tests; whether its files did is not known")
	}
}

// baselinesOf are the baselines of all tests and what changed, each said once; false says that no
// test is against one.
func baselinesOf(r *runs.Result) (kinds, changed []string, against bool) {
	for _, t := range r.Tests {
		x := t.Regression
		if x == nil {
			continue
		}
		against = true
		if text := kindText(x); !slices.Contains(kinds, text) {
			kinds = append(kinds, text)
		}
		for _, line := range x.Source.Changed {
			line = safe.Text(line)
			if t.Variant != "" && !ofEveryVariant(r, line) {
				line = safe.Text(t.Variant) + ": " + line
			}
			if !slices.Contains(changed, line) {
				changed = append(changed, line)
			}
		}
	}
	return kinds, changed, against
}

// ofEveryVariant reports whether all tests against a baseline say of the agent what the line says.
func ofEveryVariant(r *runs.Result, line string) bool {
	return !slices.ContainsFunc(r.Tests, func(t runs.Test) bool {
		return t.Regression != nil && !slices.ContainsFunc(t.Regression.Source.Changed, func(other string) bool {
			return safe.Text(other) == line
		})
	})
}

// regressionSingle is what there is room for where one test is all.
func regressionSingle(d *document.Document, t *runs.Test) {
	x := t.Regression
	if y := x.Difference; y != nil {
		d.TextLine("difference", differenceText(y))
	}
	if p := x.Pairs; p != nil {
		d.Line("pairs", pairsText(x))
	}
	d.TextLine("errors", provedText(t))
	if x.Expected != nil {
		d.TextLine("expected", expectedText(x))
	}
}

// differenceText is the difference with its interval.
func differenceText(y *design.Difference) string {
	return fmt.Sprintf("%s (median-unbiased), %s interval %s; of the shares of passes %s", figure.Points(y.MedianUnbiased),
		figure.Level(y.Level), figure.Interval(figure.Signed(y.Low), figure.Signed(y.High)), figure.Points(y.Naive))
}

// pairsText counts the pairs in which the sides differ.
func pairsText(x *runs.Regression) string {
	return fmt.Sprintf("of %s %d broke and %d were fixed", prose.Count(x.Candidate.Trials, "pair"), x.Pairs.Broke,
		x.Pairs.Fixed)
}

// provedText are the errors of a test against a baseline, and where they are kept. Pooled trials of a baseline are a
// binomial count where all of their scenarios pass equally often; where they do not, the errors are computed, and of a
// baseline whose number of trials was not fixed they are not known.
func provedText(t *runs.Test) string {
	x, proved := t.Regression, "proved"
	if x.Kind == runs.StoredKind && len(t.Members) > 1 {
		proved = "proved where all scenarios pass equally often"
		if x.UnlikeAlpha != nil && x.UnlikeBeta != nil {
			proved += fmt.Sprintf("; computed where they do not: %s and %s", figure.ExactChance(*x.UnlikeAlpha),
				figure.ExactChance(*x.UnlikeBeta))
		}
	}
	text := fmt.Sprintf("false Fail %s, false Pass %s at most (%s), ", figure.ExactChance(x.ProvedAlpha),
		figure.ExactChance(x.ProvedBeta), proved)
	if x.Kind == runs.MatchedKind {
		return text + "where up to " + figure.Brief(x.High) + " of the pairs differ"
	}
	if x.Low == 0 && x.High == 1 {
		return text + "for every rate of the baseline"
	}
	return text + "for rates of the baseline from " + guardedText(x)
}

// expectedText is how many trials a test takes on average.
func expectedText(x *runs.Regression) string {
	at := "a rate of " + figure.Brief(x.Expected.Rate)
	if x.Kind == runs.MatchedKind {
		at = "a share of " + figure.Brief(x.Expected.Rate) + " that differ"
	}
	return fmt.Sprintf("%s %ss where nothing changed, %s after a drop by %s, at %s; at most %d",
		figure.Trials(x.Expected.Unchanged), unitOf(x), figure.Trials(x.Expected.Dropped), figure.Brief(x.Delta), at,
		x.MaxTrials)
}

// regressionDetails are the lines below a case.
func regressionDetails(t *runs.Test) []string {
	x := t.Regression
	lines := []string{
		fmt.Sprintf("baseline %s passed, candidate %s passed", sideText(x.Baseline), sideText(x.Candidate)),
		"baseline: " + kindText(x),
		fmt.Sprintf("delta %s, alpha %s, beta %s against the baseline", figure.Brief(x.Delta), figure.Exact(x.Alpha),
			figure.Exact(x.Beta)),
		provedText(t),
	}
	if x.Pairs != nil {
		lines = append(lines, pairsText(x))
	}
	if x.Difference != nil {
		lines = append(lines, "difference "+differenceText(x.Difference))
	}
	if x.PUnchanged != nil || x.PDropped != nil {
		lines = append(lines, fmt.Sprintf("p-value of \"nothing changed\" %s, of \"a drop by %s\" %s",
			figure.Optional(x.PUnchanged, figure.PValue), figure.Brief(x.Delta), figure.Optional(x.PDropped, figure.PValue)))
	}
	for _, line := range x.Source.Changed {
		lines = append(lines, "changed: "+line)
	}
	return lines
}

// regressionFacts are the exact values of a case.
func regressionFacts(x *runs.Regression) []document.Fact {
	facts := []document.Fact{
		fact("baseline", string(x.Kind)), count("baseline_passes", x.Baseline.Passes),
		count("baseline_trials", x.Baseline.Trials), number("baseline_delta", x.Delta),
		number("proved_alpha", x.ProvedAlpha), number("proved_beta", x.ProvedBeta), fact("family", x.Family),
	}
	if x.PUnchanged != nil {
		facts = append(facts, number("p_unchanged", *x.PUnchanged))
	}
	if x.PDropped != nil {
		facts = append(facts, number("p_dropped", *x.PDropped))
	}
	if x.Difference != nil {
		facts = append(facts, number("difference", x.Difference.MedianUnbiased))
	}
	return facts
}

// regressionCase follows the verdict of a test that is against a threshold as well: which of the two
// failed is seen by their names.
func regressionCase(t *runs.Test) document.Case {
	x := t.Regression
	return document.Case{Scenario: t.Name, Name: "baseline", Status: statusOf(x.Verdict, x.Reasons),
		Message: reasonsText(x.Reasons), Details: regressionDetails(t), Facts: regressionFacts(x)}
}

// runRounds are the outcomes of both sides of tests in rounds, one below the other: of these a page draws
// no path.
func runRounds(d *document.Document, r *runs.Result) {
	t := &document.Table{
		Title: "Rounds", In: document.Pages, Rank: rankMembers, Fold: true,
		Note:    "P passed, F failed, E ended in an error, and a dot did not end; those after the decision too.",
		Columns: document.Columns("scenario", "side", "outcomes by round"),
	}
	for _, test := range r.Tests {
		x := test.Regression
		if x == nil || x.Outcomes == "" {
			continue
		}
		name := document.Name(safe.Name(test.Name))
		t.Add(name, "baseline", document.Name(safe.Text(figure.Outcomes(x.Outcomes))))
		t.Add(name, "candidate", document.Name(safe.Text(figure.Outcomes(test.Outcomes))))
	}
	d.Table(t)
}

// recordedTest reports whether a test decides nothing.
func recordedTest(t *runs.Test) bool { return t.Design.Kind == sprt.RecordingKind.String() }

// regressionPath is the drawing of a test against a stored baseline: the boundaries are those for
// what it came to. Nil says that there is none to draw.
func regressionPath(t *runs.Test) *document.Path {
	x := t.Regression
	if x == nil || x.Boundaries == nil {
		return nil
	}
	name := safe.Name(t.Name)
	if t.Design.MaxTrials > 0 {
		name += ", baseline"
	}
	return &document.Path{
		In: document.Drawing, Name: name, Verdict: x.Verdict,
		Count: fmt.Sprintf("%s passed, the baseline %d of %d", figure.OfTrials(x.Candidate.Passes, x.Candidate.Trials),
			x.Baseline.Passes, x.Baseline.Trials),
		Title:   fmt.Sprintf("%s after %s", x.Verdict, prose.Count(x.Candidate.Trials, "trial")),
		Caption: fmt.Sprintf("against the baseline, at most %s; %s", prose.Count(x.MaxTrials, "trial"), provedText(t)),
		// Boundaries follow from the family and what the baseline came to.
		Digest:     fmt.Sprintf("%s %d/%d", x.Family, x.Baseline.Passes, x.Baseline.Trials),
		Boundaries: *x.Boundaries, Reasons: x.Reasons,
		Marks: t.Outcomes[:max(min(x.Candidate.Trials, len(t.Outcomes)), 0)], Outcomes: t.Outcomes,
	}
}
