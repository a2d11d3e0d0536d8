package suggest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/arbitrary"
	"github.com/tribunal-dev/tribunal/trial"
)

// shop is an agent that refunds the amount that it is given, and fails as it is told.
type shop struct {
	fails func(amount, number int) bool
	cost  trial.Optional[float64]
	asked int
}

func (s *shop) attempt(_ context.Context, suggestion *Suggestion, number int) (*trial.Trial, string, error) {
	s.asked++
	var input struct{ Amount int }
	if err := json.Unmarshal(suggestion.Input, &input); err != nil {
		return nil, "", err
	}
	made := &trial.Trial{Scenario: suggestion.Name, Outcome: trial.Pass, CostUSD: s.cost, Steps: []trial.Step{
		{Action: trial.CallTool, Tool: "refund",
			Arguments: trial.Raw(arbitrary.Encoded(map[string]any{"amount": input.Amount}))},
	}}
	if s.fails(input.Amount, number) {
		made.Outcome = trial.Fail
	}
	return made, "because", nil
}

func tryingOf(t *testing.T, s *shop) *Tester {
	t.Helper()
	collector, err := coverage.NewCollector(coverage.Declaration{
		Tools: []string{"refund"}, Boundaries: map[string]map[string]coverage.Domain{"refund": {
			"amount": {Minimum: trial.Some(0.0), Maximum: trial.Some(1000.0), Integer: true},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	source, err := arbitrary.New([]byte(`{"type": "object", "required": ["amount"], "properties": {"amount": {"type": "integer",
		"minimum": 0, "maximum": 1000}, "note": {"type": "string"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return &Tester{Attempt: s.attempt, Collector: collector, Source: source, Confirm: 2, MostTrials: 200}
}

func given(input string) *Suggestion { return &Suggestion{Name: "s", Input: json.RawMessage(input)} }

// An agent that always fails beyond 250 is shown at 251, the smallest amount of all that fails, with nothing else.
func TestAFailingInputIsMadeSmaller(t *testing.T) {
	agent := &shop{fails: func(amount, _ int) bool { return amount > 250 }}
	trying := tryingOf(t, agent)
	s := given(`{"amount":999,"note":"hurry"}`)
	x, err := trying.Try(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if string(s.Input) != `{"amount":251}` || !x.Fails || x.Failed != 3 || x.Trials != 3 || x.Because != "because" ||
		x.Smaller == nil || string(x.Smaller.From) != `{"amount":999,"note":"hurry"}` || x.Smaller.Trials+3 != agent.asked {
		t.Errorf("%s: %+v, %d trials", s.Input, x, agent.asked)
	}
	if diff := cmp.Diff([]string{"refund", "refund amount maximum 1000", "1 new path"}, x.Reached); diff != "" {
		t.Error(diff)
	}
	// Another that comes to the same is told as such, and not kept.
	again := &Suggestion{Name: "t", Input: json.RawMessage(`{"amount":777}`)}
	if y, err := trying.Try(t.Context(), again); err != nil || y.Same != "s" || y.Kept() || !x.Kept() {
		t.Errorf("%+v (%v)", y, err)
	}
}

// An agent that varies is not shrunk on one failure: it has to fail as often as is asked, and once it passed in between
// no trial more is made. What it fails of smaller inputs now and then counts for nothing.
func TestAnAgentThatVariesIsNotShrunk(t *testing.T) {
	for failures := 1; failures <= 4; failures++ {
		agent := &shop{fails: func(_, number int) bool { return number < failures }}
		trying := tryingOf(t, agent)
		trying.MostTrials = 0
		s := given(`{"amount":999}`)
		x, err := trying.Try(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if want := failures >= 3; x.Fails != want || x.Failed != min(failures, 3) || agent.asked != min(failures+1, 3) {
			t.Errorf("%d failures: %+v, %d trials", failures, x, agent.asked)
		}
		if string(s.Input) != `{"amount":999}` || x.Smaller != nil {
			t.Errorf("%s became %+v", s.Input, x.Smaller)
		}
	}
	// Below 600 it fails twice of three times, which is not often enough.
	agent := &shop{fails: func(amount, number int) bool { return amount >= 600 || number < 2 }}
	s := given(`{"amount":999}`)
	if _, err := tryingOf(t, agent).Try(t.Context(), s); err != nil || string(s.Input) != `{"amount":600}` {
		t.Errorf("%s (%v)", s.Input, err)
	}
}

// No more trials are made than are allowed, whether by their number or by what the dearest of them cost.
func TestTryingIsBounded(t *testing.T) {
	for _, most := range []int{0, 1, 3, 10} {
		agent := &shop{fails: func(int, int) bool { return true }}
		trying := tryingOf(t, agent)
		trying.MostTrials = most
		if _, err := trying.Try(t.Context(), given(`{"amount":999,"note":"a"}`)); err != nil || agent.asked > 3+most {
			t.Errorf("at most %d: %d trials (%v)", most, agent.asked, err)
		}
	}
	agent := &shop{fails: func(amount, _ int) bool { return amount > 3 }, cost: trial.Some(0.3)}
	trying := tryingOf(t, agent)
	trying.MaxCostUSD = trial.Some(2.0)
	x, err := trying.Try(t.Context(), given(`{"amount":999}`))
	if err != nil || agent.asked != 6 || trying.SpentUSD > 2 || !x.Fails {
		t.Errorf("%d trials for %v (%v)", agent.asked, trying.SpentUSD, err)
	}
	if x, err = trying.Try(t.Context(), given(`{"amount":1}`)); err != nil || x.Outcome != "" || x.Trials != 0 ||
		agent.asked != 6 {
		t.Errorf("%+v after the budget, %d trials (%v)", x, agent.asked, err)
	}
	if lines := strings.Join(x.Lines(), "\n"); !strings.Contains(lines, "not tried") {
		t.Error(lines)
	}
	// What costs an unknown amount cannot be held to a limit.
	trying = tryingOf(t, &shop{fails: func(int, int) bool { return false }})
	trying.MaxCostUSD = trial.Some(2.0)
	if _, err := trying.Try(t.Context(), given(`{"amount":1}`)); err == nil ||
		!strings.Contains(err.Error(), "does not tell its cost") {
		t.Error(err)
	}
	broken := errors.New("no agent")
	trying.Attempt = func(context.Context, *Suggestion, int) (*trial.Trial, string, error) { return nil, "", broken }
	if _, err := trying.Try(t.Context(), given(`{"amount":1}`)); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// What was covered before is reached by nobody again, and what reaches nothing and passes is not kept.
func TestWhatRaisesNothingIsNotKept(t *testing.T) {
	trying := tryingOf(t, &shop{fails: func(int, int) bool { return false }})
	for i, want := range []bool{true, false, true, false} {
		input := []string{`{"amount":400}`, `{"amount":401}`, `{"amount":1000}`, `{"amount":1000}`}[i]
		x, err := trying.Try(t.Context(), given(input))
		if err != nil || x.Kept() != want {
			t.Errorf("%s: %+v (%v)", input, x, err)
		}
	}
}
