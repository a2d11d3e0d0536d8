package suite

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// begin is a suite without limits and scenarios.
const begin = "version: 1\nname: tiny\nagent: {command: [./agent]}\ntest: {threshold: 0.9}\n"

// A suite with defaults is the one in which they are written out, to digests and tasks as well.
func TestDefaultsAreWrittenOut(t *testing.T) {
	short, err := Parse("testdata/tribunal.yaml", []byte(begin+`
scenarios:
  - {name: one, tags: [slow], evaluate: [contains: a]}
  - {name: two, limits: {max_turns: 3}}
  - {name: three, evaluate: {inherit: false, of: [contract: contract.yaml, contains: c]}}
  - {name: four, limits: none, evaluate: {inherit: true, of: []}}
limits: {max_turns: 9, max_cost_usd: none}
defaults:
  tags: [nightly, slow]
  limits: {max_cost_usd: 0.5}
  evaluate: [contract: contract.yaml, exit-code: 0, command: [./judge]]
`))
	if err != nil {
		t.Fatal(err)
	}
	const shared = "contract: contract.yaml, exit-code: 0, command: [./judge]"
	long, err := Parse("testdata/tribunal.yaml", []byte(begin+`
limits: {max_turns: 9, max_cost_usd: 0.5}
scenarios:
  - {name: one, tags: [slow, nightly], evaluate: [contains: a, `+shared+`]}
  - {name: two, tags: [nightly, slow], limits: {max_turns: 3}, evaluate: [`+shared+`]}
  - {name: three, tags: [nightly, slow], evaluate: [contract: contract.yaml, contains: c]}
  - {name: four, tags: [nightly, slow], limits: none, evaluate: [`+shared+`]}
`))
	if err != nil {
		t.Fatal(err)
	}
	if short.Digest() != long.Digest() {
		t.Error("the digests differ")
	}
	if diff := cmp.Diff(long.Task(), short.Task()); diff != "" {
		t.Errorf("tasks (-want +got):\n%s", diff)
	}
	want := oracle.Limits{MaxTurns: trial.Some(3), MaxCostUSD: trial.Some(0.5)}
	if diff := cmp.Diff(want, short.Scenarios[1].Limits); diff != "" {
		t.Errorf("limits (-want +got):\n%s", diff)
	}
	if !short.Scenarios[0].AsksExitCode() || short.Scenarios[2].AsksExitCode() {
		t.Error("the exit code is asked for elsewhere")
	}
}

// A judge of the defaults is needed by the scenarios that have it, and by no others; it is told once, where it stands.
func TestProgramsOfDefaults(t *testing.T) {
	s, err := Parse(filepath.Join(t.TempDir(), FileName), []byte(strings.Replace(begin, "./agent", "sh", 1)+`limits: none
defaults: {evaluate: [command: [./no-such-judge]]}
scenarios:
  - {name: one}
  - {name: two}
  - {name: three, evaluate: {inherit: false, of: [contains: c]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	problems, _ := s.Startable(s.Scenarios, false).(Errors)
	if len(problems) != 1 || problems[0].Line != 6 || !strings.HasPrefix(problems[0].Field, "defaults.evaluate[0]") {
		t.Errorf("problems %v", problems)
	}
	if err := s.Startable(s.Scenarios[2:], false); err != nil {
		t.Errorf("a scenario without it: %v", err)
	}
	if err := s.Startable(slices.Clone(s.Scenarios[1:2]), false); err == nil {
		t.Error("a scenario with it is startable")
	}
}
