package trial

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// Amounts that nothing ever took are refused where they are read and where they are written, in every field of a
// trial and of its steps, with the place.
func TestAmountsAreBounded(t *testing.T) {
	for _, c := range []struct {
		field, most, more string
	}{
		{"cost_usd", "1e15", "1.0000000000000002e15"}, {"cost_usd", "1000000000000000", "1e308"},
		{"duration_s", "1e15", "1000000000000001"}, {"duration_s", "999999999999999.5", "1e300"},
		{"input_tokens", "9007199254740992", "9007199254740993"},
		{"output_tokens", "9007199254740992", "9223372036854775807"},
	} {
		for place, form := range map[string]string{
			c.field:               `{"scenario":"s","outcome":"pass","F":N}`,
			"steps[0]." + c.field: `{"scenario":"s","outcome":"pass","steps":[{"action":"respond","F":N}]}`,
		} {
			line := func(n string) []byte { return []byte(strings.NewReplacer("F", c.field, "N", n).Replace(form)) }
			if _, err := Decode(line(c.most), Options{}); err != nil {
				t.Errorf("%s: %v", place, err)
			}
			_, err := Decode(line(c.more), Options{})
			field, ok := errors.AsType[*FieldError](err)
			if !ok || field.Field != place || !strings.HasPrefix(field.Problem, "must be at most ") || field.Line != 1 {
				t.Errorf("%s: %v", line(c.more), err)
			}
		}
	}
	for field, x := range map[string]*Trial{
		"cost_usd":                {CostUSD: Some(1e308)},
		"cost_usd_at_least":       {CostAtLeast: Some(-1.0)},
		"tokens_at_least":         {TokensAtLeast: Some(MaxTokens + 1)},
		"duration_s":              {DurationSeconds: Some(1e16)},
		"input_tokens":            {InputTokens: Some(int64(math.MaxInt64))},
		"cached_tokens":           {CachedTokens: Some(MaxTokens + 1)},
		"cache_write_tokens":      {CacheWrites: Some(int64(-1))},
		"model_usage[0].model":    {ModelUsage: []ModelUse{{CostUSD: Some(0.5)}}},
		"model_usage[1].cost_usd": {ModelUsage: []ModelUse{{Model: "a"}, {Model: "b", CostUSD: Some(-1.0)}}},
		"steps[0].output_tokens":  {Steps: []Step{{Action: Respond, OutputTokens: Some(MaxTokens + 1)}}},
	} {
		x.Scenario, x.Outcome = "s", Pass
		if e, ok := errors.AsType[*FieldError](x.Validate()); !ok || e.Field != field {
			t.Errorf("%s: %v", field, x.Validate())
		}
	}
}

// Sums of tokens end at the largest number, and do not begin again below 0.
func TestSumsOfTokensDoNotOverflow(t *testing.T) {
	x := &Trial{Steps: make([]Step, 2000)}
	for i := range x.Steps {
		x.Steps[i] = Step{Action: Respond, InputTokens: Some(MaxTokens), CostUSD: Some(MaxAmount)}
	}
	if got := x.TotalInputTokens(); got != Some(int64(math.MaxInt64)) {
		t.Errorf("%v tokens", got)
	}
	if got := x.TotalCostUSD(); got != Some(2000*1e15) {
		t.Errorf("%v USD", got)
	}
	if text, err := json.Marshal(x.TotalCostUSD().Value); err != nil {
		t.Error(string(text), err)
	}
	if got := Plus(int64(math.MaxInt64-1), 1); got != math.MaxInt64 {
		t.Errorf("%d", got)
	}
}
