package oracle

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

func TestBudgetSentences(t *testing.T) {
	cheap := traced()
	cheap.InputTokens, cheap.OutputTokens = trial.Some(int64(1000)), trial.Some(int64(500))
	for _, c := range []struct {
		metric Metric
		max    float64
		trial  *trial.Trial
		score  float64
		text   string
	}{
		{TokenBudget, 50000, traced(), 0.5, "75000 tokens exceeds max of 50000"},
		{TokenBudget, 50000, cheap, 1, "1500 tokens (within budget of 50000)"},
		{TokenBudget, 75000, traced(), 1, "75000 tokens (within budget of 75000)"},
		{ToolCallCount, 20, traced(), 1, "3 tool calls (within budget of 20)"},
		{ToolCallCount, 2, traced(), 0.5, "3 tool calls exceeds max of 2"},
		{TurnCount, 1, traced(), 0, "2 turns exceeds max of 1"},
		{ErrorCount, 0, traced(), 0, "1 error exceeds max of 0"},
		{WallTime, 120, traced(), 0.75, "2m30s exceeds max of 2m0s"},
		{WallTime, 150, traced(), 1, "2m30s (within budget of 2m30s)"},
		{StepCount, 4, traced(), 0.75, "5 steps exceeds max of 4"},
	} {
		got := made(t)(Budget(c.metric, c.max)).Evaluate(t.Context(), Evidence{Trial: c.trial})
		if got.Text != c.text || got.Score != trial.Some(c.score) || (got.Outcome == trial.Pass) != (c.score == 1) {
			t.Errorf("got %+v, want %q and score %v", got, c.text, c.score)
		}
		if got.Measure == nil || got.Measure.Max != c.max {
			t.Errorf("%s: measure %+v", c.text, got.Measure)
		}
	}
}

// What is unknown is an error: never 0, never a pass.
func TestUnknownMetricsAreErrors(t *testing.T) {
	half := printed("x")
	half.InputTokens = trial.Some(int64(5))
	broken := printed("x")
	broken.DurationSeconds = trial.Some(math.NaN())
	for _, bare := range []*trial.Trial{printed("x"), half, broken} {
		for m := TokenBudget; m <= StepCount; m++ {
			got := made(t)(Budget(m, 1e9)).Evaluate(t.Context(), Evidence{Trial: bare})
			if got.Outcome != trial.Error || got.Score.Known || got.Measure != nil ||
				!strings.Contains(got.Text, "unknown") {
				t.Errorf("%v: %+v", m, got)
			}
		}
	}
}

func TestTokensAreSummedOverSteps(t *testing.T) {
	record := &trial.Trial{Steps: []trial.Step{
		{Action: trial.Reason, InputTokens: trial.Some(int64(10)), OutputTokens: trial.Some(int64(5)),
			CostUSD: trial.Some(0.25)},
		{Action: trial.CallTool, Tool: "search"},
		{Action: trial.Respond, InputTokens: trial.Some(int64(20)), OutputTokens: trial.Some(int64(7)),
			CostUSD: trial.Some(0.5)},
	}}
	if got := tokens(record); got != trial.Some(42.0) {
		t.Errorf("tokens %v", got)
	}
	if got := UsageOf(record); got != (Usage{Turns: trial.Some(2), CostUSD: trial.Some(0.75), Tokens: trial.Some(42.0)}) {
		t.Errorf("usage %v", got)
	}
	record.Steps[2].OutputTokens, record.Steps[2].CostUSD = trial.Optional[int64]{}, trial.Optional[float64]{}
	if tokens(record).Known || UsageOf(record).CostUSD.Known {
		t.Error("a sum with an unknown part is known")
	}
}

// The score falls from 1 at the budget in a straight line, and is 0 from twice the
// budget on.
func TestBudgetScore(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		limit := rapid.Float64Range(0, 1e12).Draw(t, "max")
		value := rapid.Float64Range(0, 4e12).Draw(t, "value")
		r := TokenBudget.judge(value, limit)
		if r.Score.Value < 0 || r.Score.Value > 1 || (r.Outcome == trial.Pass) != (value <= limit) {
			t.Fatalf("%+v", r)
		}
		if value > limit+max(limit, 1) && r.Score.Value != 0 {
			t.Fatalf("beyond twice the budget: %+v", r)
		}
		if more := TokenBudget.judge(value+1, limit); more.Score.Value > r.Score.Value {
			t.Fatalf("more scores more: %+v, %+v", r, more)
		}
	})
}

func TestResultsAsJSON(t *testing.T) {
	v := made(t)(All(made(t)(Budget(TokenBudget, 50000)), made(t)(ExitCode(0))))
	want := v.Evaluate(t.Context(), Evidence{Trial: traced()})
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	const form = `{"evaluator":"all","outcome":"fail","score":0.5,"text":"0 of 2 pass; token-budget: 75000 tokens exceeds max of 50000","parts":[` +
		`{"evaluator":"token-budget","outcome":"fail","score":0.5,"text":"75000 tokens exceeds max of 50000","value":75000,"max":50000},` +
		`{"evaluator":"exit-code","outcome":"error","text":"the exit code is not recorded"}]}`
	if diff := cmp.Diff(form, string(text)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var got Result
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read again (-want +got):\n%s", diff)
	}
}
