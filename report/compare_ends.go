package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/report/internal/figure"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// buildEnds is a comparison of runs by where their tests ended: a row for each scenario.
func buildEnds(d *document.Document, r *compare.Ends) {
	d.Begin(r.Header(), "compare")
	d.Metrics = metricsOfBoth(r.BaselineUsage, r.CandidateUsage)
	d.Headline = endsHeadline(r)
	d.Heading = fmt.Sprintf("%s against %s", safe.Name(r.Candidate), safe.Name(r.Baseline))
	d.Break()
	endsOver(d, r)
	d.Break()
	endsFindings(d, r)
	endsTiles(d, r)
	d.Fact("delta", figure.Brief(r.Delta))
	d.Fact("alpha", figure.Brief(r.Alpha))
	d.Fact("beta", figure.Brief(r.Beta))
	d.Parts = append(d.Parts, document.FindingList{})
	endsTable(d, r)
	d.Break()
	usageOfBoth(d, r.BaselineUsage, r.CandidateUsage)
	guardrailsOfBoth(d, r.BaselineGuardrails, r.CandidateGuardrails)
	d.Break()
	d.Warn(r.Warnings)
	// What a side lacks, and errors that decide, are named by the reasons.
	next := ""
	if r.Verdict == verdict.Inconclusive && hasReason(r.Reasons, compare.CodeUndecided) {
		if trials := recordOfBoth(r); trials > 0 {
			d.DoBefore = fmt.Sprintf("record %s of each scenario on both sides, each with tribunal run --record %d -o FILE, "+
				"and compare the files", prose.Count(trials, "trial"), trials)
			next = "; " + d.DoBefore
		}
	}
	d.Close(fmt.Sprintf("%s: %s%s.", prose.Capitalised(r.Verdict.String()), reasonsText(r.Reasons), next))
	for _, row := range r.Scenarios {
		d.Cases = append(d.Cases, endsCase(r, row))
	}
	endsSuiteCase(d, r)
	d.Outputs = []document.Fact{count("scenarios", len(r.Scenarios))}
}

// recordOfBoth is about how many trials of each scenario to record of both sides where they leave the comparison open:
// what tells a drop if nothing changed, or twice what there is where that did not.
func recordOfBoth(r *compare.Ends) (trials int) {
	needed := func(rate, alpha float64) float64 { // by the normal approximation
		z := dist.NormalUpperQuantile(alpha) + dist.NormalUpperQuantile(r.Beta)
		rate = max(0.5, min(rate, expectedRate))
		return 2 * z * z * rate * (1 - rate) / (r.Delta * r.Delta)
	}
	if r.Suite != nil {
		rounds, q := 2*r.Suite.Rounds, r.Suite.Question
		for i, row := range r.Scenarios { // a question may end before what was recorded does
			if row.Problem == "" {
				rounds = max(rounds, 2*min(len(row.BaselineOutcomes), len(row.CandidateOutcomes))/q.Weight(i))
			}
		}
		if rate := r.Suite.Baseline.Rate; rate != nil {
			rounds = max(rounds, enough(q, *rate), int(math.Ceil(needed(*rate, r.Alpha)/float64(q.Round()))))
		}
		return rounds * slices.Max(append(q.Weights, 1))
	}
	alpha := r.Alpha
	if r.Correction != multiplicity.NoCorrection {
		alpha /= float64(len(r.Scenarios))
	}
	for i := range r.Scenarios {
		row := &r.Scenarios[i]
		before, after := row.Seen()
		if row.Verdict == verdict.Inconclusive && before.Rate != nil && after.Rate != nil {
			trials = max(trials, 2*min(before.Trials, after.Trials), int(math.Ceil(needed(*before.Rate, alpha))))
		}
	}
	return trials
}

// endsOver says what is compared, and by which test.
func endsOver(d *document.Document, r *compare.Ends) {
	d.Line("baseline", r.Baseline)
	d.Line("candidate", r.Candidate)
	by := "the exact distribution of where both tests may end, which sequential tests need: tests for a " +
		"fixed number of trials would err"
	if allFixed(r) {
		by = "the exact distribution of the passes of both, whose numbers of trials were fixed"
	}
	if r.Suite != nil {
		by = "one question about all scenarios, over the pairs of trials that both runs have: the mean of their pass " +
			"rates, and any that is worse"
	}
	d.Line("decided by", by)
	d.Line("rounds", roundsCompared(r))
	d.Linef("errors", "false Fail at most %s (nothing changed), false Pass at most %s (a drop of %s or more)",
		figure.Level(r.Alpha), figure.Level(r.Beta), figure.Exact(r.Delta))
	if r.Suite == nil && len(r.Scenarios) > 1 {
		d.Linef("correction", "%s: p worse is corrected for the number of scenarios", r.Correction)
	}
}

// roundsCompared says which rounds of each side one question is about, where that is fewer than were recorded; "" where
// it is all of them.
func roundsCompared(r *compare.Ends) string {
	if r.Suite == nil {
		return ""
	}
	pairs, before, after := 0, 0, 0
	for _, row := range r.Scenarios {
		if row.Problem == "" {
			b, c := len(row.BaselineOutcomes), len(row.CandidateOutcomes)
			pairs, before, after = max(pairs, min(b, c)), max(before, b), max(after, c)
		}
	}
	share := func(all int, whose string) string {
		if all == pairs {
			return fmt.Sprintf("all %d of the %s's", all, whose)
		}
		return fmt.Sprintf("the first %d of the %s's %d", pairs, whose, all)
	}
	var parts []string
	if max(before, after) > pairs {
		parts = append(parts, fmt.Sprintf("%s, %s: trials of the same number are pairs", share(before, "baseline"),
			share(after, "candidate")))
	}
	if r.Suite.Rounds < pairs && r.Suite.Mean != sprt.Undecided.String() {
		parts = append(parts, fmt.Sprintf("the first %d decided about the mean", r.Suite.Rounds))
	}
	if before > pairs {
		parts = append(parts, "a gate compares with all trials of a recorded baseline")
	}
	return strings.Join(parts, "; ")
}

// allFixed reports whether the number of trials was fixed on both sides of every scenario.
func allFixed(r *compare.Ends) bool {
	for _, row := range r.Scenarios {
		for _, e := range []*compare.SampledEnd{row.Baseline, row.Candidate} {
			if e == nil || e.Sample.Fixed == 0 {
				return false
			}
		}
	}
	return len(r.Scenarios) > 0
}

// endsHeadline stands beside the verdict. Of one question no scenario says why it is so.
func endsHeadline(r *compare.Ends) string {
	text := fmt.Sprintf("%s is neither shown to be worse than %s, nor not to be", r.Candidate, r.Baseline)
	switch r.Verdict {
	case verdict.Pass:
		text = fmt.Sprintf("%s is not worse than %s by %s", r.Candidate, r.Baseline, phrase.Points(r.Delta))
	case verdict.Fail:
		text = fmt.Sprintf("%s is worse than %s", r.Candidate, r.Baseline)
	}
	if r.Suite != nil && r.Verdict != verdict.Pass {
		text += ": " + reasonsText(r.Reasons)
	}
	return text
}

// endsSuiteCase is that of the question about all scenarios: a mean may be lower although no scenario has collapsed.
// One that failed because scenarios collapsed has none, as in [suiteCases].
func endsSuiteCase(d *document.Document, r *compare.Ends) {
	collapsed := slices.ContainsFunc(d.Cases, func(c document.Case) bool { return c.Status == document.Failed })
	if r.Suite == nil || collapsed && len(r.Reasons) == 1 {
		return
	}
	d.Cases = append(d.Cases, document.Case{Scenario: "all scenarios", Name: "regression",
		Status: statusOf(r.Verdict, r.Reasons), Message: reasonsText(r.Reasons),
		Facts: []document.Fact{fact("verdict", r.Verdict.String()), number("delta", r.Delta)}})
}

// endsFindings are a mean that is lower although no scenario is worse, and the scenarios that passed less often, with
// why trials of the candidate did not pass.
func endsFindings(d *document.Document, r *compare.Ends) {
	worse := slices.ContainsFunc(r.Scenarios, func(row compare.EndsOfScenario) bool { return row.Verdict == verdict.Fail })
	if r.Suite != nil && r.Suite.Mean == sprt.Fail.String() && !worse {
		d.Findings = append(d.Findings, document.Finding{Name: "mean", Verdict: verdict.Fail, Sentence: "failed"})
	}
	for _, row := range r.Scenarios {
		if row.Difference == nil || *row.Difference >= 0 || len(row.CandidateFailures) == 0 {
			continue
		}
		before, after := row.Seen()
		f := document.Finding{Name: safe.Name(row.Name), Verdict: row.Verdict,
			Sentence: strings.ReplaceAll(endText(before)+" -> "+endText(after), "/", " of ") + " passed"}
		if row.Verdict == verdict.Pass && row.Standing != "" {
			f.Sentence += "; it has not collapsed"
		}
		var list []failure
		for _, x := range row.CandidateFailures {
			list = append(list, failure{trialName(x.Scenario, x.Trial), x.Text})
		}
		f.Causes = grouped(list, after.Fails+after.Errors)
		d.Findings = append(d.Findings, f)
	}
}

// endsTable has a row for each scenario, the failed ones in their colour.
func endsTable(d *document.Document, r *compare.Ends) {
	t := &document.Table{
		Title: "Scenarios",
		Note: fmt.Sprintf("p worse is the p-value against \"at least as good\", p drop that against \"worse by %s or "+
			"more\". Correction of p worse for the number of scenarios: %s.", figure.Exact(r.Delta), r.Correction),
	}
	if r.Suite != nil {
		t.Note = suiteNote
	}
	for i, title := range []string{"scenario", "verdict", "baseline", "candidate", "difference", "p worse", "p drop"} {
		column := document.Column{Title: title, Right: i > 1}
		if r.Suite != nil && strings.HasPrefix(title, "p ") { // it is one test
			column.In = document.Nowhere
		}
		if title == "difference" {
			column.Text = table.Column{Drop: 1}
		}
		t.Columns = append(t.Columns, column)
	}
	var problems []string
	for _, row := range r.Scenarios {
		word := document.Verdict(row.Verdict)
		if row.Standing != "" {
			word.Text = standingWords[row.Verdict]
			if row.Verdict == verdict.Fail {
				word.Text = "worse"
			}
		}
		before, after := row.Seen()
		cells := t.Add(row.Name, word, endText(before), endText(after),
			figure.Optional(row.Difference, figure.Points), figure.Optional(row.PCorrected, figure.PValue),
			figure.Optional(row.PDrop, figure.PValue))
		cells.Verdict = row.Verdict
		if row.Problem != "" {
			problems = append(problems, fmt.Sprintf("%s: %s", row.Name, row.Problem))
		}
	}
	d.Table(t)
	for _, problem := range problems {
		d.Line("not compared", problem)
	}
}

// endText is what one side came to, such as 15/15; the trials that ended in an error stand behind it.
func endText(s runs.Side) string {
	if s.Trials == 0 {
		return none
	}
	text := fmt.Sprintf("%d/%d", s.Passes, s.Passes+s.Fails)
	if s.Errors > 0 {
		text += fmt.Sprintf(" +%de", s.Errors)
	}
	return text
}

// endsTiles are how many scenarios are worse, open and not worse, and the trials of both sides.
func endsTiles(d *document.Document, r *compare.Ends) {
	counts, before, after := map[verdict.Verdict]int{}, 0, 0
	for _, row := range r.Scenarios {
		counts[row.Verdict]++
		b, c := row.Seen()
		before, after = before+b.Trials, after+c.Trials
	}
	names := map[verdict.Verdict]string{verdict.Fail: "worse", verdict.Inconclusive: "undecided",
		verdict.Pass: "not worse"}
	for _, v := range []verdict.Verdict{verdict.Fail, verdict.Inconclusive, verdict.Pass} {
		if v == verdict.Pass && r.Suite != nil {
			names[v] = "not collapsed"
		}
		if counts[v] > 0 {
			d.Tile(names[v], fmt.Sprint(counts[v]), &v)
		} else {
			d.Tile(names[v], "0", nil)
		}
	}
	d.Tile("trials", fmt.Sprintf("%d and %d", before, after), nil)
}

// endsCase is that of one scenario.
func endsCase(r *compare.Ends, row compare.EndsOfScenario) document.Case {
	c := document.Case{Scenario: row.Name, Name: "regression", Status: statusOf(row.Verdict, r.Reasons),
		Facts: []document.Fact{fact("verdict", row.Verdict.String()), number("delta", r.Delta)}}
	if row.PWorse != nil && row.PDrop != nil {
		c.Facts = append(c.Facts, number("p_worse", *row.PWorse), number("p_drop", *row.PDrop))
	}
	before, after := row.Seen()
	parts := []string{fmt.Sprintf("%s against %s", endText(after), endText(before))}
	if row.PCorrected != nil && row.PDrop != nil {
		c.Facts = append(c.Facts, number("p_corrected", *row.PCorrected))
		parts = append(parts, "p worse "+figure.PValue(*row.PCorrected)+" corrected", "p drop "+figure.PValue(*row.PDrop))
	}
	if row.Problem != "" {
		parts = append(parts, "not compared: "+row.Problem)
	}
	c.Message = strings.Join(parts, ", ")
	return c
}
