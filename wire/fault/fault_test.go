package fault_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/wire/fault"
)

// TestFaultsAreReadAsTheyAreWritten reads what is written, and writes it again.
func TestFaultsAreReadAsTheyAreWritten(t *testing.T) {
	for _, text := range []string{
		"rate-limit", "rate-limit:at=2,times=3,retry_after=20s", "slow:rate=0.5,latency=2s,tokens_per_second=40",
		"malformed-json:tool=look_up", "unknown-tool:name=pay", "huge-result:size=1000",
		"tool-injection:at=1,tool=look_up,payload=important,place=comment",
	} {
		f, err := fault.Parse(text)
		if err != nil {
			t.Error(err)
		}
		if got := f.String(); got != text {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

// TestBadFaults says what is wrong.
func TestBadFaults(t *testing.T) {
	got := map[string]string{}
	want := map[string]string{
		"":                              `"" is no kind of fault`,
		"ratelimit":                     `"ratelimit" is no kind of fault`,
		"reset:latency=2s":              `"latency" is no option of reset, which has at, rate, times`,
		"slow:latency":                  `"latency" is not KEY=VALUE, such as at=2`,
		"slow:latency=0s":               `latency must be above 0 and at most 10m0s`,
		"slow:latency=1h":               `latency must be above 0 and at most 10m0s`,
		"slow:latency=fast":             `latency: "fast" cannot be read`,
		"reset:at=0":                    `at must be from 1 to 1000000`,
		"reset:times=-1":                `times must be from 1 to 1000000`,
		"reset:rate=0":                  `rate must be above 0 and at most 1`,
		"reset:rate=NaN":                `rate must be above 0 and at most 1`,
		"huge-result:size=0":            `size must be from 1 to 16777216`,
		"slow:tokens_per_second=Inf":    `tokens_per_second must be above 0 and at most 1000000`,
		"tool-injection:place=nowhere":  `place: "nowhere" is none of prefix, suffix, middle, field, comment, encoded`,
		"tool-injection:payload=nobody": `payload: "nobody" is none of `,
		"tool-lie:tool= ":               `tool must not be empty`,
	}
	for text, problem := range want {
		_, err := fault.Parse(text)
		if err == nil {
			t.Errorf("%q is taken", text)
			continue
		}
		got[text] = err.Error()[:min(len(err.Error()), len(problem))]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPayloads have a canary, a source and a name of their own.
func TestPayloads(t *testing.T) {
	names := map[string]bool{}
	for _, p := range fault.Payloads() {
		if p.Name == "" || p.Goal == "" || p.Source == "" || names[p.Name] {
			t.Errorf("%+v lacks something, or is there twice", p)
		}
		names[p.Name] = true
		for _, place := range fault.Places() {
			for _, result := range []string{"order 7 is on its way", `{"id": 7, "state": "on its way"}`, `[1]`, ``} {
				injectedIs(t, p, place, result)
			}
		}
	}
	if len(names) < 25 {
		t.Errorf("there are %d payloads", len(names))
	}
}
