package verify

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
	"github.com/tribunal-dev/tribunal/verdict/rank"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// scoredRun is a run of trials with points on tone; of each rule that is broken one has none on rules.
func scoredRun(t *testing.T, outcomes string, tone float64, broken int) *runs.Result {
	t.Helper()
	d, err := sprt.Recording(len(outcomes))
	if err != nil {
		t.Fatal(err)
	}
	return scoredRunBy(t, d, outcomes, tone, broken)
}

// scoredRunBy is such a run whose trials a design stopped.
func scoredRunBy(t *testing.T, d sprt.Design, outcomes string, tone float64, broken int) *runs.Result {
	t.Helper()
	test := runs.TestEvidence{Name: "one", Scenarios: []string{"one"}, Design: d}
	for i, mark := range outcomes {
		x := &trial.Trial{Scenario: "one", Outcome: map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail,
			'E': trial.Error}[mark]}
		rules := 1.0
		if i < broken {
			rules = 0
		}
		found := &score.Trial{Axes: []score.AxisResult{
			{Name: "rules", From: score.Contracts, Max: 1, Points: &rules},
			{Name: "tone", Max: 10, Points: new(tone + float64(i%3)/10)},
		}}
		if mark == 'E' {
			found.Axes[1].Points = nil
		}
		found.Record(x)
		test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: "one", Number: i, Trial: x})
	}
	r, err := runs.Judge(t.Context(), runs.Evidence{
		Suite: "shop", Digest: "sha256:1", Seed: 1, Tests: []runs.TestEvidence{test}, StoppedBy: runs.StoppedByMaxTrials,
		Spent: runs.Expense{Trials: len(outcomes), Attempts: len(outcomes)},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ranked ranks a baseline and a candidate.
func ranked(t *testing.T, o rank.Options, baseline, candidate *runs.Result) *rank.Result {
	t.Helper()
	r, err := rank.Judge(t.Context(), []rank.Source{{Name: "main.json", Run: baseline},
		{Name: "change.json", Run: candidate}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// passes are outcomes of so many trials, the first of which fail.
func passes(trials, fails int) string {
	return strings.Repeat("F", fails) + strings.Repeat("P", trials-fails)
}

// ranksSaid are the sentences of rank, and of a run that drifts.
func ranksSaid(t *testing.T, s *sentenceList) {
	base := scoredRun(t, passes(60, 0), 5, 0)
	improve := rank.Options{Improve: "tone", Delta: 0.2}
	for _, candidate := range []*runs.Result{
		scoredRun(t, passes(60, 0), 8, 0), scoredRun(t, passes(60, 0), 5, 0), scoredRun(t, passes(60, 0), 3, 0),
		scoredRun(t, passes(60, 0), 8, 2), scoredRun(t, passes(8, 0), 8, 0),
	} {
		s.result("compare rank", ranked(t, improve, base, candidate))
	}
	s.result("compare rank", ranked(t, rank.Options{}, base, scoredRun(t, passes(59, 0)+"E", 5, 0)))
	s.result("run", scoredRun(t, strings.Repeat("P", 40)+strings.Repeat("F", 20), 5, 0))
	d, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.8, Delta: 0.4, Alpha: 0.05, Beta: 0.1}, 60)
	if err != nil {
		t.Fatal(err)
	}
	s.result("compare rank", ranked(t, rank.Options{}, base, scoredRunBy(t, d, passes(20, 0), 5, 0)))
}

// Whatever is changed in ranks that were saved, it is found.
func TestEveryChangeOfRanksIsFound(t *testing.T) {
	for name, r := range map[string]*rank.Result{
		"ranks": ranked(t, rank.Options{}, scoredRun(t, passes(20, 1), 5, 1), scoredRun(t, passes(20, 0), 8, 0)),
		"improved": ranked(t, rank.Options{Improve: "tone", Delta: 0.2}, scoredRun(t, passes(60, 0), 5, 0),
			scoredRun(t, passes(60, 0), 8, 0)),
	} {
		free := map[string]string{
			"seed": "of permutations, of which all may have been gone through", "results[].suite": "a name",
			"results[].digest":   "of the suite",
			"results[].cost_usd": "what the run says", "results[].duration_s": "what the run says",
			"results[].tests*": "what it is computed from", "results[].name": "a name", "alpha": "what was asked for",
		}
		if r.Improvement != nil {
			free["improvement.delta"] = "what was asked for"
		}
		for _, missed := range unfounded(t, r, free) {
			t.Errorf("%s: %s", name, missed)
		}
	}
}
