package runner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

const agentOnly = "agent: {command: [./agent]}\n"

func floored(t *testing.T, text string, floors Floors) error {
	t.Helper()
	s := parse(t, head+agentOnly+text)
	_, err := Tests(context.Background(), s, s.Scenarios, PrepareOptions{Floors: floors})
	if _, is := errors.AsType[*suiteError](err); err != nil && !is {
		t.Fatal(err)
	}
	return err
}

// A test that passes after n straight passes can show rates p with p^n <= beta, and no others.
func TestFloorsThatCanBeShown(t *testing.T) {
	// The design for 0.8 and 0.4 with errors of 0.1 passes after 3: 0.1^(1/3) is 0.4642.
	const test = "test: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1}\n"
	s := parse(t, head+agentOnly+test+"scenarios: [{name: one}]\n")
	tests := designed(t, s)
	n, ok := straightTrials(tests[0])
	if !ok || n != 3 {
		t.Fatalf("%d straight passes (%v)", n, ok)
	}
	limit := math.Pow(.1, 1/float64(n))
	below, above := fmt.Sprintf("%.4f", limit-1e-4), fmt.Sprintf("%.4f", limit+1e-4)
	for _, c := range []struct {
		text    string
		floors  Floors
		refused bool
	}{
		{test + "scenarios: [{name: one, min_pass_rate: " + below + "}]\n", Floors{}, false},
		{test + "scenarios: [{name: one, min_pass_rate: " + above + "}]\n", Floors{}, true},
		{test + "scenarios: [{name: one, min_pass_rate: {point: " + above + "}}]\n", Floors{}, false},
		{test + "scenarios: [{name: one, min_pass_rate: " + above + "}]\n", Floors{Point: true}, false},
		{test + "gate: {min_pass_rate: " + above + "}\nscenarios: [{name: one}]\n", Floors{}, true},
		{test + "gate: {min_pass_rate: " + below + "}\nscenarios: [{name: one}]\n", Floors{}, false},
		// The higher bar counts, also where it is compared.
		{test + "gate: {min_pass_rate: " + above + "}\nscenarios: [{name: one, min_pass_rate: {point: 0.9}}]\n", Floors{},
			false},
		{test + "gate: {min_pass_rate: {point: 0.9}}\nscenarios: [{name: one, min_pass_rate: " + above + "}]\n", Floors{},
			false},
		{strings.Replace(test, "}", ", floor: "+above+"}", 1) + "scenarios: [{name: one}]\n", Floors{}, true},
		{test + "scenarios: [{name: one}]\n", Floors{Rate: .9}, true},
		{test + "scenarios: [{name: one}]\n", Floors{Rate: .9, Point: true}, false},
		{test + "scenarios: [{name: one}]\n", Floors{}, false},
		// Exactly so many trials: 0.1^(1/30) is 0.9261.
		{test + "scenarios: [{name: one, trials: 30, min_pass_rate: 0.926}]\n", Floors{}, false},
		{test + "scenarios: [{name: one, trials: 30, min_pass_rate: 0.9262}]\n", Floors{}, true},
		{strings.Replace(test, "{", "{by: suite, collapse: none, ", 1) + "scenarios: [{name: one}, {name: two, min_pass_rate: " + above +
			"}]\n",
			Floors{}, true},
		{"baseline_agent: {}\ntest: {delta: 0.4, alpha: 0.1, beta: 0.1, guard: 0.8, floor: 0.3}\nscenarios: [{name: one}]\n",
			Floors{}, true},
		{"baseline_agent: {}\ntest: {threshold: 0.8, delta: 0.4, alpha: 0.1, beta: 0.1, guard: 0.8, floor: 0.4}\n" +
			"scenarios: [{name: one}]\n", Floors{}, false},
	} {
		if err := floored(t, c.text, c.floors); (err != nil) != c.refused {
			t.Errorf("%s %+v: %v", c.text, c.floors, err)
		}
	}
}

// Whoever is refused is told what can show the floor, and that design can.
func TestRefusedFloorsNameADesign(t *testing.T) {
	const text = "test: {threshold: 0.9, delta: %v}\nscenarios: [{name: one, min_pass_rate: %v}]\n"
	for _, c := range []struct {
		delta, floor          float64
		threshold, newDelta   float64
		wantProblem, wantHint string
	}{
		{.1, .88, .98, .1, "a min_pass_rate or floor of 0.88 can never be shown: the test ends after 15 straight " +
			"passes, which that rate comes to with a chance of 14.7 %, and beta is 10 %",
			"test: {threshold: 0.98, delta: 0.1}, of at most 75 trials, can; {point: 0.88} compares the observed rate"},
		{.1, .96, .98, .02, "can never be shown", "test: {threshold: 0.98, delta: 0.02}, of at most "},
	} {
		err := floored(t, fmt.Sprintf(text, c.delta, c.floor), Floors{})
		refused, ok := errors.AsType[*suiteError](err)
		if !ok || !strings.Contains(refused.Problem, c.wantProblem) || !strings.Contains(refused.Hint(), c.wantHint) ||
			refused.Scenario != "one" || refused.Line == 0 {
			t.Errorf("%v; %v", refused, err)
		}
		shown := fmt.Sprintf("test: {threshold: %v, delta: %v}\nscenarios: [{name: one, min_pass_rate: %v}]\n",
			c.threshold, c.newDelta, c.floor)
		if err := floored(t, shown, Floors{}); err != nil {
			t.Error(err)
		}
	}
}

// Against a recorded baseline alone the boundaries for what it came to say what can be shown.
func TestFloorsAgainstAStoredBaseline(t *testing.T) {
	text := func(floor float64) string {
		return head + strings.Replace(stored, "beta: 0.1", fmt.Sprintf("beta: 0.1, floor: %v", floor), 1) +
			"scenarios: [{name: one}]\n"
	}
	for floor, refused := range map[float64]bool{.5: false, .95: true} {
		s := parse(t, text(floor))
		saveBaseline(t, s, "main.json", recordedTest{name: "one", outcomes: passes + "ff"})
		_, err := Tests(context.Background(), s, s.Scenarios, PrepareOptions{})
		if (err != nil) != refused {
			t.Errorf("%v: %v", floor, err)
		}
	}
}
