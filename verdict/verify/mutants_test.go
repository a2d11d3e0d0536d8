package verify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/mutants"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// exampleCampaign is one of a suite of two tests that the original always passed, with a mutant for each pair of marks:
// P passes a test of it, F fails it, and . leaves it without trials. Those that changed behave otherwise.
func exampleCampaign(t *testing.T, o mutants.Options, changed string, marks ...string) *mutants.Result {
	t.Helper()
	o.Levels = mutants.Levels{Alpha: 0.05, Beta: 0.1, Delta: 0.4, Family: o.Family}
	from, err := baseline.Fixed(60)
	if err != nil {
		t.Fatal(err)
	}
	recorded := runs.RecordedTest{Sample: from, Outcome: baseline.Outcome{Trials: 60}, Worst: baseline.Outcome{Trials: 60}}
	own, err := sprt.Wald(sample.Hypotheses, 120)
	if err != nil {
		t.Fatal(err)
	}
	c := mutants.Campaign{Suite: "shop", Digest: "sha256:1", Options: o,
		Prompt: map[int]string{1: "Look the order up first."},
		Original: exampleRun(t, own, func(e *runs.Evidence) {
			e.StoppedBy, e.Budget, e.Spent = runs.StoppedByDecision, "", runs.Expense{Trials: 120, Attempts: 120}
		}, strings.Repeat("P", 60), strings.Repeat("P", 60)),
		Behaviour: map[string]*behaviour.Comparison{}}
	e := runs.Evidence{Suite: "shop", Digest: "sha256:1", Finished: "2026-11-20T00:00:00Z",
		StoppedBy: runs.StoppedByInterrupt}
	for place := range 2 {
		plan, err := baseline.Against(t.Context(), baseline.Question{Delta: o.Delta, Alpha: o.OfTest(place, len(marks)),
			Beta: o.Beta}, from,
			recorded.Outcome, baseline.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range marks {
			id, name := fmt.Sprintf("M%d", i+1), exampleNames[place]
			test := runs.TestEvidence{Name: suite.TestName(name, id), Variant: id, Scenarios: []string{name},
				Against: recorded.Against(plan.Family, runs.BaselineSource{})}
			if mark := rune(text[place]); mark != '.' {
				for number := range 30 {
					test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: name, Number: number,
						Trial: &trial.Trial{Scenario: name, Variant: id, Outcome: outcomeOf(mark)}})
					e.Spent.Trials++
				}
			}
			e.Tests = append(e.Tests, test)
		}
	}
	e.Spent.Attempts = e.Spent.Trials
	why, err := runs.StopOf(e.Tests)
	if err != nil {
		t.Fatal(err)
	}
	if why != runs.StoppedByRecording {
		e.StoppedBy = why
	}
	if c.Run, err = runs.Judge(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	for i := range marks {
		m := mutants.Mutant{ID: fmt.Sprintf("M%d", i+1), Key: fmt.Sprint(i), Operator: "prompt.drop", Class: "prompt",
			Site: "line 1", Lines: []int{1}}
		c.Mutants = append(c.Mutants, m)
		if strings.Contains(changed, m.ID) {
			c.Behaviour[m.ID] = comparedWork(t, 3, 6, 40)
		}
	}
	if o.Space < 0 {
		none := 0
		c.Options.Space, c.Mutants[0].Applied = 0, &none
	}
	r, err := mutants.Judge(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mutationsSaid are those of campaigns of mutants.
func mutationsSaid(t *testing.T, s *sentenceList) {
	half, most := 0.5, 0.9
	tell := func(o mutants.Options, changed string, marks ...string) {
		s.result("run mutants", exampleCampaign(t, o, changed, marks...))
	}
	family := mutants.Levels{Family: true}
	tell(mutants.Options{Levels: family}, "M2", "F.", "PP")
	tell(mutants.Options{Levels: family, FailUnder: &half}, "M2", "F.", "PP")
	tell(mutants.Options{Levels: family, FailUnder: &most}, "M2", "F.", "PP")
	tell(mutants.Options{Levels: family, FailUnder: &half}, "M2", "F.", "PP", "..")
	tell(mutants.Options{}, "M2", "F.", "PP")
	tell(mutants.Options{FailUnder: &half}, "M3", "F.", "F.", "PP")
	tell(mutants.Options{}, "", "PP")
	tell(mutants.Options{FailUnder: &half}, "", "..")
	tell(mutants.Options{Space: -1}, "", "F.", "PF")
	checks := []mutants.Check{{Scenario: "refund", Change: "deleted", Before: "PF", After: "PP"}}
	s.result("run mutants --recorded", mutants.JudgeChecks("shop", "sha256:1", checks, []string{"cancel"}, 2, nil))
	checks = append(checks, mutants.Check{Scenario: "refund", Change: "deleted", Before: "PF", After: "PF"})
	s.result("run mutants --recorded", mutants.JudgeChecks("shop", "sha256:1", checks, nil, 2, &most))
	s.result("run mutants --recorded", mutants.JudgeChecks("shop", "sha256:1", nil, nil, 0, nil))
	s.result("run mutants --recorded", mutants.JudgeChecks("shop", "sha256:1", nil, nil, 0, &most))
}

// A saved campaign is what its outcomes come to, and a number that is changed is found.
func TestForgedCampaigns(t *testing.T) {
	half := 0.5
	result := exampleCampaign(t, mutants.Options{FailUnder: &half}, "M2", "F.", "PP", "..")
	if v, err := Verify(t.Context(), result); err != nil || v.Compared < 100 {
		t.Fatalf("%+v, %v", v, err)
	}
	refused(t, result, map[string]func(r *mutants.Result){
		"fate":     func(r *mutants.Result) { r.Mutants[1].Fate = mutants.KilledByRate },
		"killed":   func(r *mutants.Result) { r.Score.Killed++ },
		"score":    func(r *mutants.Result) { *r.Score.Score = 0.9 },
		"verdict":  func(r *mutants.Result) { r.Verdict, r.ExitCode = verdict.Pass, 0 },
		"kills":    func(r *mutants.Result) { r.Tests[1].Kills = []string{"M1"} },
		"trials":   func(r *mutants.Result) { r.Cost.Trials-- },
		"alpha":    func(r *mutants.Result) { r.Asked.Alpha = 0.5 },
		"outcomes": func(r *mutants.Result) { r.Run.Tests[0].Outcomes = strings.Repeat("P", len(r.Run.Tests[0].Outcomes)) },
		"dropped":  func(r *mutants.Result) { r.Mutants = r.Mutants[:2] },
		"original": func(r *mutants.Result) { r.Original.Tests[0].Outcomes = "F" + r.Original.Tests[0].Outcomes[1:] },
	})
}
