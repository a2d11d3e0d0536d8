package verdict

import (
	"errors"
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
		apply func(outcomes, baseline []string, o *GateOptions)
	}
	const verdictOf, regressionOf, floorOf, errorsOf = 0, 1, 2, 3 // the scenarios a to d
	set := func(scenario int, outcomes string) func([]string, []string, *GateOptions) {
		return func(run, baseline []string, _ *GateOptions) { run[scenario], baseline[scenario] = outcomes, outcomes }
	}
	floor := func(f Floor, outcomes string) func([]string, []string, *GateOptions) {
		return func(run, baseline []string, o *GateOptions) {
			run[floorOf], baseline[floorOf] = outcomes, outcomes
			o.Floors = map[string]Floor{"c": f}
		}
	}
	against := func(b BaselineRun) func([]string, []string, *GateOptions) {
		return func(_, _ []string, o *GateOptions) { o.Baseline = &b }
	}
	parts := [][]part{
		{
			{"pass", fine, set(verdictOf, passes)},
			{"inconclusive", missing, set(verdictOf, open)},
			{"fail", bad, set(verdictOf, fails)},
		}, {
			{"no minimum", fine, func(_, _ []string, o *GateOptions) { o.Coverage = measured(.1) }},
			{"covered", fine, func(_, _ []string, o *GateOptions) { o.Minimum, o.Coverage = &minimum, measured(.5) }},
			{"not covered", missing, func(_, _ []string, o *GateOptions) { o.Minimum, o.Coverage = &minimum, measured(.49) }},
			{"coverage not measured", missing, func(_, _ []string, o *GateOptions) { o.Minimum = &minimum }},
		}, {
			{"no baseline", fine, func(_, _ []string, _ *GateOptions) {}},
			{"as the baseline", fine, against(BaselineRun{})},
			{"a drop not excluded, strict", missing, against(BaselineRun{Strict: true})},
			{"not comparable", missing, against(BaselineRun{Err: errors.New("it is gone")})},
			{"worse than the baseline", bad, func(run, _ []string, o *GateOptions) {
				run[regressionOf], o.Baseline = fails, new(BaselineRun)
			}},
		}, {
			{"no floor", fine, set(floorOf, passes)},
			{"floor reached", fine, floor(Floor{Rate: .4}, passes)},
			{"floor open", missing, floor(Floor{Rate: .99}, passes)},
			{"floor missed", bad, floor(Floor{AllTrials: true}, "F"+passes)},
		}, {
			{"no errors", fine, set(errorsOf, passes)},
			{"an error that does not matter", fine, set(errorsOf, "E"+passes)},
			{"errors that matter", missing, set(errorsOf, "PP"+strings.Repeat("E", 18))},
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
		var o GateOptions
		want, names := fine, []string{}
		for _, p := range chosen {
			p.apply(outcomes, baseline, &o)
			want, names = max(want, p.says), append(names, p.name)
		}
		if o.Baseline != nil && o.Baseline.Err == nil {
			o.Baseline.Result = gated(t, baseline...)
		}
		g, err := JudgeGate(gated(t, outcomes...), o)
		if err != nil {
			t.Fatalf("%v: %v", names, err)
		}
		if decision := [...]Decision{fine: Deploy, missing: Manual, bad: Block}[want]; g.Decision != decision {
			t.Errorf("%s: %v, want %v: %v", strings.Join(names, ", "), g.Decision, decision, g.Reasons)
		}
	}
	judge(nil)
	if rows != 3*4*5*4*3 {
		t.Errorf("%d rows", rows)
	}
}
