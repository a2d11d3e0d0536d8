package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

func ask(t *testing.T, scenario, input string, seed int) (*trial.Trial, string) {
	t.Helper()
	var out bytes.Buffer
	request := fmt.Sprintf(`{"scenario":%q,"input":%s,"trial":3,"seed":%d}`, scenario, input, seed)
	if err := run(strings.NewReader(request), &out); err != nil {
		t.Fatal(err)
	}
	text := out.String()
	for record, err := range trial.Read(&out, trial.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		return record, text
	}
	t.Fatal("no trial")
	return nil, ""
}

// The seed decides everything.
func TestAgentIsRepeatable(t *testing.T) {
	_, first := ask(t, "s", `{"text":"My payment failed"}`, 7)
	_, again := ask(t, "s", `{"text":"My payment failed"}`, 7)
	_, other := ask(t, "s", `{"text":"My payment failed"}`, 8)
	if first != again || first == other {
		t.Errorf("%s%s%s", first, again, other)
	}
}

// The agent passes its suite about as often as it is right, and never breaks a
// limit.
func TestAgentPassesItsSuite(t *testing.T) {
	s, err := suite.Load("../tribunal.yaml")
	if err != nil {
		t.Fatal(err)
	}
	const trials = 1000
	for _, scenario := range s.Scenarios {
		passes := 0
		for seed := range trials {
			record, _ := ask(t, scenario.Name, string(scenario.Input), seed)
			j := oracle.Judge(t.Context(), oracle.Evidence{Trial: record}, scenario.Evaluators(), scenario.Limits)
			switch j.Outcome {
			case trial.Pass:
				passes++
			case trial.Error:
				t.Fatalf("%s: %s", scenario.Name, j.Text)
			}
			for _, l := range j.Limits {
				if l.Outcome != trial.Pass {
					t.Fatal(l)
				}
			}
		}
		// Six standard deviations of a binomial at a rate of 0.99 are 0.019.
		if rate := float64(passes) / trials; rate < 0.97 || rate == 1 {
			t.Errorf("%s passes %v of its trials", scenario.Name, rate)
		}
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	if err := run(strings.NewReader("hello"), &bytes.Buffer{}); err == nil {
		t.Error("accepted")
	}
}
