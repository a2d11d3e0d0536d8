package proposal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// recorded are trials whose costs are 1 to n cents, in another order; the first ones tell their tokens.
func recorded(n, withTokens int) *Limits {
	var l Limits
	for i := range n {
		x := trial.Trial{
			Scenario: []string{"a", "b"}[i%2], Outcome: trial.Pass, Turns: trial.Some(i%7 + 1), ToolCalls: trial.Some(2),
			CostUSD: trial.Some(float64((i*37)%n+1) / 100), DurationSeconds: trial.Some(0.123),
		}
		if i < withTokens {
			x.InputTokens, x.OutputTokens = trial.Some(int64(1000+i)), trial.Some(int64(1))
		}
		l.Add(&x)
	}
	for range 5 {
		l.Add(&trial.Trial{Scenario: "a", Outcome: trial.Fail, CostUSD: trial.Some(1000.0)})
	}
	return &l
}

// Of 93 trials the second largest is the limit, and of 59 the largest: see the tables in package sample.
func TestYAML(t *testing.T) {
	got, err := recorded(93, 59).YAML(Options{Share: 0.95, Confidence: 0.95, From: "x.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	want := `# Each limit is kept by 95 % of trials like the 93 trials of 2 scenarios of x.jsonl, with 95 % confidence.
# Left out: 5 trials that did not pass.
limits:
  max_turns: 7 # the 2nd largest of 93; median 4, largest 7
  max_cost_usd: 0.92 # the 2nd largest of 93; median 0.47, largest 0.93
  max_tokens: 1100 # the largest of 59; median 1100, largest 1100
evaluators:
  limits: # evaluate: limits
    - tool-call-count: 2 # the 2nd largest of 93; median 2, largest 2
    - wall-time: 130ms # the 2nd largest of 93; median 130ms, largest 130ms
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got, err = recorded(60, 58).YAML(Options{Share: 0.95, Confidence: 0.95})
	if err != nil || !strings.Contains(got, "  # max_tokens: 58 of 60 trials tell it, and 59 are needed\n") {
		t.Errorf("%s%v", got, err)
	}
	untold := recorded(0, 0)
	for range 60 {
		untold.Add(&trial.Trial{Scenario: "a", Outcome: trial.Pass, DurationSeconds: trial.Some(1.0)})
	}
	const none = "limits:\n  max_turns: none # 0 of 60 trials tell it, and 59 are needed\n" +
		"  max_cost_usd: none # 0 of 60 trials tell it, and 59 are needed\n"
	if got, err = untold.YAML(Options{Share: 0.95, Confidence: 0.95}); err != nil || !strings.Contains(got, none) {
		t.Errorf("%s%v", got, err)
	}
	_, err = recorded(58, 58).YAML(Options{Share: 0.95, Confidence: 0.95})
	const few = "of 58 trials that did not fail 58 have told what was taken, and limits that 95 % of trials keep, with " +
		"95 % confidence, need 59"
	if err == nil || err.Error() != few {
		t.Error(err)
	}
}

// Nothing is rounded down.
func TestUpwards(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.1: "0.1", 0.3: "0.3", 0.0123: "0.013", 0.0120: "0.012", 1: "1", 9.91: "10", 12345: "13000", 100: "100",
		0.00000123: "0.0000013", 99.5: "100", 7: "7", 1100.5: "1200",
	} {
		if got := upwards(x); got != want {
			t.Errorf("%v: %s, not %s", x, got, want)
		}
	}
}
