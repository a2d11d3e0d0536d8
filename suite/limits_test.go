package suite

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// A limit of tokens is inherited as the others are, and need not be declared.
func TestLimitOfTokens(t *testing.T) {
	parsed, err := Parse("tribunal.yaml", []byte(`
version: 1
name: s
agent: {command: [agent]}
test: {threshold: 0.9}
limits: {max_turns: 9, max_cost_usd: none, max_tokens: 5000}
scenarios:
  - {name: inherits}
  - {name: more, limits: {max_tokens: 8000, severity: warn}}
  - {name: any, limits: {max_tokens: none}}
  - {name: nothing, limits: none}
`))
	if err != nil {
		t.Fatal(err)
	}
	turns := trial.Some(9)
	for i, want := range []oracle.Limits{
		{MaxTurns: turns, MaxTokens: trial.Some[int64](5000)}, {MaxTurns: turns, MaxTokens: trial.Some[int64](8000),
			Warn: true},
		{MaxTurns: turns}, {},
	} {
		if have := parsed.Scenarios[i].Limits; have != want {
			t.Errorf("%s: %+v, want %+v", parsed.Scenarios[i].Name, have, want)
		}
	}
}

// Turns and cost are declared for each scenario, by the suite or by itself, or none is said; a limit of tokens alone
// stands for neither.
func TestLimitsAreDeclared(t *testing.T) {
	for _, c := range []struct{ limits, scenario, refused string }{
		{"", "", "5:13: scenarios[0].limits is missing, here and in 1 other scenario; say what a trial may take at most, "},
		{"limits: {max_tokens: 5000}\n", "",
			"6:13: scenarios[0].limits is missing, here and in 1 other scenario; say what a trial may take at most, "},
		{"limits: {max_turns: 15}\n", "",
			"6:13: scenarios[0].limits.max_cost_usd is missing, here and in 1 other scenario; say what a trial may take"},
		{"limits: {max_cost_usd: 15}\n", ", limits: {max_turns: 9}",
			"6:50: scenarios[1].limits.max_turns is missing; say what a trial may take at most, "},
		{"", ", limits: none", "5:40: scenarios[1].limits is missing; say what a trial may take at most, "},
		{"limits: {max_turns: 15, max_cost_usd: none}\n", "", ""},
		{"defaults: {limits: none}\n", "", ""},
	} {
		text := begin + c.limits + "scenarios: [{name: one" + c.scenario + "}, {name: two}]\n"
		_, err := Parse("tribunal.yaml", []byte(text))
		if problems, _ := err.(Errors); c.refused == "" && err != nil || c.refused != "" &&
			(len(problems) != 1 || !strings.HasPrefix(err.Error(), "tribunal.yaml:"+c.refused)) {
			t.Errorf("%s%v", text, err)
		}
	}
}
