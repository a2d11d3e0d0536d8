package proposal_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/proposal"
	"github.com/tribunal-dev/tribunal/trial"
)

// agent makes trials with an output and calls of tools.
func agent(n int, made func(i int) (output string, tools []string)) (list []*trial.Trial) {
	for i := range n {
		output, tools := made(i)
		t := &trial.Trial{Scenario: "large", Index: trial.Some(i), Output: trial.RawString(output)}
		for _, tool := range tools {
			t.Steps = append(t.Steps, trial.Step{Action: trial.CallTool, Tool: tool})
		}
		list = append(list, t)
	}
	return list
}

func TestSensors(t *testing.T) {
	original := agent(40, func(i int) (string, []string) {
		return fmt.Sprintf("%s refunded 60 euros for order 7.", []string{"Well,", "Sure:"}[i%2]),
			[]string{"lookup_order", "refund", "ask_manager"}
	})
	for name, x := range map[string]struct {
		changed []*trial.Trial
		want    []string // the YAML of some that must be there
	}{
		"a tool is not called": {agent(12, func(i int) (string, []string) {
			return "Sure: refunded 60 euros for order 7.", []string{"lookup_order", "refund"}
		}), []string{"must-call: ask_manager"}},
		"a tool is new": {agent(12, func(i int) (string, []string) {
			return "Sure: refunded 60 euros for order 7.", []string{"lookup_order", "refund", "ask_manager", "delete order"}
		}), []string{`must-not-call: "delete order"`}},
		"words are gone": {agent(12, func(i int) (string, []string) {
			return "Sure: refunded 60 euros.", []string{"lookup_order", "refund", "ask_manager"}
		}), []string{`contains: "euros for order"`}},
		"it talks": {agent(12, func(i int) (string, []string) {
			return "Sure: refunded 60 euros for order 7. We hope that you will come back to our shop soon.",
				[]string{"lookup_order", "refund", "ask_manager"}
		}), []string{`regex: "(?s)^.{0,45}$"`}},
		"it is the same": {agent(12, func(i int) (string, []string) {
			return "Sure: refunded 60 euros for order 7.", []string{"lookup_order", "refund", "ask_manager"}
		}), nil},
	} {
		found, err := proposal.Sensors(t.Context(), original, x.changed)
		if err != nil {
			t.Fatal(err)
		}
		var yaml []string
		for _, s := range found {
			yaml = append(yaml, s.YAML)
			if s.Original.Passes != 40 || s.Changed.Passes != 0 {
				t.Errorf("%s: %+v", name, s)
			}
		}
		if len(x.want) == 0 && len(found) > 0 {
			t.Errorf("%s: %q", name, yaml)
		}
		for _, want := range x.want {
			if !slices.Contains(yaml, want) {
				t.Errorf("%s: no %s among %q", name, want, yaml)
			}
		}
	}
}

// A letter that all answers have in common is no evaluator, and a digit is.
func TestSensorsSayMoreThanALetter(t *testing.T) {
	for _, c := range []struct{ sign, want string }{{"I", ""}, {"4", "contains: \"4\""}} {
		original := agent(40, func(i int) (string, []string) {
			return []string{c.sign + " did", "so " + c.sign, "if " + c.sign + " may", "yes, " + c.sign + " can"}[i%4], nil
		})
		found, err := proposal.Sensors(t.Context(), original, agent(40, func(int) (string, []string) { return "No.", nil }))
		if err != nil {
			t.Fatal(err)
		}
		is := slices.IndexFunc(found, func(s proposal.Sensor) bool { return strings.HasPrefix(s.YAML, "contains:") })
		if got := is >= 0; got != (c.want != "") || got && found[is].YAML != c.want {
			t.Errorf("%s: %+v", c.sign, found)
		}
	}
}

// Two samples of one agent are told apart in no more than 5 % of cases.
func TestSensorsKeepTheirLevel(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noisy := func(n int) []*trial.Trial {
		return agent(n, func(int) (string, []string) {
			text, tools := "refunded", []string{"refund"}
			for _, word := range []string{" kindly", " today", " order 7", " euros"} {
				if random.Float64() < 0.97 {
					text += word
				}
			}
			for _, tool := range []string{"lookup", "ask", "log"} {
				if random.Float64() < 0.97 {
					tools = append(tools, tool)
				}
			}
			return text, tools
		})
	}
	const cases = 400
	told := 0
	for range cases {
		found, err := proposal.Sensors(t.Context(), noisy(60), noisy(20))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			told++
		}
	}
	if limit := 0.05 + 3*math.Sqrt(0.05*0.95/cases); float64(told)/cases > limit {
		t.Errorf("%d of %d pairs of samples of one agent are told apart", told, cases)
	}
}
