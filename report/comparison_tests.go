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
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
)

// comparisonTests are the deciding test, the test of "not worse by delta", and the others
// in one line; and all of them in a table.
func comparisonTests(d *document.Document, r *compare.Result) {
	// The table has every test, for pages. The text has the two that the verdict
	// rests on in lines of their own, and what else was computed in one line.
	testTable(d, r)
	d.StatLine("deciding test", decidedBy(r))
	if p := r.Tests.NonInferiority; p != nil {
		d.StatLine("non-inferior", fmt.Sprintf("%s against a drop of %s or more (beta %s)", figure.Equals("p",
			figure.PValue(p.P)),
			phrase.Points(r.Delta), figure.Exact(r.Beta)))
	}
	if text := comparedWithin(r); text != "" {
		d.Stat("within", text)
	}
	d.Stat("other tests", strings.Join(otherTests(r), ", "))
	if h := r.Heterogeneity; h != nil {
		said := "not shown to differ between scenarios"
		if h.Differ {
			said = "differ between scenarios"
		}
		d.Statf("changes", "%s, exact %s", said, figure.Equals("p", figure.PValue(h.P)))
	}
	if i := r.Difference.NewScenarios; i != nil {
		d.Statf("new scenarios", "difference %s points, %s %s", figure.Interval(figure.Signed(i.Low), figure.Signed(i.High)),
			figure.Level(i.Level),
			i.Method)
	}
}

// testTable is the table of all p-values that were computed. Tests that do not apply,
// such as those of pairs on recordings without pairs, have no row.
func testTable(d *document.Document, r *compare.Result) {
	table := &document.Table{
		Title: "Tests", In: document.Pages, Columns: document.Columns("test", ">p"),
		Note: "p-values are one-sided against “the candidate is worse”; that of non-inferiority against “worse by delta”.",
	}
	// Rows are added only for p-values that exist.
	add := func(name string, p *float64) {
		if p != nil {
			table.Add(name, figure.PValue(*p))
		}
	}
	t := r.Tests
	single := func(p *compare.PValue) *float64 {
		if p == nil {
			return nil
		}
		return &p.P
	}
	for _, rate := range t.Rates {
		name := rate.Test.String()
		if rate.Test == r.DecidedBy && r.Rule != compare.BayesRule {
			name += " (decides)"
		}
		add(name, &rate.P)
	}
	if t.CMH != nil {
		add("cochran-mantel-haenszel", &t.CMH.P)
	}
	add("non-inferiority", single(t.NonInferiority))
	d.Table(table)
}

// decidedBy is the line of the deciding test. Judged by scenario, each one has a test
// of its own, corrected for their number, and the pooled test is told for comparison.
func decidedBy(r *compare.Result) string {
	p := pOf(r, r.DecidedBy)
	if p == nil {
		return "" // there was nothing to test
	}
	test := fmt.Sprintf("%s %s, one-sided", r.DecidedBy, figure.Equals("p", figure.PValue(*p)))
	switch {
	case r.By == verdict.ByScenario && len(r.Scenarios) > 0:
		return fmt.Sprintf("every scenario (correction %s, alpha %s); pooled: %s", r.Correction,
			figure.Exact(r.Alpha), test)
	// The Bayes rule looks at no p-value.
	case r.Rule == compare.BayesRule:
		return fmt.Sprintf("the posterior probability of a drop above %s (bayes rule)", figure.Exact(r.Delta))
	}
	return fmt.Sprintf("%s (%s rule, alpha %s)", test, r.Rule, figure.Exact(r.Alpha))
}

// comparedWithin says which trials the stratified test compares with each other.
func comparedWithin(r *compare.Result) string {
	s := r.Strata
	if s == nil || !r.DecidedBy.Stratified() {
		return ""
	}
	what := prose.Count(s.Groups, "scenario")
	if s.ByInput {
		what = prose.Count(s.Groups, "group") + " of the same scenario and input"
	}
	if s.Clusters > 0 {
		what += fmt.Sprintf(", and %s that one side tried alone, each an observation", prose.Count(s.Clusters, "input"))
	}
	return what
}

// familyLine says how often pages of an unchanged agent raise an alarm.
func familyLine(r *compare.Result) string {
	f := r.Family
	// With nothing beside the verdict, alpha stands with the deciding test.
	if f == nil || len(f.Parts) == 0 {
		return ""
	}
	var list []string
	if f.Verdict > 0 {
		list = append(list, fmt.Sprintf("a Fail of an unchanged agent at most %s", figure.Chance(f.Verdict)),
			fmt.Sprintf("any alarm %s", figure.Chance(f.Any)))
	} else {
		list = append(list, fmt.Sprintf("any of an unchanged agent at most %s", figure.Chance(f.Others)))
	}
	return fmt.Sprintf("%s (%s: %s each)", strings.Join(list, ", "), strings.Join(f.Parts, ", "), figure.Chance(f.Each))
}

// pOf is the p-value of a test; nil where it was not computed.
func pOf(r *compare.Result, test stats.Test) *float64 {
	result, there := r.Tests.Of(test)
	if !there {
		return nil
	}
	return &result.P
}

// otherTests are all but the deciding one, and what else each computes.
func otherTests(result *compare.Result) []string {
	t := result.Tests
	// The list has one entry for each test; further p-values of the tests come behind
	// them.
	var list, further []string
	for _, r := range t.Rates {
		// A test may have further figures. A statistic stands beside the name, and a
		// further p-value, such as mid-p, goes to the end of the list.
		text := r.Test.String()
		mentioned := false
		for _, f := range r.Figures {
			switch {
			case !f.IsP() && f.Name == text:
				text = fmt.Sprintf("%s %.3g", f.Title(), f.Value)
			case !f.IsP():
				text += fmt.Sprintf(" %s %.3g", f.Title(), f.Value)
			case mentioned:
				further = append(further, figure.Equals(f.Title(), figure.PValue(f.Value)))
			default:
				further = append(further, r.Test.String()+" "+figure.Equals(f.Title(), figure.PValue(f.Value)))
				mentioned = true
			}
		}
		// The deciding test has a line of its own already. Under the Bayes rule none
		// decides.
		if r.Test != result.DecidedBy || result.Rule == compare.BayesRule {
			list = append(list, text+" "+figure.Equals("p", figure.PValue(r.P)))
		}
	}
	list = append(list, further...)
	// Tests that allow for the scenarios: Cochran, Mantel and Haenszel's with the
	// common odds ratio, and the exact one of the same strata.
	if t.CMH != nil {
		text := "CMH " + figure.Equals("p", figure.PValue(t.CMH.P))
		if t.CMH.OddsRatio != nil {
			text += " (odds ratio " + figure.Quantity(*t.CMH.OddsRatio) + ")"
		}
		list = append(list, text)
	}
	return list
}

const (
	// Chosen: the text names some flipped trials on each side, in two lines.
	flipLines = 2  // of names on each side
	flipName  = 28 // columns of a name
)

// pairs is the table of paired outcomes, and the trials that flipped: the text names
// their scenarios.
func pairs(d *document.Document, r *compare.Result) {
	// Recordings whose trials are not paired have no table.
	f := r.Pairs
	if f == nil {
		return
	}
	d.Break()
	t := &document.Table{Title: "Pairs", Rank: rankFlips, In: d.Statistics(),
		Columns: document.Columns(prose.Count(f.Pairs, "pair"), "candidate passed", "candidate failed")}
	// The two cells off the diagonal are the ones that tell: McNemar's test looks at
	// nothing else.
	for _, cells := range [][3]string{
		{"baseline passed", fmt.Sprint(f.BothPass), fmt.Sprintf("%d broke", f.Regressed)},
		{"baseline failed", fmt.Sprintf("%d fixed", f.Fixed), fmt.Sprint(f.BothFail)},
	} {
		t.Add(cells[0], cells[1], cells[2])
	}
	d.Table(t)
	d.TextLine("broke", flippedNames(d, f, verdict.Fail.String()))
	d.TextLine("fixed", flippedNames(d, f, verdict.Pass.String()))
	if f.OtherInput > 0 {
		d.Statf("inputs", "%s of the same input, %s of one scenario with another on each side",
			prose.Count(f.SameInput, "pair"), prose.Count(f.OtherInput, "pair"))
	}
	// What did not become a pair is said here, so its warning need not be repeated.
	var left []string
	if f.WithErrors > 0 {
		left = append(left, prose.Count(f.WithErrors, "pair")+" with an error")
	}
	if f.UnpairedBaseline+f.UnpairedCandidate > 0 {
		left = append(left, fmt.Sprintf("%d baseline and %d candidate trials without a partner", f.UnpairedBaseline,
			f.UnpairedCandidate))
	}
	d.Tell(compare.WarnUnpaired)
	d.Line("left out", strings.Join(left, ", "))
	// A page sets what both trials of a pair did and answered side by side, if anything of it was recorded.
	for _, flip := range f.Flips {
		if flip.BaselineOutput != "" || flip.CandidateOutput != "" || flip.BaselineSteps != nil ||
			flip.CandidateSteps != nil {
			d.Flips = append(d.Flips, flip)
		}
	}
	flipTable(d, f)
}

// flipTable is a row for each trial that flipped: those that broke first.
func flipTable(d *document.Document, f *compare.FlipTable) {
	t := &document.Table{
		Title: "Flipped trials", In: document.Pages, Rank: rankFlips, Main: true, Fold: true,
		Note:    fmt.Sprintf("%s: %d broke, %d fixed.", prose.Count(f.Pairs, "pair"), f.Regressed, f.Fixed),
		Columns: document.Columns("scenario", ">trial", "baseline", "candidate"),
	}
	if len(d.Flips) == 0 && len(f.Flips) > 0 {
		t.Note += " This result holds neither outputs nor steps of them."
	}
	if f.Omitted > 0 {
		t.Note += fmt.Sprintf(" Of %s the result does not hold more than the numbers.", prose.Count(f.Omitted, "pair"))
	}
	// Columns of outputs are added only if a recording has any.
	outputs := false
	for _, flip := range f.Flips {
		outputs = outputs || flip.BaselineOutput != "" || flip.CandidateOutput != ""
	}
	if outputs {
		t.Columns = append(t.Columns, document.Columns("baseline's output", "candidate's output")...)
	}
	// What broke stands before what was fixed.
	for _, to := range []string{"fail", "pass"} {
		for _, flip := range f.Flips {
			if flip.To != to {
				continue
			}
			// Trials that have no number in their recording are told apart by their
			// scenario alone.
			number := none
			if flip.Trial != nil {
				number = fmt.Sprint(*flip.Trial)
			}
			cells := []document.Cell{document.Name(safe.Name(flip.Scenario)), document.Plain(number),
				document.Plain(before(to)), document.Plain(to)}
			if outputs {
				cells = append(cells, document.Name(oneLine(flip.BaselineOutput)),
					document.Name(oneLine(flip.CandidateOutput)))
			}
			t.Rows = append(t.Rows, &document.Row{Cells: cells})
		}
	}
	d.Table(t)
}

// oneLine is a text without its line breaks, for a cell of a table.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// before is the outcome of the baseline where that of the candidate flipped.
func before(to string) string {
	if to == "pass" {
		return "fail"
	}
	return "pass"
}

// flippedNames are the pairs that ended so, as many as fit into a few lines of the text.
func flippedNames(d *document.Document, f *compare.FlipTable, to string) string {
	// "refund#3" where the scenario alone would be ambiguous.
	numbered := areNumbered(f)
	// Room for the longest remark that may follow is kept.
	room := flipLines*(d.Detail.Width-indent-labelWidth) - len("and 1,000,000 more")
	var names []string
	all := 0
	for _, flip := range f.Flips {
		if flip.To != to {
			continue
		}
		all++
		name := strings.Join(strings.Fields(shorten(d, flip.Scenario, flipName)), " ")
		if numbered && flip.Trial != nil {
			name += fmt.Sprintf("#%d", *flip.Trial)
		}
		if room -= table.Width(name) + len(", "); room >= 0 {
			names = append(names, name)
		}
	}
	if f.Omitted > 0 {
		if all = f.Regressed; to == verdict.Pass.String() {
			all = f.Fixed
		}
	}
	text := strings.Join(names, ", ")
	if more := all - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// areNumbered reports whether a scenario alone does not say which trial flipped.
func areNumbered(f *compare.FlipTable) bool {
	seen := map[string]bool{}
	for _, flip := range f.Flips {
		if seen[flip.Scenario] || flip.Trial != nil && *flip.Trial > 0 {
			return true
		}
		seen[flip.Scenario] = true
	}
	return false
}
