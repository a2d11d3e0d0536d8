package testreports

import (
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
)

func TestScenarioOf(t *testing.T) {
	for _, c := range []struct {
		class, name, suite, scenario string
		index                        trial.Optional[int]
	}{
		{"c", "n", "s", "c.n", trial.Optional[int]{}},
		{"", "n", "s", "s.n", trial.Optional[int]{}},
		{"", "n", "", "n", trial.Optional[int]{}},
		{"c", "n[trial0]", "", "c.n", trial.Some(0)},
		{"c", "n[trial-12]", "", "c.n", trial.Some(12)},
		{"c", "n[gpt-4o-trial3]", "", "c.n[gpt-4o]", trial.Some(3)},
		{"c", "n[trial0-m-1]", "", "c.n[m-1]", trial.Some(0)},
		{"c", "n[a-trial7-b]", "", "c.n[a-b]", trial.Some(7)},
		{"c", "n[trial3-5]", "", "c.n[5]", trial.Some(3)},
		{"c", "n[3-5]", "", "c.n", trial.Some(3)},
		{"c", "n[5-5]", "", "c.n", trial.Some(5)},
		{"c", "n[gpt-4o-3-5]", "", "c.n[gpt-4o]", trial.Some(3)},
		{"c", "n[0-5]", "", "c.n[0-5]", trial.Optional[int]{}},
		{"c", "n[6-5]", "", "c.n[6-5]", trial.Optional[int]{}},
		{"c", "n[1-1]", "", "c.n[1-1]", trial.Optional[int]{}},
		{"c", "n[retrial3]", "", "c.n[retrial3]", trial.Optional[int]{}},
		{"c", "n[12345678901-99999999999]", "", "c.n[12345678901-99999999999]", trial.Optional[int]{}},
	} {
		if scenario, index := scenarioOf(c.class, c.name, c.suite); scenario != c.scenario || index != c.index {
			t.Errorf("%q %q %q: %q, %v", c.class, c.name, c.suite, scenario, index)
		}
	}
}

func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"1,002.5": "1002.5", "1,002": "1002", "12,345,678": "12345678", "0,014": "0.014", "12,5": "12.5", "1.5": "1.5",
		"1,2,3": "1,2,3", "": "",
	} {
		if got := plainNumber(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]trial.Optional[float64]{
		"00:00:01.5000000": trial.Some(1.5), "1.02:03:04": trial.Some(93784.0), "10:00:00": trial.Some(36000.0),
		"1.5": {}, "": {}, "-00:00:01": {}, "00:00:01,5": {},
	} {
		if got := spanOf(text); got != want {
			t.Errorf("%q is %v, want %v", text, got, want)
		}
	}
}
