package intraclass_test

import (
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/intraclass"
)

// Of twelve scenarios three always pass and the others never do: the correlation is 1, the standard error that of
// twelve outcomes at a rate of a quarter, and more trials of the same scenarios tell nothing.
func TestMoreTrialsOfScenariosThatNeverVary(t *testing.T) {
	var scenarios []stats.Counts
	for i := range 12 {
		c := stats.Counts{Trials: 5}
		if i%4 == 0 {
			c.Passes = 5
		}
		scenarios = append(scenarios, c)
	}
	scenarios = append(scenarios, stats.Counts{}) // all of its trials ended in errors
	v := intraclass.Of(intraclass.GroupsOf(scenarios), 0.05, 1)
	if v.Scenarios != 12 || v.Trials != 60 || v.MoreScenarios.Trials != 50 || v.MoreTrials.Trials != 120 {
		t.Errorf("%+v", v)
	}
	variance := 0.25 * 0.75
	refdata.Close(t, "correlation", *v.Correlation, 1, 1e-12)
	refdata.Close(t, "standard error", *v.StandardError, math.Sqrt(variance/12), 1e-12)
	refdata.Close(t, "of more scenarios", v.MoreScenarios.StandardError, math.Sqrt(variance/22), 1e-12)
	refdata.Close(t, "of more trials", v.MoreTrials.StandardError, math.Sqrt(variance/12), 1e-12)
	refdata.Close(t, "low", *v.Low, 1, 1e-12)
}

// Scenarios whose trials come to the same are one group, and their order changes nothing.
func TestGroups(t *testing.T) {
	groups := intraclass.GroupsOf([]stats.Counts{{Passes: 2, Trials: 3}, {Passes: 1, Trials: 2}, {}, {Passes: 2, Trials: 3},
		{Passes: 0, Trials: 2}})
	want := []intraclass.Group{{Passes: 0, Trials: 2, Scenarios: 1}, {Passes: 1, Trials: 2, Scenarios: 1},
		{Passes: 2, Trials: 3, Scenarios: 2}}
	if len(groups) != len(want) || groups[0] != want[0] || groups[1] != want[1] || groups[2] != want[2] {
		t.Errorf("%+v, not %+v", groups, want)
	}
	for _, none := range [][]stats.Counts{nil, {{}}, make([]stats.Counts, 1<<17)} {
		if v := intraclass.Of(intraclass.GroupsOf(none), 0.05, 1); v != nil {
			t.Errorf("%d scenarios without trials have %+v", len(none), v)
		}
	}
}

// Counts that cannot be are told before anything is computed from them.
func TestProblem(t *testing.T) {
	for want, groups := range map[string][]intraclass.Group{
		"":                          {{Passes: 1, Trials: 2, Scenarios: 3}},
		"variation.groups is empty": nil,
		"variation.groups[1] has counts that cannot be": {{Passes: 1, Trials: 2, Scenarios: 3}, {Passes: 3, Trials: 2,
			Scenarios: 1}},
		"variation.groups[0] has counts that cannot be": {{Passes: 1, Trials: 2, Scenarios: 1 << 30}},
	} {
		if got := (&intraclass.Variation{Groups: groups}).Problem(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	if got := (*intraclass.Variation)(nil).Problem(); got != "" {
		t.Errorf("none has the problem %q", got)
	}
}
