package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Run writes the result of a run as text: the verdict, a row for each test, limits,
// the first trials that did not pass with their reasons, what was spent and saved, and
// a closing sentence.
func Run(w io.Writer, r *runs.Result, o TextOptions) error {
	if r == nil {
		return ErrNoResult
	}
	t := runPage{page: newPage(o.withDefaults(defaultScenarios)), result: r}
	t.headline(r.Verdict, t.about())
	t.blank()
	t.tests()
	t.blank()
	if len(r.Tests) == 1 {
		t.single(&r.Tests[0])
	}
	t.limits()
	t.failures()
	t.totals()
	t.warnings(r.Warnings)
	t.testWarnings()
	t.blank()
	t.paragraph(fmt.Sprintf("%s: %s.", capitalised(r.Verdict), reasonsText(r.Reasons)))
	return t.flush(w)
}

type runPage struct {
	*page
	result *runs.Result
}

// about is the headline beside the verdict.
func (t *runPage) about() string {
	r := t.result
	judged := 0
	for _, test := range r.Tests {
		judged += test.Trials
	}
	text := fmt.Sprintf("%s: %s after %s", clean(r.Suite), plural(len(r.Tests), "test"), plural(judged, "trial"))
	if r.StoppedBy != runs.StoppedByDecision {
		text += ", stopped by " + stoppedBy(r)
	}
	return text
}

func stoppedBy(r *runs.Result) string {
	switch {
	case r.StoppedBy == runs.StoppedByBudget && r.Budget != "":
		return "the " + clean(r.Budget) + " budget"
	case r.StoppedBy == runs.StoppedByMaxTrials && usedUp(r):
		return "the largest number of trials"
	case r.StoppedBy == runs.StoppedByMaxTrials:
		return "errors of its trials"
	}
	return clean(string(r.StoppedBy))
}

// usedUp reports whether a test without a decision took all trials of its design.
// One that errors left open may end before.
func usedUp(r *runs.Result) bool {
	for _, t := range r.Tests {
		if t.Verdict == verdict.Inconclusive && t.Trials >= t.Design.MaxTrials {
			return true
		}
	}
	return false
}

// tests is a row for each test: those that did not pass first.
func (t *runPage) tests() {
	var shown []*runs.Test
	rows := 0
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass} {
		for i := range t.result.Tests {
			if test := &t.result.Tests[i]; test.Verdict == v {
				if rows++; rows <= t.options.Scenarios {
					shown = append(shown, test)
				}
			}
		}
	}
	paint := func(row int, text string) string {
		if row < 0 {
			return text
		}
		return t.paint(shown[row].Verdict, text)
	}
	tab := table.Table{Columns: []table.Column{
		{Header: "scenario", Least: 10}, {Header: "verdict", Paint: paint}, {Header: "passes", Align: table.Right}, {Header: "errors", Align: table.Right, Drop: 3},
		{Header: "estimate", Align: table.Right}, {Header: "95% interval", Align: table.Right, Drop: 1}, {Header: "fixed n", Align: table.Right, Drop: 2}, {Header: "$/success", Align: table.Right, Drop: 4},
	}}
	for _, test := range shown {
		tab.Rows = append(tab.Rows, t.row(test))
	}
	t.table(tab)
	if left := rows - t.options.Scenarios; left > 0 {
		t.note(fmt.Sprintf("and %d more, which --scenarios lists", left))
	}
}

func (t *runPage) row(test *runs.Test) []string {
	estimate, interval, fixed := none, none, none
	if e := test.Estimate; e != nil {
		estimate, interval = rate(e.MedianUnbiased), limits(rate(e.Low), rate(e.High))
	}
	if s := test.Savings; s != nil {
		fixed = fmt.Sprint(s.FixedTrials)
	}
	cost := none
	if test.CostPerSuccess != nil {
		cost = money(*test.CostPerSuccess)
	}
	return []string{
		nameOf(test.Name), test.Verdict.String(), fmt.Sprintf("%d/%d", test.Passes, test.Trials), fmt.Sprint(test.Errors),
		estimate, interval, fixed, cost,
	}
}

// single is what there is room for where one test is all.
func (t *runPage) single(test *runs.Test) {
	t.labelled("design", fmt.Sprintf("%s, at most %s: threshold %s, delta %s; false Fail %s, false Pass %s (exact)",
		clean(test.Design.Kind), plural(test.Design.MaxTrials, "trial"), brief(test.Threshold), brief(test.Delta), exactChance(test.Design.Alpha), exactChance(test.Design.Beta)))
	t.labelled("digest", shortDigest(test.Design.Digest))
	if e := test.Estimate; e != nil {
		t.labelled("unbiased", fmt.Sprintf("%s; the share of passes is %s, which stopping biases", rate(e.Unbiased), rate(e.Naive)))
	}
	for _, m := range test.Members {
		t.labelled("of which", fmt.Sprintf("%s: %d passed, %d failed, %d errors", nameOf(m.Name), m.Passes, m.Fails, m.Errors))
	}
}

// limits is a line for each limit: of every test where there are few, and of those
// that broke one where there are many.
func (t *runPage) limits() {
	const few = 4
	for _, test := range t.result.Tests {
		for _, l := range test.Limits {
			if len(t.result.Tests) > few && l.Failures == 0 && l.Unknown == 0 {
				continue
			}
			line := fmt.Sprintf("%s %s actual %s %s", clean(l.Name), limitAmount(l, l.Max), worst(l), limitWord(l))
			if len(t.result.Tests) > 1 {
				line = t.shorten(test.Name, 24) + ": " + line
			}
			t.labelled("limit", line)
		}
	}
}

func worst(l runs.Limit) string {
	if l.Worst == nil {
		return "unknown"
	}
	return limitAmount(l, *l.Worst)
}

func limitAmount(l runs.Limit, x float64) string {
	if strings.HasSuffix(l.Name, "_usd") {
		return money(x)
	}
	return quantity(x)
}

func limitWord(l runs.Limit) string {
	switch {
	case l.Failures > 0:
		return fmt.Sprintf("FAIL (%s)", plural(l.Failures, "trial"))
	case l.Unknown > 0:
		return fmt.Sprintf("UNKNOWN (%s)", plural(l.Unknown, "trial"))
	}
	return "PASS"
}

// failures are the first trials that did not pass: more of a test where it is alone.
func (t *runPage) failures() {
	most := 3
	if len(t.result.Tests) == 1 {
		most = 6
	}
	for _, test := range t.result.Tests {
		if test.Verdict == verdict.Pass && len(t.result.Tests) > 1 {
			continue // its failures were few enough
		}
		for i, f := range test.Failures {
			if i == most {
				t.labelled("", fmt.Sprintf("and %d more", test.Fails+test.Errors-most))
				break
			}
			t.labelled(f.Outcome, fmt.Sprintf("%s, trial %d: %s", t.shorten(f.Scenario, 24), f.Trial, orUnknown(f.Text)))
		}
	}
}

func orUnknown(text string) string {
	if strings.TrimSpace(text) == "" {
		return "no reason is recorded"
	}
	return text
}

// totals are what the run spent, and saved.
func (t *runPage) totals() {
	r := t.result
	s := r.Spent
	spent := []string{plural(s.Trials, "trial")}
	if s.Attempts > s.Trials {
		spent[0] += fmt.Sprintf(" in %d attempts", s.Attempts)
	}
	if s.CostUSD != nil {
		spent = append(spent, money(*s.CostUSD))
	}
	if s.InputTokens != nil && s.OutputTokens != nil {
		spent = append(spent, fmt.Sprintf("%s tokens", quantity(float64(*s.InputTokens+*s.OutputTokens))))
	}
	t.labelled("spent", strings.Join(append(spent, duration(s.Duration)), ", "))
	t.labelled("saved", t.saved())
	if overrun := t.overrun(); overrun > 0 {
		t.labelled("overrun", fmt.Sprintf("%s ended after the decision, and took no part in it", plural(overrun, "trial")))
	}
	if ks := sortedKs(r.Reliability.PassHatK); len(ks) > 1 {
		t.passK(ks, []passKRow{{"pass^k", r.Reliability.PassHatK}})
	}
	t.labelled("cost/success", costPerSuccess(&verdict.Reliability{CostPerSuccess: r.Reliability.CostPerSuccess, Cost: r.Reliability.Cost}))
	if r.Reliability.Cost != nil {
		t.told = append(t.told, verdict.WarnCostPartlyKnown)
	}
	t.labelled("seed", fmt.Sprint(r.Seed))
}

func (t *runPage) overrun() (n int) {
	for _, test := range t.result.Tests {
		n += test.Overrun
	}
	return n
}

// saved sets the trials against those of the classical tests with the same errors.
func (t *runPage) saved() string {
	trials, fixed := 0, 0
	for _, test := range t.result.Tests {
		if test.Savings == nil || test.Verdict == verdict.Inconclusive {
			return ""
		}
		trials += test.Savings.Trials
		fixed += test.Savings.FixedTrials
	}
	if fixed == 0 || trials >= fixed {
		return ""
	}
	return fmt.Sprintf("%d of %s that fixed samples with the same errors take (%.0f%%)", fixed-trials, plural(fixed, "trial"), 100*float64(fixed-trials)/float64(fixed))
}

// testWarnings are those of the tests, named where there are several.
func (t *runPage) testWarnings() {
	for _, test := range t.result.Tests {
		for _, w := range test.Warnings {
			text := w.Text
			if len(t.result.Tests) > 1 {
				text = t.shorten(test.Name, 24) + ": " + text
			}
			t.labelled("warning", text)
		}
	}
}
