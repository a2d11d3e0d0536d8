package verify

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/relation"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/relations"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// relationDelta is the excess of the examples: such tests are planned at once.
const relationDelta = 0.4

// relationRounds is the test of an example against pairs of equal inputs.
var relationRounds = sync.OnceValues(func() (*baseline.Rounds, error) {
	plan, err := baseline.Matched(context.Background(), baseline.MatchedHypotheses{
		Delta: relationDelta, Alpha: 0.05, Beta: 0.1, MostDiscordant: (1 + relationDelta*relationDelta) / 2},
		baseline.Options{})
	return plan.Test, err
})

// exampleOfRelation is a relation of an example: its pairs of equal inputs and its follow-ups, P where it holds.
type exampleOfRelation struct {
	controls, followUps string
	most                float64 // 0: its rate is not bounded
	vacuous             int
}

// exampleRelations is a run of relations. Of one without controls the rate alone is tested, or with a baseline that
// held in so many pairs of as many, the excess over that.
func exampleRelations(t *testing.T, o relations.Options, held int, list ...exampleOfRelation) *relations.Result {
	t.Helper()
	o.Alpha, o.Beta = 0.05, 0.1
	rounds, err := relationRounds()
	if err != nil {
		t.Fatal(err)
	}
	e := relations.Evidence{Suite: "shop", Digest: "sha256:1", Options: o, Examples: map[string][]relations.Example{},
		Vacuous: map[string]int{}}
	run := runs.Evidence{Suite: "shop", Digest: "sha256:1", Finished: "2026-11-20T00:00:00Z",
		StoppedBy: runs.StoppedByInterrupt}
	for i, x := range list {
		name, scenario := fmt.Sprintf("order-%d", i+1), exampleNames[i]
		about := relation.DocumentOrder.About()
		claim := relations.Claim{Name: name, Kind: about.Kind, Family: about.Family, Paper: about.Paper, Text: about.Claim,
			Delta: relationDelta, Alone: x.controls == "" && held == 0}
		p := relations.Pair{Test: suite.PairName(name, scenario), Relation: name, Scenario: scenario}
		test := runs.TestEvidence{Name: p.Test, Scenarios: []string{p.Test}}
		if x.most > 0 {
			claim.MaxViolationRate = new(x.most)
			h := sprt.Hypotheses{Threshold: 1 - x.most, Delta: relationDelta, Alpha: o.Alpha, Beta: o.Beta}
			if test.Design, err = sprt.Wald(h, 60); err != nil {
				t.Fatal(err)
			}
		}
		switch {
		case o.Recorded > 0:
			test.Design, err = sprt.Recording(o.Recorded)
		case held > 0:
			from, problem := baseline.Fixed(held)
			if problem != nil {
				t.Fatal(problem)
			}
			recorded := runs.RecordedTest{Sample: from, Outcome: baseline.Outcome{Trials: held},
				Worst: baseline.Outcome{Trials: held}}
			plan, problem := baseline.Against(t.Context(), baseline.Question{Delta: relationDelta, Alpha: o.Alpha, Beta: o.Beta},
				from,
				recorded.Outcome, baseline.Options{})
			test.Against, err = recorded.Against(plan.Family, runs.BaselineSource{}), problem
		case x.controls != "":
			test.Against = &runs.Against{Rounds: rounds}
		}
		if err != nil {
			t.Fatal(err)
		}
		evidence := func(number int, mark byte, control bool) runs.TrialEvidence {
			run.Spent.Trials++
			return runs.TrialEvidence{Scenario: p.Test, Number: number, Baseline: control,
				Trial: &trial.Trial{Scenario: p.Test, Outcome: outcomeOf(rune(mark))}}
		}
		for number := range len(x.followUps) {
			if test.Against != nil && test.Against.Rounds != nil {
				test.Trials = append(test.Trials, evidence(number, x.controls[number], true))
			}
			test.Trials = append(test.Trials, evidence(number, x.followUps[number], false))
		}
		run.Tests = append(run.Tests, test)
		e.Claims, e.Pairs = append(e.Claims, claim), append(e.Pairs, p)
		e.Vacuous[p.Test] = x.vacuous
		if strings.Contains(x.followUps, "F") {
			e.Examples[p.Test] = []relations.Example{{Why: `the source says "14", and the follow-up "30"`,
				Source: relations.Half{Input: "a", Output: "14"}, FollowUp: relations.Half{Input: "b", Output: "30"}}}
		}
	}
	run.Spent.Attempts = run.Spent.Trials
	if why, err := runs.StopOf(run.Tests); err != nil {
		t.Fatal(err)
	} else if why != runs.StoppedByRecording {
		run.StoppedBy = why
	}
	if e.Run, err = runs.Judge(t.Context(), run); err != nil {
		t.Fatal(err)
	}
	r, err := relations.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recordedRelations are pairs that were recorded.
func recordedRelations(t *testing.T, list ...relations.RecordedPairs) *relations.Result {
	t.Helper()
	claims := []relations.Claim{}
	most := 0.1
	for i := range list {
		list[i].Relation, list[i].Scenario = fmt.Sprintf("order-%d", i+1), exampleNames[i]
		about := relation.DocumentOrder.About()
		claims = append(claims, relations.Claim{Name: list[i].Relation, Kind: about.Kind, Family: about.Family,
			Paper: about.Paper,
			Text:  about.Claim, Delta: relationDelta, MaxViolationRate: &most})
	}
	r, err := relations.JudgeRecorded(t.Context(), "shop", "sha256:1", claims, list,
		relations.Options{Alpha: 0.05, Beta: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// marks repeats a mark.
func marksOf(mark string, n int) string { return strings.Repeat(mark, n) }

// relationsSaid are those of relations.
func relationsSaid(t *testing.T, s *sentenceList) {
	tell := func(o relations.Options, held int, list ...exampleOfRelation) {
		s.result("run relations", exampleRelations(t, o, held, list...))
	}
	p, f := marksOf("P", 40), marksOf("F", 40)
	var none relations.Options
	tell(none, 0, exampleOfRelation{controls: p, followUps: p}, exampleOfRelation{controls: p, followUps: f})
	tell(none, 0, exampleOfRelation{controls: p, followUps: p})
	tell(none, 0, exampleOfRelation{controls: p, followUps: p}, exampleOfRelation{controls: p, followUps: p})
	tell(none, 0, exampleOfRelation{controls: p, followUps: p}, exampleOfRelation{controls: "PP", followUps: "FP"})
	tell(none, 0, exampleOfRelation{controls: f, followUps: f})
	tell(none, 0, exampleOfRelation{controls: p, followUps: p, vacuous: 6},
		exampleOfRelation{controls: p, followUps: p, vacuous: 1})
	tell(none, 0, exampleOfRelation{controls: p, followUps: "E" + p[1:]})
	tell(none, 0, exampleOfRelation{followUps: p, most: 0.1}, exampleOfRelation{followUps: f, most: 0.1})
	tell(relations.Options{Baseline: "main.json"}, 60, exampleOfRelation{followUps: p}, exampleOfRelation{followUps: f})
	tell(relations.Options{Recorded: 40}, 0, exampleOfRelation{followUps: p})
	vacuous := exampleRelations(t, none, 0, exampleOfRelation{controls: p, followUps: p})
	pairs := vacuous.Relations[0].Scenarios[0].FollowUp.Pairs
	tell(none, 0, exampleOfRelation{controls: p, followUps: p, vacuous: pairs})
	s.result("run relations", recordedRelations(t, relations.RecordedPairs{FollowUps: f, Controls: p, Shared: 3}))
	s.result("run relations", recordedRelations(t, relations.RecordedPairs{FollowUps: p}))
}

// A saved result is what its outcomes come to, and a number that is changed is found.
func TestForgedRelations(t *testing.T) {
	p, f := marksOf("P", 40), marksOf("F", 40)
	result := exampleRelations(t, relations.Options{}, 0, exampleOfRelation{controls: p, followUps: f},
		exampleOfRelation{controls: p, followUps: p, most: 0.2}, exampleOfRelation{controls: "PP", followUps: "PF"})
	if v, err := Verify(t.Context(), result); err != nil || v.Compared < 100 || v.Verdict != verdict.Fail {
		t.Fatalf("%+v, %v", v, err)
	}
	refused(t, result, map[string]func(r *relations.Result){
		"verdict":    func(r *relations.Result) { r.Verdict, r.ExitCode = verdict.Pass, 0 },
		"cell":       func(r *relations.Result) { r.Relations[0].Scenarios[0].Verdict = verdict.Pass },
		"violations": func(r *relations.Result) { r.Relations[0].Scenarios[0].FollowUp.Violations-- },
		"limit":      func(r *relations.Result) { r.Relations[0].Scenarios[0].FollowUp.Low = 0 },
		"p":          func(r *relations.Result) { *r.Relations[0].Scenarios[0].P = 0.5 },
		"alpha":      func(r *relations.Result) { r.Asked.Alpha = 0.5 },
		"delta":      func(r *relations.Result) { r.Relations[1].Delta = 0.1 },
		"bound":      func(r *relations.Result) { *r.Relations[1].MaxViolationRate = 0.5 },
		"no bound":   func(r *relations.Result) { r.Relations[1].MaxViolationRate = nil },
		"alone":      func(r *relations.Result) { r.Relations[0].Alone = true },
		"outcomes": func(r *relations.Result) {
			r.Run.Tests[0].Outcomes = strings.Repeat("P", len(r.Run.Tests[0].Outcomes))
		},
		"dropped":  func(r *relations.Result) { r.Relations = r.Relations[1:] },
		"renamed":  func(r *relations.Result) { r.Relations[0].Name = "order-2" },
		"pairs":    func(r *relations.Result) { r.Pairs++ },
		"baseline": func(r *relations.Result) { r.Asked.Baseline = "main.json" },
		"recorded": func(r *relations.Result) { r.Asked.Recorded = 3 },
	})
	// Recorded pairs: Boschloo's test of 0 of 40 and 40 of 40 is far below alpha, that of 1 and 3 of 40 far above.
	r := recordedRelations(t, relations.RecordedPairs{FollowUps: f, Controls: p},
		relations.RecordedPairs{FollowUps: "FFF" + p[3:], Controls: "F" + p[1:]})
	if v, err := Verify(t.Context(), r); err != nil || v.Verdict != verdict.Fail ||
		r.Relations[1].Verdict == verdict.Fail {
		t.Fatalf("%+v, %v", v, err)
	}
	refused(t, r, map[string]func(r *relations.Result){
		"marks":               func(r *relations.Result) { r.Recorded[0].FollowUps = p },
		"marks that are none": func(r *relations.Result) { r.Recorded[1].Controls = "X" },
	})
}
