package ingest

import (
	"fmt"
	"slices"
	"testing"
)

func FuzzCTRF(f *testing.F) {
	seed(f, "ctrf", `{"results":{"tool":{"name":"x"},"summary":{},"tests":[{"name":"a","status":"passed","duration":1,"start":5,"retries":1e18}]}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "ctrf") })
}

// A test that passed after it had failed, in a report that keeps the last attempt alone, is told.
func TestFlakyWithoutAttempts(t *testing.T) {
	s := streamOf(`{"reportFormat":"CTRF","results":{"tests":[{"name":"a","status":"passed","flaky":true},{"name":"b","status":"passed"}]}}`, Options{})
	if _, err := written(s); err != nil {
		t.Fatal(err)
	}
	checkNotes(t, s, "f: 2 trials (ctrf); tests were retried, and only the last attempt is in the report: see docs/hides.md#retries")
}

// The format's own examples have the last attempt in the list in one place, and not in the other.
func TestAttemptsOfCTRF(t *testing.T) {
	report := func(test string) *Stream {
		return streamOf(`{"reportFormat":"CTRF","results":{"tests":[{"name":"a",`+test+`}]}}`, Options{})
	}
	for test, want := range map[string][]string{
		`"status":"passed","duration":5200,"retries":1,"retryAttempts":[{"attempt":1,"status":"failed"},{"attempt":2,"status":"passed"}]`: {
			"a#0 fail", "a#1 pass"},
		`"status":"passed","duration":50,"retries":1,"retryAttempts":[{"attempt":1,"status":"failed","duration":100}]`: {
			"a#0 fail", "a#1 pass"},
		`"status":"failed","duration":50,"retryAttempts":[{"attempt":1,"status":"failed","duration":100},{"attempt":2,"status":"failed","duration":50}]`: {
			"a#0 fail", "a#1 fail"},
		`"status":"passed","duration":50,"flaky":true,"retryAttempts":[{"attempt":1,"status":"failed","duration":100}]`: {
			"a#0 fail", "a#1 pass"},
		`"status":"failed","start":7,"duration":50,"retryAttempts":[{"attempt":1,"status":"failed","start":6,"duration":50}]`: {
			"a#0 fail", "a#1 fail"},
	} {
		var got []string
		for x, err := range report(test).Trials(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s#%d %s", x.Scenario, x.Index.Value, x.Outcome))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", test, got, want)
		}
	}
}
