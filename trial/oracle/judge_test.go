package oracle

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// fixed is an evaluator with a result that is known beforehand.
func fixed(r Result) Evaluator {
	return evaluator{"fixed", unsure, func(context.Context, Evidence) Result { return r }}
}

var (
	passing  = decided(true, "")
	failing  = decided(false, "")
	erroring = unjudged("unknown")
)

// Kleene's tables (1938), in the order fail, error, pass.
func TestCombinationsAreKleene(t *testing.T) {
	values := []Result{failing, erroring, passing}
	rank := map[trial.Outcome]int{trial.Fail: 0, trial.Error: 1, trial.Pass: 2}
	for i, a := range values {
		if got := made(t)(Not(fixed(a))).Evaluate(t.Context(), Evidence{Trial: traced()}); rank[got.Outcome] != 2-i {
			t.Errorf("not %v is %v", a.Outcome, got.Outcome)
		}
		for j, b := range values {
			both := made(t)(All(fixed(a), fixed(b))).Evaluate(t.Context(), Evidence{Trial: traced()})
			either := made(t)(Any(fixed(a), fixed(b))).Evaluate(t.Context(), Evidence{Trial: traced()})
			if rank[both.Outcome] != min(i, j) || rank[either.Outcome] != max(i, j) {
				t.Errorf("%v, %v: all %v, any %v", a.Outcome, b.Outcome, both.Outcome, either.Outcome)
			}
			if len(both.Parts) != 2 || both.Score.Known != (both.Outcome != trial.Error) {
				t.Errorf("all: %+v", both)
			}
		}
	}
}

func TestWeighted(t *testing.T) {
	half := failed(0.5, "half")
	for _, c := range []struct {
		threshold float64
		parts     []Weight
		want      Result
	}{
		{0.7, []Weight{{fixed(passing), 2}, {fixed(half), 1}},
			Result{Outcome: trial.Pass, Score: trial.Some(2.5 / 3), Text: "weighted score 0.8333, threshold 0.7"}},
		{0.7, []Weight{{fixed(passing), 1}, {fixed(half), 3}},
			Result{Outcome: trial.Fail, Score: trial.Some(0.625), Text: "weighted score 0.625, threshold 0.7"}},
		{0.1, []Weight{{fixed(passing), 9}, {fixed(erroring), 1}},
			Result{Outcome: trial.Error, Text: "fixed: unknown"}},
		{0.3, []Weight{{fixed(failing), 0.7}, {fixed(passing), 0.1}, {fixed(passing), 0.2}},
			Result{Outcome: trial.Pass, Score: trial.Some(0.3), Text: "weighted score 0.3, threshold 0.3"}},
	} {
		got := made(t)(Weighted(c.threshold, c.parts...)).Evaluate(t.Context(), Evidence{Trial: traced()})
		got.Parts, c.want.Evaluator = nil, "weighted"
		if d := got.Score.Value - c.want.Score.Value; d > 1e-12 || d < -1e-12 {
			t.Errorf("score %v, want %v", got.Score, c.want.Score)
		}
		got.Score = c.want.Score
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestLimitLines(t *testing.T) {
	limits := Limits{MaxTurns: trial.Some(15), MaxCostUSD: trial.Some(2.0)}
	used := func(turns int, cost float64) Usage { return Usage{Turns: trial.Some(turns), CostUSD: trial.Some(cost)} }
	for _, c := range []struct {
		name    string
		earlier []Usage
		trial   *trial.Trial
		limits  Limits
		outcome trial.Outcome
		lines   []string
	}{
		{"within", []Usage{used(6, 0)}, traced(), limits, trial.Pass,
			[]string{"max_turns: 8, within the limit of 15", "max_cost_usd: 0.42, within the limit of 2.00"}},
		{"broken by retries alone", []Usage{used(10, 1), used(4, 1)}, traced(), limits, trial.Fail,
			[]string{"max_turns: 16, above the limit of 15", "max_cost_usd: 2.42, above the limit of 2.00"}},
		{"unknown", nil, printed("x"), limits, trial.Error,
			[]string{"max_turns: not recorded, and the limit is 15" + noTurns, "max_cost_usd: not recorded, and the limit is 2.00" +
				noCost}},
		{"unknown in a retry", []Usage{{}}, traced(), limits, trial.Error,
			[]string{"max_turns: not recorded, and the limit is 15" + noTurns, "max_cost_usd: not recorded, and the limit is 2.00" +
				noCost}},
		{"one broken, one unknown", []Usage{{Turns: trial.Some(20)}}, traced(), limits, trial.Fail,
			[]string{"max_turns: 22, above the limit of 15", "max_cost_usd: not recorded, and the limit is 2.00" + noCost}},
		{"one limit", nil, traced(), Limits{MaxCostUSD: trial.Some(0.0153)}, trial.Fail,
			[]string{"max_cost_usd: 0.42, above the limit of 0.0153"}},
		{"decimal fractions", []Usage{used(0, 0.1), used(0, 0.2)}, &trial.Trial{CostUSD: trial.Some(0.0)},
			Limits{MaxCostUSD: trial.Some(0.3)}, trial.Pass, []string{"max_cost_usd: 0.3, within the limit of 0.30"}},
		{"tokens", nil, &trial.Trial{InputTokens: trial.Some[int64](900), OutputTokens: trial.Some[int64](100)},
			Limits{MaxTokens: trial.Some[int64](1000)}, trial.Pass, []string{"max_tokens: 1000, within the limit of 1000"}},
		{"too many tokens, of retries too", []Usage{{Tokens: trial.Some(1.0)}},
			&trial.Trial{InputTokens: trial.Some[int64](900), OutputTokens: trial.Some[int64](100)},
			Limits{MaxTokens: trial.Some[int64](1000)}, trial.Fail, []string{"max_tokens: 1001, above the limit of 1000"}},
		{"tokens of steps", nil, &trial.Trial{Steps: []trial.Step{
			{Action: trial.Reason, InputTokens: trial.Some[int64](3_000_000), OutputTokens: trial.Some[int64](7)},
			{Action: trial.CallTool, Tool: "x"}}},
			Limits{MaxTokens: trial.Some[int64](2_000_000)}, trial.Fail,
			[]string{"max_tokens: 3000007, above the limit of 2000000"}},
		{"half of the tokens", nil, &trial.Trial{InputTokens: trial.Some[int64](9)},
			Limits{MaxTokens: trial.Some[int64](1000)}, trial.Error,
			[]string{`max_tokens: not recorded, and the limit is 1000; "input_tokens" with "output_tokens" in the trial record, ` +
				`or in each step that is no call of a tool, tells it, and max_tokens: none under limits drops the limit`}},
		{"tokens of nobody's limit", nil, printed("x"), Limits{MaxTokens: trial.Some[int64](1000), IfTold: true},
			trial.Pass, nil},
		{"none", nil, printed("x"), Limits{}, trial.Pass, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge(t.Context(), Evidence{Trial: c.trial, Earlier: c.earlier}, []Evaluator{fixed(passing)},
				c.limits)
			var lines []string
			for _, l := range got.Limits {
				lines = append(lines, l.String())
			}
			if diff := cmp.Diff(c.lines, lines); diff != "" || got.Outcome != c.outcome {
				t.Errorf("%v (-want +got):\n%s", got.Outcome, diff)
			}
		})
	}
}

// priced is a trial that passed, with a cost.
func priced(usd float64, basis trial.CostBasis) *trial.Trial {
	return &trial.Trial{Scenario: "s", Outcome: trial.Pass, CostUSD: trial.Some(usd), CostBasis: basis}
}

func TestJudge(t *testing.T) {
	const notStarted = `cannot start "./tools/run-the-agent": fork/exec ./tools/run-the-agent: no such file or directory ` +
		`(check the name, the working directory and PATH)`
	says := func(o trial.Outcome) *trial.Trial { return &trial.Trial{Scenario: "s", Outcome: o} }
	tight := Limits{MaxTurns: trial.Some(0)}
	for _, c := range []struct {
		name       string
		trial      *trial.Trial
		evaluators []Evaluator
		limits     Limits
		outcome    trial.Outcome
		text       string
	}{
		{"evaluators overrule a fail", says(trial.Fail), []Evaluator{fixed(passing)}, Limits{}, trial.Pass, ""},
		{"evaluators overrule a pass", says(trial.Pass), []Evaluator{fixed(passing), fixed(failing)}, Limits{},
			trial.Fail, "fixed: "},
		{"evaluators that cannot judge", says(trial.Pass), []Evaluator{fixed(erroring)}, Limits{}, trial.Error,
			"fixed: unknown"},
		{"its own pass", says(trial.Pass), nil, Limits{}, trial.Pass, ""},
		{"its own fail", says(trial.Fail), nil, Limits{}, trial.Fail, "reported as failed"},
		{"its own error", &trial.Trial{Outcome: trial.Error, Error: &trial.Cause{Message: "no\nnetwork"}}, nil,
			tight, trial.Error, `reported as an error: no; network`},
		{"an error whose end matters", &trial.Trial{Outcome: trial.Error, Error: &trial.Cause{Message: notStarted}}, nil,
			Limits{}, trial.Error, "reported as an error: " + notStarted},
		{"nothing to go by", says(trial.Unjudged), nil, Limits{}, trial.Error,
			"there are no evaluators, and the trial brings no outcome"},
		{"a broken limit makes a pass a fail", traced(), []Evaluator{fixed(passing)}, tight, trial.Fail,
			"max_turns: 2, above the limit of 0"},
		{"an unknown limit makes a pass an error", says(trial.Pass), nil, tight, trial.Error,
			"max_turns: not recorded, and the limit is 0" + noTurns},
		{"a broken limit that warns", traced(), []Evaluator{fixed(passing)},
			Limits{MaxTurns: trial.Some(0), Warn: true}, trial.Pass, ""},
		{"an unknown limit that warns", says(trial.Pass), nil, Limits{MaxTurns: trial.Some(0), Warn: true},
			trial.Pass, ""},
		{"an estimate above the limit", priced(0.3, trial.EstimatedCost), nil, Limits{MaxCostUSD: trial.Some(0.2)},
			trial.Fail, "max_cost_usd: 0.30, above the limit of 0.20"},
		{"an upper bound above the limit", priced(0.3, trial.CostAtMost), nil, Limits{MaxCostUSD: trial.Some(0.2)},
			trial.Error, "max_cost_usd: at most 0.30 by its tokens, and the limit is 0.20; what is cached or long " +
				"among them is not recorded; cost_usd in the trial record would say"},
		{"an upper bound within the limit", priced(0.3, trial.CostAtMost), nil, Limits{MaxCostUSD: trial.Some(0.4)},
			trial.Pass, ""},
		{"a fail stays one", says(trial.Fail), nil, tight, trial.Fail, "reported as failed"},
		{"no trial", nil, nil, Limits{}, trial.Error, "there is no trial"},
		{"a nil evaluator", says(trial.Pass), []Evaluator{nil}, Limits{}, trial.Error, "an evaluator is nil"},
		{"an evaluator that says nothing", says(trial.Pass), []Evaluator{fixed(Result{})}, Limits{}, trial.Error,
			"fixed: "},
		{"a score out of range", says(trial.Pass),
			[]Evaluator{fixed(Result{Outcome: trial.Pass, Score: trial.Some(2.0)})}, Limits{}, trial.Error,
			"fixed: score 2 is not in [0,1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Judge(t.Context(), Evidence{Trial: c.trial}, c.evaluators, c.limits)
			if got.Outcome != c.outcome || got.Text != c.text {
				t.Errorf("got %v %q, want %v %q", got.Outcome, got.Text, c.outcome, c.text)
			}
		})
	}
}

// No judgement of any trial passes with a limit that does not.
func TestLimitsHoldWhateverEvaluatorsSay(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		evaluators := rapid.SliceOfN(rapid.Map(rapid.SampledFrom([]Result{passing, failing, erroring}), fixed), 0,
			4).Draw(t, "evaluators")
		record := &trial.Trial{Outcome: rapid.SampledFrom([]trial.Outcome{trial.Unjudged, trial.Pass, trial.Fail,
			trial.Error}).Draw(t, "own")}
		if rapid.Bool().Draw(t, "recorded") {
			record.Steps = make([]trial.Step, rapid.IntRange(0, 4).Draw(t, "turns"))
			for i := range record.Steps {
				record.Steps[i].Action = trial.Respond
			}
		}
		limits := Limits{MaxTurns: trial.Some(rapid.IntRange(0, 4).Draw(t, "max"))}
		got := Judge(context.Background(), Evidence{Trial: record}, evaluators, limits)
		within := len(record.Steps) > 0 && len(record.Steps) <= limits.MaxTurns.Value
		if got.Outcome == trial.Pass && !within {
			t.Fatalf("%+v passes", got)
		}
		if free := Judge(context.Background(), Evidence{Trial: record}, evaluators, Limits{}); within &&
			free.Outcome != got.Outcome {
			t.Fatalf("limits that hold change %v to %v", free.Outcome, got.Outcome)
		}
	})
}

// A trial without steps may state its turns and calls; steps go before what it states but where they tell no turns, and
// a negative number is none.
func TestStatedTurns(t *testing.T) {
	one := []trial.Step{{Action: trial.Respond}}
	looks := []trial.Step{{Action: trial.CallTool, Tool: "look"}}
	for name, c := range map[string]struct {
		trial       trial.Trial
		turns, call trial.Outcome
	}{
		"stated":          {trial.Trial{Turns: trial.Some(3), ToolCalls: trial.Some(4)}, trial.Pass, trial.Fail},
		"too many":        {trial.Trial{Turns: trial.Some(4), ToolCalls: trial.Some(3)}, trial.Fail, trial.Pass},
		"unknown":         {trial.Trial{}, trial.Error, trial.Error},
		"negative":        {trial.Trial{Turns: trial.Some(-1), ToolCalls: trial.Some(-1)}, trial.Error, trial.Error},
		"with steps":      {trial.Trial{Turns: trial.Some(9), ToolCalls: trial.Some(9), Steps: one}, trial.Pass, trial.Pass},
		"calls alone":     {trial.Trial{Turns: trial.Some(4), Steps: looks}, trial.Fail, trial.Pass},
		"calls, and none": {trial.Trial{Turns: trial.Some(0), Steps: looks}, trial.Error, trial.Pass},
		"hidden steps":    {trial.Trial{Turns: trial.Some(0), Steps: slices.Repeat(one, 4)}, trial.Fail, trial.Pass},
	} {
		c.trial.Scenario, c.trial.Outcome = "a", trial.Pass
		j := Judge(t.Context(), Evidence{Trial: &c.trial}, nil, Limits{MaxTurns: trial.Some(3)})
		if j.Outcome != c.turns || j.Limits[0].Outcome != c.turns {
			t.Errorf("%s: %+v", name, j)
		}
		calls, err := Budget(ToolCallCount, 3)
		if err != nil {
			t.Fatal(err)
		}
		if r := calls.Evaluate(t.Context(), Evidence{Trial: &c.trial}); r.Outcome != c.call {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// What stands behind a limit of which a trial tells nothing.
const (
	noTurns = `; "turns" in the trial record, or a step with "action": "respond" (or "reason") for each answer of the ` +
		`model, tells it, and max_turns: none under limits drops the limit`
	noCost = `; "cost_usd" in the trial record, or in each of its steps, tells it, and max_cost_usd: none under limits ` +
		`drops the limit`
)

// A record of tool calls alone has no turns, and the limit says what would tell them.
func TestToolCallsAloneTellNoTurns(t *testing.T) {
	calls := &trial.Trial{Scenario: "a", Steps: []trial.Step{{Action: trial.CallTool, Tool: "look"},
		{Action: trial.CallTool, Tool: "sell"}}}
	got := Limits{MaxTurns: trial.Some(9)}.Check(Evidence{Trial: calls})
	if len(got) != 1 || got[0].Outcome != trial.Error ||
		got[0].String() != "max_turns: not recorded, and the limit is 9"+noTurns {
		t.Errorf("%+v", got)
	}
	calls.Steps = append(calls.Steps, trial.Step{Action: trial.Respond})
	if got := (Limits{MaxTurns: trial.Some(9)}).Check(Evidence{Trial: calls}); got[0].String() != "max_turns: 1, within "+
		"the limit of 9" {
		t.Errorf("%+v", got)
	}
}
