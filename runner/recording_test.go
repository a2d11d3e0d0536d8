package runner

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

const (
	gated = "agent: {command: [./agent]}\n" +
		"test: {baseline: main.json, delta: 0.4, alpha: 0.05, beta: 0.1}\ngate: {}\n"
	five = "scenarios: [{name: a}, {name: b}, {name: c}, {name: d}, {name: e}]\n"
)

// Beside baselines that do for a test alone, and not for one of five, a scenario that always fails is failed at its part
// of the alpha all the same, and one that is unchanged passes more often than not.
func TestSmallBaselinesArePlannedTogether(t *testing.T) {
	s := parse(t, head+gated+five)
	var recorded []recordedTest
	for _, c := range s.Scenarios {
		recorded = append(recorded, recordedTest{name: c.Name, outcomes: strings.Repeat("p", 20) + "ff"})
	}
	saveBaseline(t, s, "main.json", recorded...)
	tests, err := Tests(t.Context(), s, s.Scenarios, PrepareOptions{Together: s.Gated()})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		f := test.Against.Stored.Family
		if e := f.Errors().Plus(f.Gamma()); test.Shared != 5 || e.Alpha > 0.01 || e.Beta > 0.1 {
			t.Fatalf("%s: shared by %d, errors %+v", test.Name, test.Shared, e)
		}
		b, ok := f.Boundaries(test.Against.Stored.Outcome)
		if !ok {
			t.Fatalf("%s has no boundaries", test.Name)
		}
		n := 1
		for n < b.MaxTrials() && b.FailAtOrAbove[n-1] > n {
			n++
		}
		// So many failures beside 2 of 22: Fisher's exact test, conditional on their sum, is more extreme than alpha allows.
		p := dist.Hypergeometric{Population: 22 + n, Successes: 2 + n, Draws: n}.Prob(n)
		if b.FailAtOrAbove[n-1] > n || p > 0.01 {
			t.Errorf("%s: fails after %d failures, p %v", test.Name, n, p)
		}
		l, err := b.Lattice()
		if err != nil {
			t.Fatal(err)
		}
		if c := l.At(20.0 / 22); c.Pass < 0.5 || c.Fail > 0.01 {
			t.Errorf("%s: unchanged %+v", test.Name, c)
		}
	}
}

// A recording that is too small for the tests of its suite says so before it is run.
func TestSmallRecordingsAreTold(t *testing.T) {
	s := parse(t, head+gated+five)
	for record, want := range map[int]int{22: 1, 300: 0} {
		var told []string
		_, err := Tests(t.Context(), s, s.Scenarios,
			PrepareOptions{Record: record, Warn: func(text string) { told = append(told, text) }})
		if err != nil {
			t.Fatal(err)
		}
		if len(told) != want || want > 0 && !strings.Contains(told[0], "to tell a drop of 0.4 beside 4 other tests") {
			t.Errorf("%d trials: %q", record, told)
		}
	}
	// One question about the mean of both scenarios takes so many of each that it is likely to pass, see
	// stratified.TestEnough. A recording that is to be a baseline says so though the suite names none.
	s = parse(t, head+"agent: {command: [agent]}\ntest: {by: suite, threshold: 0.9, delta: 0.1}\n"+
		"scenarios: [{name: one}, {name: two}]\n")
	for record, want := range map[int]int{60: 1, 61: 0} {
		for _, named := range []bool{false, true} {
			var told []string
			_, err := Tests(t.Context(), s, s.Scenarios, PrepareOptions{Record: record, ForBaseline: named,
				Warn: func(text string) { told = append(told, text) }})
			if err != nil {
				t.Fatal(err)
			}
			if !named && told != nil || named && (len(told) != want ||
				want > 0 && !strings.HasSuffix(told[0], "takes about 61 of each scenario, and 60 are recorded: --trials 61")) {
				t.Errorf("%d trials: %q", record, told)
			}
		}
	}
}
