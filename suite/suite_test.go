package suite

import (
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/oracle"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
)

// complete says everything that can be said.
func complete(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/complete.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestComplete(t *testing.T) {
	s, err := Parse("testdata/tribunal.yaml", complete(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.Scenarios {
		for _, e := range c.Evaluate {
			if e.Evaluator == nil || e.Evaluator.Name() != e.Name {
				t.Errorf("%s: %v", e.Name, e.Evaluator)
			}
		}
	}
	used := make(map[string]bool)
	for _, e := range s.Scenarios[0].Evaluate {
		used[e.Name] = true
	}
	for _, name := range evaluatorNames() {
		if !used[name] {
			t.Errorf("complete.yaml does not use %s", name)
		}
	}
	if len(s.Scenarios[0].Evaluators()) != len(s.Scenarios[0].Evaluate) {
		t.Error("evaluators are missing")
	}
	s.Scenarios[0].Evaluate = nil
	for i := range s.Scenarios {
		s.Scenarios[i].Place = trial.Place{}
	}
	base := sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.01, Beta: 0.2}
	own := base
	own.Threshold = 0.8
	beta := Prior{Kind: BetaPrior, A: 49, B: 3}
	want := &Suite{
		File: "testdata/tribunal.yaml", Name: "complete-1.0",
		Agent: Agent{
			Command: []string{"./agent", "--model", "small"}, Env: map[string]string{"REGION": "eu", "LEVEL": "3"},
			EnvAllow: []string{"PATH", "API_KEY"}, EnvLimited: true, Timeout: 90 * time.Second, Output: "otlp",
			OutputFile: "out.json",
			Retries:    Retries{Infrastructure: 5, Backoff: 0}, Infrastructure: []Cause{NoOutputCause, TimeoutCause},
			WorkingDir: "work", Redact: []string{"API_KEY"}, MaxOutputBytes: 1000, Grace: 2 * time.Second,
		},
		Test: Test{Hypotheses: base, MaxTrials: 200, Design: sprt.OptimalKind, Prior: beta, By: ByScenario},
		Budget: Budget{
			MaxCostUSD: trial.Some(20.0), MaxTokens: trial.Some(int64(2000000)), MaxDuration: 30 * time.Minute,
			MaxTrials: trial.Some(500), PricePerTrial: trial.Some(0.01),
		},
		Concurrency: 8, Order: Listed, Seed: 42,
		Coverage: Coverage{
			Minimum: trial.Some(0.6), Tools: []string{"search", "refund"}, Models: []string{"small", "large"},
			Lambda: 40,
			Boundaries: map[string]map[string]coverage.Domain{"refund": {
				"amount":      {Minimum: trial.Some(1.0), Maximum: trial.Some(500.0), Integer: true},
				"rate":        {ExclusiveMinimum: trial.Some(0.0), ExclusiveMaximum: trial.Some(0.5)},
				"address.zip": {MinLength: trial.Some(5), MaxLength: trial.Some(9)},
				"lines[]":     {MinItems: trial.Some(0), MaxItems: trial.Some(3)},
				"currency": {Enum: []trial.Raw{trial.Raw(`"EUR"`), trial.Raw(`"USD"`), trial.Raw("3"),
					trial.Raw("null")}},
				"express": {Enum: []trial.Raw{trial.Raw("false"), trial.Raw("true")}},
			}},
			Weights: map[coverage.Dimension]float64{
				coverage.ToolDimension: 2, coverage.PathDimension: 1, coverage.StateDimension: 0,
				coverage.BoundaryDimension: 0.5, coverage.ModelDimension: 1,
			},
		},
		Capabilities: []string{"infer", "switch"},
		Gate: Gate{
			Floor:    Floor{MinPassRate: trial.Some(0.85), AllTrials: true},
			Baseline: "main.result.json", MaxAge: 720 * time.Hour, AllowUndecidedRegression: true,
			Behaviour: "main.jsonl", Correction: multiplicity.NoCorrection,
		},
		Scenarios: []Scenario{
			{
				Name: "first", Input: trial.Raw(`{"text":"hé","n":[1,2.50,255,null,true],"date":"2026-01-02"}`),
				Tags:   []string{"a", "b"},
				Limits: oracle.Limits{MaxTurns: trial.Some(15), MaxCostUSD: trial.Some(2.0)},
				Test: Test{Hypotheses: base, MaxTrials: 200, Design: sprt.OptimalKind, Prior: beta,
					By: ByScenario}, Evaluate: nil,
			},
			{
				Name: "second", Capabilities: []string{"switch"}, Input: trial.Raw("null"),
				Limits: oracle.Limits{MaxTurns: trial.Some(20), MaxCostUSD: trial.Some(2.0)},
				Test: Test{Hypotheses: own, MaxTrials: 200, Design: sprt.OptimalKind,
					Prior: Prior{Kind: FilePrior, File: "main.jsonl"}, By: ByScenario},
			},
			{
				Name: "third", Input: trial.Raw(`"text"`), Trials: 50,
				Test: Test{Hypotheses: base, MaxTrials: 200, Design: sprt.OptimalKind, Prior: beta, By: ByScenario},
			},
			{
				Name: "fourth", Input: trial.Raw(`7`), Limits: oracle.Limits{MaxTurns: trial.Some(15)},
				Test: Test{Hypotheses: base, MaxTrials: 200, Design: sprt.OptimalKind, Prior: beta, By: ByScenario},
			},
		},
	}
	if diff := cmp.Diff(want, s, cmp.AllowUnexported(Suite{}),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".digest" || p.Last().String() == ".task" }, cmp.Ignore())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const minimal = `
version: 1
name: tiny
agent: {command: [./agent]}
test: {threshold: 0.9}
limits: none
scenarios: [{name: one, input: {a: 1, b: 2}}]
`

func TestDefaults(t *testing.T) {
	s, err := Parse("tribunal.yaml", []byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	if s.Concurrency != 4 || s.Order != Interleaved || s.Seed != 1 || s.Test != s.Scenarios[0].Test ||
		s.Scenarios[0].Limits != (oracle.Limits{}) {
		t.Errorf("%+v", s)
	}
	want := Agent{Command: []string{"./agent"}, Timeout: 5 * time.Minute, Output: OutputAuto,
		Retries: Retries{2, time.Second}, MaxOutputBytes: 16 << 20, Grace: 5 * time.Second}
	if diff := cmp.Diff(want, s.Agent); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if h := (sprt.Hypotheses{Threshold: 0.9, Delta: 0.1, Alpha: 0.05, Beta: 0.1}); s.Test.Hypotheses != h {
		t.Errorf("%+v", s.Test)
	}
}
