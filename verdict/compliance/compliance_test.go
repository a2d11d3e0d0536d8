package compliance

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict"
)

const contractText = `version: 1
name: c
clauses:
  - {name: no refund, kind: guardrail, forbid: {tools: refund}}
  - {name: cheap, kind: postcondition, severity: soft, require: trial.cost_usd < 1}
  - {name: rare, kind: invariant, when: step.tool == "rare", require: "true"}
`

// judgedContract judges trials: r refunds, d is dear, u has no steps, - keeps all.
func judgedContract(t *testing.T, trials string) *Result {
	t.Helper()
	c, err := contract.Parse("c.yaml", []byte(contractText))
	if err != nil {
		t.Fatal(err)
	}
	s := contract.NewSummary(c)
	for i, kind := range trials {
		x := &trial.Trial{Scenario: "s", Index: trial.Some(i), CostUSD: trial.Some(0.5),
			Steps: []trial.Step{{Action: trial.CallTool, Tool: "search"}}}
		switch kind {
		case 'r':
			x.Steps[0].Tool = "refund"
		case 'd':
			x.CostUSD.Value = 2
		case 'u':
			x.Steps = nil
		}
		s.Add(x, c.Check(context.Background(), x))
	}
	r, err := Judge(s, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
	return r
}

func TestContractVerdicts(t *testing.T) {
	for trials, want := range map[string]struct {
		verdict  verdict.Verdict
		code     verdict.Code
		warnings []verdict.Code
	}{
		"":     {verdict.Inconclusive, verdict.CodeNoTrials, nil},
		"----": {verdict.Pass, codeKept, []verdict.Code{warnClauseInapplicable}},
		"--d-": {verdict.Pass, codeKept, []verdict.Code{warnClauseInapplicable, warnSoft}},
		"-r--": {verdict.Fail, codeViolated, []verdict.Code{warnClauseInapplicable}},
		"ru":   {verdict.Fail, codeViolated, []verdict.Code{codeClauseNotJudged, warnUnjudged}},
		"uuu": {verdict.Inconclusive, codeClauseNotJudged, []verdict.Code{codeClauseNotJudged, codeClauseNotJudged,
			warnUnjudged}},
	} {
		r := judgedContract(t, trials)
		if r.Verdict != want.verdict || r.ExitCode != want.verdict.ExitCode() || r.Reasons[0].Code != want.code ||
			r.Schema != "tribunal/contract/v1" {
			t.Errorf("%q: %+v", trials, r)
		}
		var codes []verdict.Code
		for _, w := range r.Warnings {
			codes = append(codes, w.Code)
		}
		if len(codes) != len(want.warnings) {
			t.Errorf("%q: warnings %v, want %v", trials, r.Warnings, want.warnings)
			continue
		}
		for i := range codes {
			if codes[i] != want.warnings[i] {
				t.Errorf("%q: warnings %v, want %v", trials, codes, want.warnings)
			}
		}
	}
}

// The interval holds whatever became of the trials that could not be judged.
func TestContractIntervals(t *testing.T) {
	r := judgedContract(t, "------r--u")
	// Clopper and Pearson, of 8 and of 9 in 10: R's binom.test(8, 10) and (9, 10).
	i := r.Clauses[0].Interval
	if math.Abs(i.Low-0.4439045) > 1e-6 || math.Abs(i.High-0.9974714) > 1e-6 ||
		math.Abs(*r.Clauses[0].Rate-8.0/9) > 1e-12 {
		t.Errorf("%+v", i)
	}
	v := r.Clauses[0].Violations
	if len(v) != 1 || *v[0].Trial != 6 || *v[0].Step != 0 || v[0].Tool != "refund" || v[0].Scenario != "s" {
		t.Errorf("%+v", v)
	}
	if s := r.Satisfaction; s.Trials != 10 || s.Kept != 8 || s.Windows.Count != 0 || s.Needed != 10 {
		t.Errorf("%+v", s)
	}
}
