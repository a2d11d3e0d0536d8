package report

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// runSample is the evidence of a run whose names and texts are given.
type runSample struct {
	suite     string
	scenarios []string
	trials    int // of each scenario
	passRate  float64
	errors    bool
	text      string // of outputs, reasons and steps
}

func (s runSample) evidence(t testing.TB) runs.Evidence {
	t.Helper()
	design, err := sprt.Wald(sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}, 150)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	e := runs.Evidence{Suite: s.suite, Digest: "sha256:0123456789abcdef0123456789abcdef", Seed: 1, Version: "v1",
		StoppedBy: runs.StoppedByDecision}
	cost := 0.0
	for _, name := range s.scenarios {
		test := runs.TestEvidence{Name: name, Scenarios: []string{name}, Design: design}
		for i := range s.trials {
			outcome := trial.Fail
			if random.Float64() < s.passRate {
				outcome = trial.Pass
			} else if s.errors && random.IntN(3) == 0 {
				outcome = trial.Error
			}
			record := &trial.Trial{
				Scenario: name, DurationSeconds: trial.Some(1 + random.Float64()), InputTokens: trial.Some(int64(100 + i)),
				OutputTokens: trial.Some(int64(20)),
				Input:        trial.RawString("in " + s.text), Output: trial.RawString("out " + s.text),
				Steps: []trial.Step{
					{Action: trial.Reason},
					{Action: trial.CallTool, Tool: "look " + s.text, Arguments: trial.RawString(s.text),
						Output: trial.RawString(s.text), Error: s.text},
				},
			}
			judgement := oracle.Judgement{Outcome: outcome, Text: "contains: " + s.text,
				Limits: []oracle.LimitResult{{Name: "max_turns", Max: 5, Actual: trial.Some(float64(i % 6)),
					Outcome: limitOutcome(i % 6)}}}
			if err := judgement.Record(record); err != nil {
				t.Fatal(err)
			}
			price := random.Float64() / 100
			cost += price
			test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: name, Number: i, CostUSD: trial.Some(price),
				Trial: record})
			e.Spent.Trials++
		}
		e.Tests = append(e.Tests, test)
	}
	e.Spent.Attempts, e.Spent.CostUSD, e.Spent.Duration = e.Spent.Trials, &cost, 12.5
	return e
}

func limitOutcome(turns int) trial.Outcome {
	if turns > 5 {
		return trial.Fail
	}
	return trial.Pass
}

func (s runSample) result(t testing.TB) *runs.Result {
	t.Helper()
	r, err := runs.Judge(t.Context(), s.evidence(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mixedRun has a test of each verdict: what fails, what errors keep open and what passes.
func mixedRun(t testing.TB) *runs.Result {
	t.Helper()
	e := runSample{suite: "shop", scenarios: []string{"refund"}, trials: 40, passRate: 0.5, errors: true,
		text: "no refund number"}.evidence(t)
	for _, s := range []runSample{
		{scenarios: []string{"greeting"}, trials: 60, passRate: 1, text: "hello"},
		{scenarios: []string{"address"}, trials: 3, passRate: 1, text: "street"},
	} {
		other := s.evidence(t)
		e.Tests = append(e.Tests, other.Tests...)
		e.Spent.Trials += other.Spent.Trials
		e.Spent.Attempts += other.Spent.Attempts
	}
	e.StoppedBy, e.Budget = runs.StoppedByBudget, "cost"
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Tests[0].Verdict, r.Tests[1].Verdict, r.Tests[2].Verdict); got != "fail pass inconclusive" {
		t.Fatalf("the sample is %s", got)
	}
	return r
}

func scenarioNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("scenario-%04d", i)
	}
	return names
}

func repeated(text string, n int) string { return strings.Repeat(text, n) }
