package suite

import (
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
	if err := LimitsDeclared(parsed.Scenarios); err != nil {
		t.Error(err)
	}
	without, err := Parse("tribunal.yaml", []byte(`{version: 1, name: s, agent: {command: [agent]}, test: {threshold: 0.9},
		limits: {max_tokens: 5000}, scenarios: [{name: one}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if l := without.Scenarios[0].Limits; !l.TurnsProposed || !l.CostProposed || l.MaxTokens != trial.Some[int64](5000) {
		t.Errorf("a limit of tokens alone stands for the others: %+v", l)
	}
}
