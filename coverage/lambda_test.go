package coverage

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

// Of ten trials all call a, two of them then b and three each something of their own: five states of which the one
// after a was in ten trials, that after b in two and the others in one. λ is 5 + 9/10·3²/(2·1).
func TestLambdaIsFitted(t *testing.T) {
	c, err := NewCollector(Declaration{FitLambda: true, Lambda: 4})
	if err != nil {
		t.Fatal(err)
	}
	call := func(tool string) trial.Step { return trial.Step{Action: trial.CallTool, Tool: tool} }
	for i := range 10 {
		// The second step leads to another state than the first only where its tool is another.
		steps := []trial.Step{call("a")}
		switch {
		case i < 2:
			steps = append(steps, call("b"))
		case i < 5:
			steps = append(steps, call(fmt.Sprint("own ", i)))
		}
		if i == 9 {
			if r := c.Measure(); r.States.Lambda != nil || r.Dimensions[2].Value != nil || r.Dimensions[2].Reason == "" {
				t.Errorf("nine trials: %+v", r.Dimensions[2])
			}
		}
		c.Add(&trial.Trial{Outcome: trial.Pass, Steps: steps})
	}
	const lambda = 5 + 0.9*9/2
	check := func(r *Result) {
		t.Helper()
		s, m := r.States, r.Dimensions[2]
		if !s.Fitted || s.Distinct != 5 || s.Once != 3 || s.Twice != 1 || math.Abs(*s.Lambda-lambda) > 1e-12 {
			t.Errorf("%+v", s)
		}
		if math.Abs(*m.Value-(1-math.Exp(-5/lambda))) > 1e-12 {
			t.Errorf("state coverage %v", *m.Value)
		}
		if !slices.Contains(codes(r), fittedLambda) {
			t.Errorf("warnings %v", codes(r))
		}
	}
	check(c.Measure())
	// What is saved says the same.
	text, err := json.Marshal(c.Counts())
	if err != nil {
		t.Fatal(err)
	}
	var saved Counts
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatal(err)
	}
	if err := saved.Validate(); err != nil {
		t.Fatal(err)
	}
	check(saved.Measure())
	for name, spoil := range map[string]func(c *Counts){
		"more states":     func(c *Counts) { c.Visited[0].States++ },
		"more trials":     func(c *Counts) { c.Visited[2].Trials = 11 },
		"none":            func(c *Counts) { c.Visited[0].States = 0 },
		"a lambda beside": func(c *Counts) { c.Lambda = 3 },
		"no list":         func(c *Counts) { c.Visited = []StateCount{} },
	} {
		spoilt := saved
		spoilt.Visited = slices.Clone(saved.Visited)
		spoil(&spoilt)
		if spoilt.Validate() == nil {
			t.Errorf("%s: counts that cannot be are valid", name)
		}
	}
}

// Without a step there is nothing to fit to, also when it was saved.
func TestLambdaOfNoStates(t *testing.T) {
	c, err := NewCollector(Declaration{FitLambda: true})
	if err != nil {
		t.Fatal(err)
	}
	for range 12 {
		c.Add(&trial.Trial{Outcome: trial.Pass, Steps: []trial.Step{}})
	}
	text, err := json.Marshal(c.Counts())
	if err != nil {
		t.Fatal(err)
	}
	var saved Counts
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Result{c.Measure(), saved.Measure()} {
		if m := r.Dimensions[2]; m.Value != nil || m.Reason != "no steps to fit lambda to" {
			t.Errorf("%+v", m)
		}
	}
}
