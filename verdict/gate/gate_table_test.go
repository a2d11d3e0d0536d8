package gate

import (
	"strings"
	"testing"
)

// state is what one part of the evidence says by itself.
type state uint8

const (
	fine state = iota
	missing
	bad
)

// TestGateTable is the whole decision table: every verdict with every coverage,
// regression, floor and kind of errors. Each part has a scenario of its own, so that
// what it says does not depend on the others; whatever is bad blocks, and else whatever
// is missing asks for a person.
func TestGateTable(t *testing.T) {
	passes, fails, open := strings.Repeat("P", 20), strings.Repeat("F", 20), "PPF"
	minimum := .5
	type part struct {
		name  string
		says  state
		apply func(outcomes, baseline []string, o *Options)
	}
	const verdictOf, regressionOf, floorOf, errorsOf = 0, 1, 2, 3 // the scenarios a to d
	set := func(scenario int, outcomes string) func([]string, []string, *Options) {
		return func(run, baseline []string, _ *Options) { run[scenario], baseline[scenario] = outcomes, outcomes }
	}
	floor := func(f Floor, outcomes string) func([]string, []string, *Options) {
		return func(run, baseline []string, o *Options) {
			run[floorOf], baseline[floorOf] = outcomes, outcomes
			o.Floors = map[string]Floor{"c": f}
		}
	}
	against := func(b BaselineRun) func([]string, []string, *Options) {
		return func(_, _ []string, o *Options) { o.Baseline = &b }
	}
	parts := [][]part{
		{
			{name: "pass", says: fine, apply: set(verdictOf, passes)},
			{name: "inconclusive", says: missing, apply: set(verdictOf, open)},
			{name: "fail", says: bad, apply: set(verdictOf, fails)},
		}, {
			{name: "no minimum", says: fine, apply: func(_, _ []string, o *Options) { o.Coverage = measured(.1) }},
			{name: "covered", says: fine, apply: func(_, _ []string, o *Options) {
				o.Minimum, o.Coverage = &minimum, measured(.5)
			}},
			{name: "not covered", says: missing, apply: func(_, _ []string, o *Options) {
				o.Minimum, o.Coverage = &minimum, measured(.49)
			}},
			{name: "coverage not measured", says: missing, apply: func(_, _ []string, o *Options) { o.Minimum = &minimum }},
		}, {
			{name: "no baseline", says: fine, apply: func(_, _ []string, _ *Options) {}},
			{name: "a drop not excluded, which is allowed", says: fine, apply: func(_, _ []string, o *Options) {
				o.Baseline, o.AllowUndecided = new(BaselineRun), true
			}},
			{name: "a drop not excluded", says: missing, apply: against(BaselineRun{})},
			{name: "not comparable", says: missing, apply: against(BaselineRun{Problem: "it is gone"})},
			{name: "worse than the baseline", says: bad, apply: func(run, _ []string, o *Options) {
				run[regressionOf], o.Baseline = fails, new(BaselineRun)
			}},
		}, {
			{name: "no floor", says: fine, apply: set(floorOf, passes)},
			{name: "floor reached", says: fine, apply: floor(Floor{Rate: .4}, passes)},
			{name: "floor open", says: missing, apply: floor(Floor{Rate: .99}, passes)},
			{name: "floor missed", says: bad, apply: floor(Floor{AllTrials: true}, "F"+passes)},
		}, {
			{name: "no errors", says: fine, apply: set(errorsOf, passes)},
			{name: "an error that does not matter", says: fine, apply: set(errorsOf, "E"+passes)},
			{name: "errors that matter", says: missing, apply: set(errorsOf, "PP"+strings.Repeat("E", 18))},
		},
	}
	rows := 0
	var judge func(chosen []part)
	judge = func(chosen []part) {
		if len(chosen) < len(parts) {
			for _, p := range parts[len(chosen)] {
				judge(append(chosen[:len(chosen):len(chosen)], p))
			}
			return
		}
		rows++
		outcomes, baseline := []string{passes, passes, passes, passes}, []string{passes, passes, passes, passes}
		var o Options
		want, names := fine, []string{}
		for _, p := range chosen {
			p.apply(outcomes, baseline, &o)
			want, names = max(want, p.says), append(names, p.name)
		}
		if o.Baseline != nil && o.Baseline.Problem == "" {
			o.Baseline.Run = TestsOf(gated(t, baseline...))
		}
		g, err := Judge(t.Context(), gated(t, outcomes...), o)
		if err != nil {
			t.Fatalf("%v: %v", names, err)
		}
		if decision := [...]Decision{fine: Deploy, missing: Review, bad: Block}[want]; g.Decision != decision {
			t.Errorf("%s: %v, want %v: %v", strings.Join(names, ", "), g.Decision, decision, g.Reasons)
		}
	}
	judge(nil)
	if rows != 3*4*5*4*3 {
		t.Errorf("%d rows", rows)
	}
}
