package runner

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/process"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire"
)

// travelled is an attempt after its way as a report.
func travelled(t *testing.T, a Attempt) Attempt {
	t.Helper()
	text, err := json.Marshal(a.Report("s"))
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	got, err := r.Attempt()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAttemptsTravel(t *testing.T) {
	took := trial.Some(3 * time.Second)
	for name, a := range map[string]Attempt{
		"unjudged": {Trial: &trial.Trial{Scenario: "s", Output: trial.RawString("x"), CostUSD: trial.Some(0.1)}, took: took,
			taken: wire.BudgetUse{Turns: 2, CostUSD: 0.1}},
		"broken": {Trial: &trial.Trial{Scenario: "s", Outcome: trial.Fail,
			Error: &trial.Cause{Type: "timeout", Message: "m"}},
			Broken: true, took: took, Process: &process.Result{TimedOut: true, ExitCode: -1, Duration: time.Second,
				Stderr: "e"}},
		"never began": {Err: &InfrastructureError{Type: "start", Problem: "p", Unbegun: true, After: time.Minute},
			took: took},
		"failed": {Err: &InfrastructureError{Type: "exit", Problem: "p", Stderr: "e"}, took: took, came: []byte("c"),
			again:   2,
			Process: &process.Result{ExitCode: 1, Stdout: []byte("printed")}, written: []byte("w")},
		"cut": {Trial: &trial.Trial{Scenario: "s"}, Err: &InfrastructureError{Type: "budget", Problem: "p"}, cut: true,
			took: took},
		"judged": {Trial: &trial.Trial{Scenario: "s", Outcome: trial.Pass}, judged: true, judgeErr: errors.New("j"),
			took: took},
	} {
		got := travelled(t, a)
		if fmt.Sprint(a.judgeErr) != fmt.Sprint(got.judgeErr) {
			t.Errorf("%s: the judge's error is %v", name, got.judgeErr)
		}
		if diff := cmp.Diff(a.Err, got.Err); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		a.Err, a.judgeErr, got.Err, got.judgeErr = nil, nil, nil, nil
		if !reflect.DeepEqual(a, got) {
			t.Errorf("%s: it was\n%+v\nand is\n%+v", name, a, got)
		}
	}
	// Where there is a record, what was printed stays where it was.
	a := travelled(t, Attempt{Trial: &trial.Trial{Scenario: "s"}, Process: &process.Result{Stdout: []byte("long")}})
	if a.Process == nil || a.Process.Stdout != nil {
		t.Errorf("it has come with %+v", a.Process)
	}
	// What no reader takes is a failure, as beside the run; a report of nothing is none.
	bad := Attempt{Trial: &trial.Trial{Scenario: "s", CostUSD: trial.Some(-1.)}}
	if got := travelled(t, bad); got.Err == nil || got.Trial != nil {
		t.Errorf("a record that is none is %+v", got)
	}
	if _, err := (Report{}).Attempt(); err == nil {
		t.Error("nothing is taken for an attempt")
	}
}

func TestRequestsTravel(t *testing.T) {
	r := Request{
		Scenario: "s", Variant: "v", Rounds: true, Baseline: true, Input: trial.Raw(`{"a":1}`), Trial: 3, Seed: 1 << 52,
		Attempt: 2, pair: "p", spent: wire.Expense{Turns: 1, Tokens: 2, CostUSD: 0.5},
		budget: wire.NewBudget(trial.Some(2.), trial.Optional[int64]{}, wire.BudgetUse{CostUSD: 0.5}),
	}
	text, err := json.Marshal(r.Errand())
	if err != nil {
		t.Fatal(err)
	}
	var e Errand
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	got := e.Request()
	if got.id() != r.id() || e.ID != r.id() || string(got.Input) != string(r.Input) || got.spent != r.spent ||
		got.Seed != r.Seed {
		t.Errorf("it is %+v", got)
	}
	cost, tokens := got.budget.Left()
	if !cost.Known || cost.Value != 1.5 || tokens.Known {
		t.Errorf("of the budget %v and %v are left", cost, tokens)
	}
	// What is used up elsewhere is used up here.
	r.budget.Reach()
	if r.budget.Reached() != wire.MaxCostUSD {
		t.Errorf("the budget has reached %q", r.budget.Reached())
	}
	r.budget.Reach()
	select {
	case <-r.budget.Done():
	default:
		t.Error("nobody hears of it")
	}
}
