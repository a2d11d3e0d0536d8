package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
)

// Every format says what guards denied, and that one had nothing to deny; without a guard none speaks of it.
func TestGuardrailsInEveryFormat(t *testing.T) {
	render := func(denies, guarded bool, f Format) string {
		r, err := guardedRun(denies)()
		if err != nil {
			t.Fatal(err)
		}
		if !guarded {
			r.Guardrails = nil
			for i := range r.Tests {
				r.Tests[i].Guardrails = nil
			}
			for i := range r.Trials {
				r.Trials[i].Guardrails = nil
			}
		}
		var out bytes.Buffer
		if err := Write(&out, r, f, Options{Width: 80}); err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(out.String()), " ")
	}
	for f, want := range map[Format][]string{
		TextFormat:     {"9 calls denied and 1 trial killed at a call, in 4 of 40 trials"},
		markdownFormat: {"9 calls denied and 1 trial killed at a call, in 4 of 40 trials", "no-force-push"},
		summaryFormat:  {"9 calls denied and 1 trial killed at a call, in 4 of 40 trials", "no-force-push"},
		HTMLFormat: {"9 calls denied and 1 trial killed at a call, in 4 of 40 trials", "<bdi>no-force-push</bdi>",
			"&lt;b&gt;shop&lt;/b&gt;"},
		jUnitFormat: {"guardrails: 3 calls denied and 1 trial killed at a call, in 2 of 20 trials",
			"guardrails: 6 calls denied in 2 of 20 trials"},
		JSONFormat: {`"guardrails": { "guarded": 40, "trials": 4, "denied": 9, "killed": 1, "clauses": [`},
	} {
		text := render(true, true, f)
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%v does not say %q", f, w)
			}
		}
		if idle := render(false, true, f); f != JSONFormat && !strings.Contains(idle, "nothing denied in ") {
			t.Errorf("%v: a guard that denied nothing is not told", f)
		}
		if none := render(true, false, f); strings.Contains(none, "guardrail") {
			t.Errorf("%v: there was no guard", f)
		}
		if f != TextFormat && f != JSONFormat && strings.Contains(text, "<b>shop") {
			t.Errorf("%v: a name is markup", f)
		}
	}
}

// What was denied is said in one sentence.
func TestGuardrailText(t *testing.T) {
	for want, c := range map[string]guardrails.Counts{
		"nothing denied in 1 trial":                                     {Guarded: 1},
		"1 call denied in 1 of 7 trials":                                {Guarded: 7, Trials: 1, Denied: 1},
		"2 of 7 trials killed at a call":                                {Guarded: 7, Trials: 2, Killed: 2},
		"3 calls denied and 1 trial killed at a call, in 2 of 7 trials": {Guarded: 7, Trials: 2, Denied: 3, Killed: 1},
	} {
		if have := guardrailText(&c); have != want {
			t.Errorf("%q, want %q", have, want)
		}
	}
}
