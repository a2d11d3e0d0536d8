package usage

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

func amount[T any](x T) *T { return &x }

// turn is an answer of a model.
func turn(model string, input int64, cost float64) trial.Step {
	return trial.Step{
		Action: trial.Respond, Model: model, InputTokens: trial.Some(input), OutputTokens: trial.Some(int64(1)),
		CostUSD: trial.Some(cost),
	}
}

func call(depth int) trial.Step {
	return trial.Step{Action: trial.CallTool, Tool: "t", Depth: trial.Optional[int]{Value: depth, Known: depth > 0}}
}

func usageOf(trials ...*trial.Trial) *Usage {
	var s Sum
	for _, t := range trials {
		s.Add(Of(t), t.TotalCostUSD(), t.CostBasis)
	}
	return s.Usage()
}

func TestWhatIsOfWhichModel(t *testing.T) {
	within := turn("b", 5, 0.25)
	within.Depth = trial.Some(1)
	for name, c := range map[string]struct {
		trial *trial.Trial
		want  []Model
	}{
		"the model of the trial stands for steps that name none": {
			&trial.Trial{Model: "a", Steps: []trial.Step{turn("", 10, 1), call(0), turn("", 20, 2)}},
			[]Model{{Model: "a", Trials: 1, Amounts: Amounts{
				CostUSD: amount(3.0), InputTokens: amount(int64(30)), OutputTokens: amount(int64(2)), Turns: amount(int64(2)),
				ToolCalls: amount(int64(1)),
			}}},
		},
		"a call is of the model whose turn called it, at its depth": {
			&trial.Trial{Model: "a", Steps: []trial.Step{turn("a", 10, 1), call(0), within, call(1), call(1), call(0)}},
			[]Model{
				{Model: "a", Trials: 1, Amounts: Amounts{
					CostUSD: amount(1.0), InputTokens: amount(int64(10)), OutputTokens: amount(int64(1)), Turns: amount(int64(1)),
					ToolCalls: amount(int64(2)),
				}},
				{Model: "b", Trials: 1, Amounts: Amounts{
					CostUSD: amount(0.25), InputTokens: amount(int64(5)), OutputTokens: amount(int64(1)), Turns: amount(int64(1)),
					ToolCalls: amount(int64(2)),
				}},
			},
		},
		"what a trial of one model tells is of that one": {
			&trial.Trial{
				Model: "a", CostUSD: trial.Some(2.0), InputTokens: trial.Some(int64(7)), CachedTokens: trial.Some(int64(3)),
				Turns: trial.Some(4), ToolCalls: trial.Some(0),
			},
			[]Model{{Model: "a", Trials: 1, Amounts: Amounts{
				CostUSD: amount(2.0), InputTokens: amount(int64(7)), CachedTokens: amount(int64(3)), Turns: amount(int64(4)),
				ToolCalls: amount(int64(0)),
			}}},
		},
		"what a trial tells beyond its steps is of no model": {
			&trial.Trial{
				Model: "a", CostUSD: trial.Some(4.0), InputTokens: trial.Some(int64(40)), OutputTokens: trial.Some(int64(2)),
				Steps: []trial.Step{turn("a", 10, 1), turn("b", 20, 2)},
			},
			[]Model{
				{Model: "b", Trials: 1, Amounts: Amounts{
					CostUSD: amount(2.0), InputTokens: amount(int64(20)), OutputTokens: amount(int64(1)), Turns: amount(int64(1)),
					ToolCalls: amount(int64(0)),
				}},
				{Model: "a", Trials: 1, Amounts: Amounts{
					CostUSD: amount(1.0), InputTokens: amount(int64(10)), OutputTokens: amount(int64(1)), Turns: amount(int64(1)),
					ToolCalls: amount(int64(0)),
				}},
				{Trials: 1, Amounts: Amounts{CostUSD: amount(1.0), InputTokens: amount(int64(10))}},
			},
		},
		"steps that tell more than their trial tell nothing": {
			&trial.Trial{CostUSD: trial.Some(0.5), Steps: []trial.Step{
				{Action: trial.Respond, Model: "a", CostUSD: trial.Some(1.0)}, {Action: trial.Respond, Model: "b"},
			}},
			[]Model{
				{Model: "a", Trials: 1, Amounts: Amounts{Turns: amount(int64(1)), ToolCalls: amount(int64(0))}},
				{Model: "b", Trials: 1, Amounts: Amounts{Turns: amount(int64(1)), ToolCalls: amount(int64(0))}},
				{Trials: 1, Amounts: Amounts{CostUSD: amount(0.5)}},
			},
		},
		"what a trial tells by model goes before its steps, and what that leaves is of no model": {
			&trial.Trial{
				Model: "a", CostUSD: trial.Some(4.0), InputTokens: trial.Some(int64(40)), OutputTokens: trial.Some(int64(2)),
				ModelUsage: []trial.ModelUse{
					{Model: "a", CostUSD: trial.Some(3.0), InputTokens: trial.Some(int64(30))},
					{Model: "c", CostUSD: trial.Some(0.5), InputTokens: trial.Some(int64(10))},
				},
				Steps: []trial.Step{turn("a", 10, 1), turn("b", 20, 2)},
			},
			[]Model{
				{Model: "a", Trials: 1, Amounts: Amounts{
					CostUSD: amount(3.0), InputTokens: amount(int64(30)), OutputTokens: amount(int64(1)), Turns: amount(int64(1)),
					ToolCalls: amount(int64(0)),
				}},
				{Model: "c", Trials: 1, Amounts: Amounts{
					CostUSD: amount(0.5), InputTokens: amount(int64(10)), OutputTokens: amount(int64(0)), Turns: amount(int64(0)),
					ToolCalls: amount(int64(0)),
				}},
				{Model: "b", Trials: 1, Amounts: Amounts{
					InputTokens: amount(int64(0)), OutputTokens: amount(int64(1)), Turns: amount(int64(1)), ToolCalls: amount(int64(0)),
				}},
				{Trials: 1, Amounts: Amounts{CostUSD: amount(0.5)}},
			},
		},
		"models that took more than their trial tell nothing": {
			&trial.Trial{CostUSD: trial.Some(0.5), ModelUsage: []trial.ModelUse{
				{Model: "a", CostUSD: trial.Some(0.5)}, {Model: "b", CostUSD: trial.Some(0.25)},
			}},
			[]Model{
				{Model: "a", Trials: 1}, {Model: "b", Trials: 1}, {Trials: 1, Amounts: Amounts{CostUSD: amount(0.5)}},
			},
		},
		"no model is told": {
			&trial.Trial{CostUSD: trial.Some(0.5), Steps: []trial.Step{{Action: trial.Respond}}},
			[]Model{{Trials: 1, Amounts: Amounts{
				CostUSD: amount(0.5), Turns: amount(int64(1)), ToolCalls: amount(int64(0)),
			}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, usageOf(c.trial).Models); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCostOfAllAttempts(t *testing.T) {
	var s Sum
	s.Add(Of(&trial.Trial{Steps: []trial.Step{turn("a", 1, 1), turn("b", 1, 2)}}), trial.Some(5.0), trial.CostAtMost)
	u := s.Usage()
	want := map[string]float64{"a": 1, "b": 2, "": 2}
	for _, m := range u.Models {
		if *m.CostUSD != want[m.Model] || m.EstimatedTrials != 1 || m.AtMostTrials != 1 {
			t.Errorf("%q: %v, %d estimated", m.Model, *m.CostUSD, m.EstimatedTrials)
		}
	}
	if len(u.Models) != 3 || *u.CostUSD != 5 {
		t.Errorf("%+v", u)
	}
}

// Costs in binary fractions are added without rounding.
func someTrial(t *rapid.T) *trial.Trial {
	cost := rapid.Custom(func(t *rapid.T) (x trial.Optional[float64]) {
		if rapid.Bool().Draw(t, "costs") {
			x = trial.Some(float64(rapid.IntRange(0, 4096).Draw(t, "cost")) / 1024)
		}
		return x
	})
	tokens := rapid.Custom(func(t *rapid.T) (n trial.Optional[int64]) {
		if rapid.Bool().Draw(t, "told") {
			n = trial.Some(rapid.Int64Range(0, 1000).Draw(t, "tokens"))
		}
		return n
	})
	model := rapid.SampledFrom([]string{"", "a", "b", "c"})
	x := &trial.Trial{
		Model: model.Draw(t, "model"), CostUSD: cost.Draw(t, "cost"), InputTokens: tokens.Draw(t, "in"),
		OutputTokens: tokens.Draw(t, "out"), CachedTokens: tokens.Draw(t, "cached"), CacheWrites: tokens.Draw(t, "writes"),
		CostBasis: rapid.SampledFrom([]trial.CostBasis{"", trial.EstimatedCost, trial.CostAtMost}).Draw(t, "basis"),
	}
	if rapid.Bool().Draw(t, "turned") {
		x.Turns = trial.Some(rapid.IntRange(0, 9).Draw(t, "turns"))
	}
	for range rapid.IntRange(0, 3).Draw(t, "models") {
		x.ModelUsage = append(x.ModelUsage, trial.ModelUse{
			Model: rapid.SampledFrom([]string{"a", "b", "d"}).Draw(t, "name"), CostUSD: cost.Draw(t, "model cost"),
			InputTokens: tokens.Draw(t, "model in"), CachedTokens: tokens.Draw(t, "model cached"),
		})
	}
	for range rapid.IntRange(0, 6).Draw(t, "steps") {
		x.Steps = append(x.Steps, trial.Step{
			Action: rapid.SampledFrom([]trial.Action{trial.Reason, trial.Respond, trial.CallTool, "look"}).Draw(t, "action"),
			Model:  model.Draw(t, "of"), CostUSD: cost.Draw(t, "step cost"), InputTokens: tokens.Draw(t, "step in"),
			OutputTokens: tokens.Draw(t, "step out"), CachedTokens: tokens.Draw(t, "step cached"),
			Depth: trial.Optional[int]{Value: rapid.IntRange(0, 1).Draw(t, "depth"), Known: true},
		})
	}
	return x
}

// The rows add up to what the trials took, and to nothing else: exactly, whatever the trials tell.
func TestRowsAddUpToTotals(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		trials := rapid.SliceOfN(rapid.Custom(someTrial), 1, 8).Draw(t, "trials")
		u := usageOf(trials...)
		var cost float64
		var counts [countedKinds]int64
		for _, m := range u.Models {
			cost += value(m.CostUSD)
			for kind, n := range m.counts() {
				counts[kind] += value(n)
			}
		}
		var wantCost float64
		var want [countedKinds]int64
		for _, x := range trials {
			wantCost += x.TotalCostUSD().Value
			want[input] += x.TotalInputTokens().Value
			want[output] += x.TotalOutputTokens().Value
			want[cached] += stated(x, x.CachedTokens, func(s *trial.Step) trial.Optional[int64] { return s.CachedTokens }).Value
			want[cacheWrites] += x.CacheWrites.Value
			turned := int64(0)
			for _, s := range x.Steps {
				switch s.Action {
				case trial.Reason, trial.Respond:
					turned++
				case trial.CallTool:
					want[toolCalls]++
				}
			}
			if turned == 0 {
				turned = int64(x.Turns.Value)
			}
			want[turns] += turned
		}
		if cost != wantCost || value(u.CostUSD) != wantCost || counts != want {
			t.Fatalf("rows: %v %v; trials: %v %v", cost, counts, wantCost, want)
		}
		for kind, n := range u.counts() {
			if value(n) != want[kind] {
				t.Fatalf("%s: %d of %d", countedNames[kind], value(n), want[kind])
			}
		}
		if name, have, need := u.Problem(); name != "" {
			t.Fatalf("%s is %s, not %s", name, have, need)
		}
	})
}

// Each figure that is changed alone no longer fits.
func TestProblem(t *testing.T) {
	fresh := func() *Usage {
		return usageOf(
			&trial.Trial{Model: "a", CostUSD: trial.Some(1.5), InputTokens: trial.Some(int64(4))},
			&trial.Trial{Model: "b", CostUSD: trial.Some(0.5), InputTokens: trial.Some(int64(2))},
		)
	}
	for want, forge := range map[string]func(*Usage){
		"":                           func(*Usage) {},
		"trials":                     func(u *Usage) { u.Trials = 0 },
		"cost_usd":                   func(u *Usage) { u.CostUSD = amount(1.0) },
		"input_tokens":               func(u *Usage) { u.InputTokens = nil },
		"turns":                      func(u *Usage) { u.Models[0].Turns = amount(int64(1)) },
		"known_trials.cost_usd":      func(u *Usage) { u.Known.CostUSD = 3 },
		"models[1].model":            func(u *Usage) { u.Models[1].Model = "a" },
		"models[0].trials":           func(u *Usage) { u.Models[0].Trials = 3 },
		"models[0].cost_usd":         func(u *Usage) { u.Models[0].CostUSD = amount(math.NaN()) },
		"models[0].input_tokens":     func(u *Usage) { u.Models[0].InputTokens = amount(int64(-1)) },
		"models[1].estimated_trials": func(u *Usage) { u.Models[1].EstimatedTrials = 2 },
	} {
		u := fresh()
		forge(u)
		if name, have, need := u.Problem(); name != want {
			t.Errorf("%s: %q, %s and not %s", want, name, have, need)
		}
	}
}

// What a result lists of trials comes to the same, whatever they cost in all.
func TestSharesSayAll(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		var told, listed Sum
		for _, x := range rapid.SliceOfN(rapid.Custom(someTrial), 1, 8).Draw(t, "trials") {
			cost := x.TotalCostUSD()
			cost.Value += float64(rapid.IntRange(0, 2).Draw(t, "earlier attempts"))
			text, err := json.Marshal(Of(x).Shares())
			if err != nil {
				t.Fatal(err)
			}
			var shares []Share
			if err := json.Unmarshal(text, &shares); err != nil {
				t.Fatal(err)
			}
			told.Add(Of(x), cost, x.CostBasis)
			listed.Add(OfShares(shares), cost, x.CostBasis)
		}
		if diff := cmp.Diff(told.Usage(), listed.Usage()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestSharesThatNoTrialTakes(t *testing.T) {
	for want, s := range map[string]Share{
		"":                 {Model: "a", Amounts: Amounts{CostUSD: amount(0.5), Turns: amount(int64(1))}},
		"cost_usd NaN":     {Amounts: Amounts{CostUSD: amount(math.NaN())}},
		"cost_usd -1":      {Amounts: Amounts{CostUSD: amount(-1.0)}},
		"tool_calls -3":    {Amounts: Amounts{ToolCalls: amount(int64(-3))}},
		"output_tokens -1": {Amounts: Amounts{OutputTokens: amount(int64(-1))}},
	} {
		if have := s.Problem(); have != want {
			t.Errorf("%q, not %q", have, want)
		}
	}
}
