package compare

import (
	"context"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// ask judges the scenarios that both sides have as one question: by the mean of their pass rates, and by any that
// collapsed. Trials of the same scenario and number are pairs.
//
// Each run stopped by its own outcomes, and trials of one number may share a seed. The pairs that both have are those
// before a time that does not look ahead, so that bets on them keep their errors (Ville 1939), and so do collapses,
// which no longer run makes less likely.
func (r *Ends) ask(ctx context.Context) error {
	var rows []*EndsOfScenario
	var e stratified.Evidence
	rounds := 0
	for i := range r.Scenarios {
		row := &r.Scenarios[i]
		if row.Problem != "" {
			continue
		}
		rows = append(rows, row)
		e.Baseline, e.Candidate = append(e.Baseline, row.BaselineOutcomes), append(e.Candidate, row.CandidateOutcomes)
		rounds = max(rounds, min(len(row.BaselineOutcomes), len(row.CandidateOutcomes)))
	}
	r.Suite = newSuite()
	if len(rows) == 0 || rounds == 0 {
		return nil
	}
	design, err := stratified.New(ctx, stratified.Question{
		Sides: stratified.Matched, Scenarios: len(rows), Delta: r.Delta, Alpha: r.Alpha, Beta: r.Beta, MaxRounds: rounds,
	})
	if err != nil {
		return err
	}
	d, err := design.Judge(e)
	if err != nil {
		return err
	}
	r.Suite.Question, r.Suite.Promise, r.Suite.Mean = design.Question(), design.Promise(), d.Mean.String()
	r.Suite.Rounds = d.Rounds
	if d.Mean == sprt.Undecided {
		r.Suite.Rounds--
	}
	for i, row := range rows {
		row.Standing = d.Scenarios[i].String()
		row.Verdict = map[stratified.Standing]verdict.Verdict{
			stratified.Cleared: verdict.Pass, stratified.Collapsed: verdict.Fail,
		}[d.Scenarios[i]]
		row.Difference = difference(row.BaselineOutcomes, row.CandidateOutcomes)
		n := r.Suite.Rounds
		*r.Suite.Baseline = r.Suite.Baseline.Plus(countedOf(row.BaselineOutcomes, n))
		r.Suite.Counted = r.Suite.Counted.Plus(countedOf(row.CandidateOutcomes, n))
	}
	r.Verdict = map[sprt.Outcome]verdict.Verdict{sprt.Pass: verdict.Pass, sprt.Fail: verdict.Fail}[d.Outcome]
	r.Suite.Verdict = r.Verdict
	return nil
}

// newSuite is a question of which nothing is known.
func newSuite() *runs.SuiteTest {
	return &runs.SuiteTest{Mean: sprt.Undecided.String(), Baseline: &runs.Side{}, Reasons: []verdict.Reason{},
		Collapsed: []string{}, Open: []string{}}
}

// countedOf counts the first outcomes.
func countedOf(letters string, most int) runs.Side {
	letters = letters[:min(most, len(letters))]
	return runs.Side{Trials: len(letters), Passes: strings.Count(letters, "P"), Fails: strings.Count(letters, "F"),
		Errors: strings.Count(letters, "E")}
}

// difference is that of the shares of passes; nil where there is none.
func difference(baseline, candidate string) *float64 {
	b, c := countedOf(baseline, len(baseline)).Plus(runs.Side{}), countedOf(candidate, len(candidate)).Plus(runs.Side{})
	if b.Rate == nil || c.Rate == nil {
		return nil
	}
	return new(*c.Rate - *b.Rate)
}

// decideSuite gives the verdict of the question.
func (r *Ends) decideSuite() {
	var collapsed, open, problems []string
	var alone oneSidedNames
	trials, beside := 0, 0
	for i := range r.Scenarios {
		row := &r.Scenarios[i]
		switch {
		case row.Problem == baselineAlone:
			alone.gone = append(alone.gone, row.Name)
		case row.Problem == candidateAlone:
			alone.added = append(alone.added, row.Name)
		}
		switch {
		case r.isIgnored(row):
		case row.Problem != "":
			problems = append(problems, row.Name)
		case row.Standing == stratified.Collapsed.String():
			collapsed = append(collapsed, row.Name)
		case row.Standing != stratified.Cleared.String():
			open = append(open, row.Name)
		}
		if row.Problem == "" {
			trials, beside = trials+len(row.CandidateOutcomes), beside+len(row.BaselineOutcomes)
		}
	}
	if len(problems) > 0 && r.Verdict == verdict.Pass {
		r.Verdict = verdict.Inconclusive
	}
	r.ExitCode = r.Verdict.ExitCode()
	counts := phrase.Beside(r.Suite.Counted.Text(), r.Suite.Baseline.Text())
	if trials > r.Suite.Counted.Trials || beside > r.Suite.Baseline.Trials {
		counts += phrase.FirstRounds(r.Suite.Rounds, trials, beside)
	}
	add := func(reason verdict.Reason) { r.Reasons = append(r.Reasons, reason) }
	if len(collapsed) > 0 {
		add(CodeWorse.Reason("%s worse: %s", phrase.AreScenarios(len(collapsed)), phrase.Names(collapsed)))
	}
	switch {
	case r.Suite.Mean == sprt.Fail.String():
		add(CodeWorse.Reason("%s: the mean pass rate is lower", counts))
	case r.Suite.Mean != sprt.Pass.String():
		add(CodeUndecided.Reason("%s: neither is a lower mean shown nor a drop of it by %s ruled out", counts,
			phrase.Points(r.Delta)))
	}
	if len(problems) > 0 {
		add(codeNotComparable.Reason("%s not compared: %s", phrase.AreScenarios(len(problems)), phrase.Names(problems)))
	}
	if len(open) > 0 && r.Verdict != verdict.Fail {
		add(CodeUndecided.Reason("%s undecided: a loss of %s is not ruled out for %s", phrase.AreScenarios(len(open)),
			phrase.Points(1-r.Suite.Question.Floor.To), phrase.Names(open)))
	}
	if r.Verdict == verdict.Pass {
		add(CodeNotWorseByDelta.Reason("not worse: %s: a drop of the mean by %s or more is ruled out, and no scenario has "+
			"collapsed", counts, phrase.Points(r.Delta)))
	}
	if r.Missing == MissingIgnore {
		r.Warnings = append(r.Warnings, alone.warnings()...)
	}
}

// checkLetters says what of the outcomes of a scenario is none; "" where nothing is.
func (row *EndsOfScenario) checkLetters() string {
	for _, letters := range []string{row.BaselineOutcomes, row.CandidateOutcomes} {
		if strings.Trim(letters, "PFE") != "" {
			return fmt.Sprintf("%q", letters)
		}
	}
	return ""
}
