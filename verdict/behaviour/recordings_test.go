package behaviour

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
)

// sampleOf reads a recorded agent, or a part of its trials.
func sampleOf(t *testing.T, name string, keep func(i int) bool) *fingerprint.Sample {
	t.Helper()
	var s fingerprint.Sample
	i := 0
	sample.Trials(t, name, func(x *trial.Trial) {
		if keep(i) {
			s.Add(x)
		}
		i++
	})
	return &s
}

func everything(int) bool { return true }

// The harness made the agent take another way: it calls tools that were not there.
func TestBehaviourOfRecordedAgents(t *testing.T) {
	base, harness := sampleOf(t, "retail-gemini-3-flash-base", everything),
		sampleOf(t, "retail-gemini-3-flash-harness", everything)
	b, err := Compare(t.Context(), base, harness, Options{Seed: 1})
	if err != nil || !b.Changed {
		t.Fatalf("%+v, %v", b, err)
	}
	if got := strings.Join(b.NewTools, " "); got != "goto_node todo" {
		t.Errorf("new tools %s", got)
	}
	changed := map[string]bool{}
	for _, c := range b.Columns {
		if c.Changed {
			changed[c.Kind] = true
		}
	}
	for _, kind := range []fingerprint.Kind{fingerprint.ToolCalls, fingerprint.StepCount, fingerprint.Cost} {
		if !changed[kind.String()] {
			t.Errorf("%v is not named among %v", kind, changed)
		}
	}

	after, later := sampleOf(t, "retail-gpt-4.1-mini-after", everything),
		sampleOf(t, "retail-gpt-4.1-mini-later", everything)
	b, err = Compare(t.Context(), after, later, Options{Seed: 1})
	if err != nil || !b.Tested || !(b.P > 0 && b.P <= 1) {
		t.Errorf("%+v, %v", b, err)
	}
	t.Logf("after against later: p %v, changed %v", b.P, b.Changed)

	// Halves of one run, trial by trial within each task.
	first, second := sampleOf(t, "tau-airline-gpt-4o", func(i int) bool { return i/50%2 == 0 }),
		sampleOf(t, "tau-airline-gpt-4o", func(i int) bool { return i/50%2 == 1 })
	b, err = Compare(t.Context(), first, second, Options{Seed: 1})
	if err != nil || b.Changed || !b.Tested {
		t.Errorf("halves of one run: %+v, %v", b, err)
	}
}
