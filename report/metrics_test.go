package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
)

// twoModels is what two trials took: one of a model that tells all, one of which no model is told.
func twoModels(caches bool) *usage.Usage {
	var sum usage.Sum
	known := &trial.Trial{
		Model: "large", InputTokens: trial.Some(int64(100)), OutputTokens: trial.Some(int64(7)), Turns: trial.Some(3),
		CachedTokens: trial.Some(int64(60)), CacheWrites: trial.Some(int64(10)),
	}
	other := &trial.Trial{InputTokens: trial.Some(int64(40)), OutputTokens: trial.Some(int64(2))}
	if caches {
		other.CachedTokens, other.CacheWrites = trial.Some(int64(0)), trial.Some(int64(0))
	}
	sum.Add(usage.Of(known), trial.Some(0.5), trial.EstimatedCost)
	sum.Add(usage.Of(other), trial.Some(0.25), trial.RecordedCost)
	return sum.Usage()
}

func metricsText(t *testing.T, r verdict.Result) string {
	t.Helper()
	var text strings.Builder
	if err := Write(&text, r, metricsFormat, Options{}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// The input of a model is without what has to do with a cache, where all trials tell that.
func TestMetrics(t *testing.T) {
	r := samplePass()
	r.Usage = twoModels(true)
	want := `{
  "num_turns": null,
  "total_cost_usd": 0.75,
  "token_usage": {
    "input": 140,
    "output": 9
  },
  "iterations": 2,
  "tool_calls": null,
  "modelUsage": {
    "large": {
      "inputTokens": 30,
      "outputTokens": 7,
      "cacheReadInputTokens": 60,
      "cacheCreationInputTokens": 10,
      "costUSD": 0.5
    },
    "model unknown": {
      "inputTokens": 40,
      "outputTokens": 2,
      "cacheReadInputTokens": 0,
      "cacheCreationInputTokens": 0,
      "costUSD": 0.25
    }
  }
}
`
	if diff := cmp.Diff(want, metricsText(t, r)); diff != "" {
		t.Error(diff)
	}
	r.Usage = twoModels(false)
	if text := metricsText(t, r); !strings.Contains(text, `"inputTokens": 100`) || strings.Contains(text, "cache") {
		t.Errorf("part of what came from a cache is taken for the whole:\n%s", text)
	}
}

// A table stands where trials used several models, and else with the option.
func TestTableByModel(t *testing.T) {
	r := samplePass()
	text := func(o Options) string {
		var b strings.Builder
		if err := Write(&b, r, TextFormat, o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	r.Usage = twoModels(true)
	if s := text(Options{}); !strings.Contains(s, "model unknown") || !strings.Contains(s, "~$0.500") ||
		!strings.Contains(s, "turns 1 of 2 trials") {
		t.Errorf("no table:\n%s", s)
	}
	var one usage.Sum
	one.Add(usage.Of(&trial.Trial{Model: "large"}), trial.Some(0.5), trial.RecordedCost)
	r.Usage = one.Usage()
	if s := text(Options{}); strings.Contains(s, "large") {
		t.Errorf("a table of one model:\n%s", s)
	}
	if s := text(Options{Explain: true}); !strings.Contains(s, "large") {
		t.Errorf("no table of one model:\n%s", s)
	}
}
