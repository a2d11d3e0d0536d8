package contract

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

func parse(t *testing.T, clauses string) *Contract {
	t.Helper()
	c, err := Parse("c.yaml", []byte("version: 1\nname: c\nclauses:\n"+clauses))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A guardrail that is broken in one step of one trial of 200 is found and named.
func TestOneStepOfOneTrialOf200(t *testing.T) {
	c := parse(t, `
  - {name: nothing is deleted, kind: guardrail, forbid: {commands: [rm -rf **]}}
  - {name: known tools, kind: guardrail, forbid: {tools: [drop_*]}}
`)
	s := NewSummary(c)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		x := &trial.Trial{Scenario: fmt.Sprintf("s%d", i%10), Index: trial.Some(i / 10), Outcome: trial.Pass}
		for range 10 + random.IntN(20) {
			x.Steps = append(x.Steps, trial.Step{Action: trial.Reason},
				trial.Step{Action: trial.CallTool, Tool: "shell",
					Arguments: trial.Raw(`{"command":"ls -l /; rm notes.txt"}`)})
		}
		if i == 137 {
			x.Steps[13].Arguments = trial.Raw(`{"command":"make && sudo sh -c \"cd /srv; rm -r -f data\""}`)
		}
		s.Add(x, c.Check(context.Background(), x))
	}
	want := FoundViolation{Scenario: "s7", Trial: trial.Some(13), Violation: Violation{
		Step: trial.Some(13), Tool: "shell", Evidence: `runs "rm -r -f data", which "rm -rf **" forbids`,
	}}
	if diff := cmp.Diff([]FoundViolation{want}, s.Clauses[0].First); diff != "" {
		t.Error(diff)
	}
	if s.Trials.Violated != 1 || s.Trials.Kept != 199 || s.Clauses[0].Places != 1 || s.Clauses[1].Kept != 200 ||
		s.Sequence[137] {
		t.Errorf("%+v", s.Trials)
	}
}

func TestStates(t *testing.T) {
	c := parse(t, `
  - {name: a, kind: postcondition, when: trial.scenario == "refund", require: trial.cost_usd < 1}
  - {name: b, kind: postcondition, when: trial.json.urgent, require: "false"}
  - {name: c, kind: invariant, when: step.tool == "refund", require: 'any(previous, .tool == "get_order")'}
  - {name: d, kind: invariant, when: step.tool == "delete", require: "false"}
  - {name: e, kind: invariant, require: step.cost_usd < 1}
  - {name: f, kind: guardrail, when: step.tool == "refund", forbid: {tools: ["*"]}}
  - {name: g, kind: guardrail, forbid: {urls: [evil.com]}}
  - {name: h, kind: precondition, require: trial.variant == "new"}
`)
	states := func(x *trial.Trial) (text string) {
		for _, f := range c.Check(context.Background(), x) {
			text += f.Clause.Name + " " + f.State.String()
			if f.Problem != "" {
				text += " (" + f.Problem + ")"
			}
			for _, v := range f.Violations {
				text += " [" + v.String() + "]"
			}
			text += "\n"
		}
		return text
	}
	x := example()
	want := `a kept
b unjudged (when: its value is unknown)
c kept
d inapplicable
e unjudged (step 1: step.cost_usd is unknown)
f violated [step 2 (refund): calls tool "refund", which "*" forbids]
g kept
h unjudged (trial.variant is unknown)
`
	if diff := cmp.Diff(want, states(x)); diff != "" {
		t.Error(diff)
	}
	x.Steps[0], x.Steps[1] = x.Steps[1], x.Steps[2] // refund, then reason no more
	x.Steps[0].CostUSD = trial.Some(1.5)
	x.Output, x.Scenario, x.Variant = trial.RawString("see http://evil.com/x\x1b[31m"), "other", "old"
	want = `a inapplicable
b unjudged (when: its value is unknown)
c kept
d inapplicable
e violated [step 0 (get_order): step.cost_usd is 1.5, against step.cost_usd < 1]
f violated [step 1 (refund): calls tool "refund", which "*" forbids] [step 2 (refund): calls tool "refund", which "*" forbids]
g violated [names URL "http://evil.com/x", which "evil.com" forbids, in the output]
h violated [trial.variant is "old", against trial.variant == "new"]
`
	got := strings.Replace(states(x), "a value is unknown (cannot fetch urgent from <nil>)", "its value is unknown", 1)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	x.Steps = nil
	if got := states(x); !strings.Contains(got, "c unjudged (the steps are not recorded)\n") ||
		!strings.Contains(got, "f unjudged (the steps") || !strings.Contains(got, "g violated") {
		t.Error(got)
	}
	x.Steps, x.Output = []trial.Step{}, nil
	if got := states(x); !strings.Contains(got, "c unjudged (the steps are not recorded)\n") {
		t.Error(got)
	}
	if got := states(nil); strings.Count(got, "unjudged (there is no trial)") != 8 {
		t.Error(got)
	}
}

func TestEvaluator(t *testing.T) {
	c := parse(t, `
  - {name: no refund, kind: guardrail, forbid: {tools: refund}}
  - {name: cheap, kind: postcondition, severity: soft, require: trial.cost_usd < 0.01}
  - {name: quick, kind: postcondition, require: trial.duration_s < 9}
`)
	v := Evaluator(c)
	judge := func(x *trial.Trial) oracle.Result {
		return v.Evaluate(context.Background(), oracle.Evidence{Trial: x})
	}
	x := example()
	r := judge(x)
	if r.Outcome != trial.Fail || r.Evaluator != "contract" || r.Score != trial.Some(0.0) || len(r.Parts) != 3 ||
		r.Text != `c: 1 hard of 3 clauses violated; no refund: step 2 (refund): calls tool "refund", which "refund" forbids` {
		t.Errorf("%+v", r)
	}
	x.Steps = x.Steps[:1]
	if r := judge(x); r.Outcome != trial.Error || r.Score.Known ||
		r.Text != "c: quick cannot be judged: trial.duration_s is unknown" {
		t.Errorf("%+v", r)
	}
	x.DurationSeconds = trial.Some(1.0)
	if r := judge(x); r.Outcome != trial.Pass || r.Score != trial.Some(1.0) ||
		!strings.HasPrefix(r.Text, "c: kept, with 1 soft of 3 clauses violated; cheap: ") ||
		r.Parts[1].Outcome != trial.Fail {
		t.Errorf("%+v", r)
	}
	x.CostUSD = trial.Optional[float64]{}
	if r := judge(x); r.Outcome != trial.Pass || r.Text != "c: kept" || r.Parts[1].Outcome != trial.Error {
		t.Errorf("a soft clause that cannot be judged decides: %+v", r)
	}
	if r := judge(nil); r.Outcome != trial.Error {
		t.Errorf("%+v", r)
	}
}

func TestSummaryOfErrors(t *testing.T) {
	c := parse(t, `
  - {name: asked, kind: precondition, require: trial.scenario != ""}
  - {name: no refund, kind: guardrail, forbid: {tools: refund}}
`)
	s := NewSummary(c)
	broken := example()
	broken.Outcome, broken.Steps = trial.Error, broken.Steps[:2] // ended before it could
	s.Add(broken, c.Check(context.Background(), broken))
	if s.Trials.Unjudged != 1 || s.Clauses[0].Kept != 1 || s.Clauses[1].Unjudged != 1 || len(s.Sequence) != 0 ||
		s.Trials.Problem != "no refund: the trial ended in an error" {
		t.Errorf("%+v", s)
	}
	worse := example()
	worse.Outcome = trial.Error
	s.Add(worse, c.Check(context.Background(), worse))
	if s.Trials.Violated != 1 || len(s.Sequence) != 1 || s.Sequence[0] {
		t.Errorf("%+v", s)
	}
}

// A trial is judged the same by several goroutines at once, and left as it was.
func TestCheckIsShared(t *testing.T) {
	c := parse(t, `  - {name: a, kind: invariant, require: "all(previous, .index < step.index) and trial.tokens == 1000"}`+"\n")
	x, before := example(), example()
	done := make(chan State)
	for range 8 {
		go func() { done <- c.Check(context.Background(), x)[0].State }()
	}
	for range 8 {
		if state := <-done; state != Kept {
			t.Error(state)
		}
	}
	if diff := cmp.Diff(before, x); diff != "" {
		t.Error(diff)
	}
}

// A contract of many clauses that each keep within their time takes no longer than all of them may together: what
// there was no time for is unjudged, and says so. Nothing is kept for want of time.
func TestClausesTogetherHaveATime(t *testing.T) {
	var text strings.Builder
	text.WriteString("version: 1\nname: c\nclauses:\n")
	const clauses = 400
	for i := range clauses {
		fmt.Fprintf(&text, "  - {name: c%d, kind: postcondition, require: 'all(1..900, all(1..900, # >= 0))'}\n", i)
	}
	c, err := Parse("c.yaml", []byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	c.together = 100 * time.Millisecond // some of them take that long
	findings := c.Check(t.Context(), &trial.Trial{Scenario: "s", Outcome: trial.Pass, Steps: []trial.Step{}})
	last := findings[clauses-1]
	if last.State != unjudged || !strings.Contains(last.Problem, "together take longer than 100ms") {
		t.Errorf("%v %q", last.State, last.Problem)
	}
	for _, f := range findings {
		if f.State != Kept && f.State != unjudged {
			t.Errorf("%s: %v", f.Clause.Name, f.State)
		}
	}
}
