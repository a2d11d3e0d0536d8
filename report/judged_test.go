package report

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/refdata"
	"github.com/tribunal-dev/tribunal/internal/table"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Results as the judges make them, in place of ones made by hand.

func judged(t testing.TB, threshold float64, tallies ...verdict.Tally) *verdict.ThresholdResult {
	t.Helper()
	r, err := verdict.JudgeThreshold(t.Context(), tallies, verdict.ThresholdOptions{Threshold: threshold})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func compared(t testing.TB, baseline, candidate *recording.Recording) *compare.Result {
	t.Helper()
	r, err := compare.Judge(context.Background(), baseline, candidate, compare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkPage fails the test unless the page holds the texts and fits on a screen of
// 80 columns and so many lines.
func checkPage(t testing.TB, write render, lines int, texts ...string) {
	t.Helper()
	page := text(t, write, Options{})
	words := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	for _, want := range texts {
		if !strings.Contains(words(page), words(want)) {
			t.Errorf("%q is missing in\n%s", want, page)
		}
	}
	if n := strings.Count(page, "\n"); n > lines {
		t.Errorf("%d lines:\n%s", n, page)
	}
	for _, line := range strings.Split(page, "\n") {
		if table.Width(line) > 80 {
			t.Errorf("%q has %d columns", line, table.Width(line))
		}
	}
}

func thresholdPageOf(r *verdict.ThresholdResult) render {
	return func(w io.Writer, o Options) error {
		o.Explain = true
		return Write(w, r, TextFormat, o)
	}
}

func comparisonPageOf(r *compare.Result) render {
	return func(w io.Writer, o Options) error {
		o.Explain = true
		return Write(w, r, TextFormat, o)
	}
}

func TestJudgedThresholds(t *testing.T) {
	r := judged(t, 0.85, verdict.Tally{Scenario: "all", Passes: 45, Fails: 5})
	roundTrip(t, r)
	checkPage(t, thresholdPageOf(r), 15, "INCONCLUSIVE  45 of 50", "45/50", "0.9000", "[0.7864, 0.9565], 95% wilson",
		"more trials would decide")

	r = judged(t, 0.9, verdict.Tally{Scenario: "a", Passes: 99, Fails: 1, Errors: 1},
		verdict.Tally{Scenario: "b", Passes: 10, Fails: 90})
	roundTrip(t, r)
	checkPage(t, thresholdPageOf(r), 30, "FAIL  109 of 200", "all 2 scenarios", "10/100", "below 0.9",
		"errors        1 trial ended in an error")

	r = judged(t, 0.9)
	roundTrip(t, r)
	checkPage(t, thresholdPageOf(r), 5, "INCONCLUSIVE", "there are no trials")
}

func TestJudgedComparisons(t *testing.T) {
	counts := func(name string, passes, trials int) *recording.Recording {
		r, err := recording.OfCounts(name, stats.Counts{Passes: passes, Trials: trials})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := compared(t, counts("baseline", 93, 100), counts("candidate", 71, 100))
	roundTrip(t, r)
	checkPage(t, comparisonPageOf(r), 25, "FAIL  pass rate 93% -> 71%: worse", "93/100", "[86.3%, 96.6%]", "-22 points",
		"boschloo p < 0.0001")

	r = compared(t, counts("baseline", 9, 10), counts("candidate", 8, 10))
	roundTrip(t, r)
	checkPage(t, comparisonPageOf(r), 26, "INCONCLUSIVE", "a new comparison of", "would decide with a chance of")

	r = compared(t, counts("baseline", 0, 0), counts("candidate", 8, 10))
	roundTrip(t, r)
	checkPage(t, comparisonPageOf(r), 15, "INCONCLUSIVE", "the baseline has 0, the candidate 10")
}

// recordingOf reads runs of real agents that are not part of the repository.
func recordingOf(t *testing.T, name string, use func(*trial.Trial)) {
	t.Helper()
	path := refdata.Recorded(t, "trials", name+".jsonl.gz")
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for record, err := range trial.Read(file, trial.Options{File: path}) {
		if err != nil {
			t.Fatal(err)
		}
		use(record)
	}
}

func TestReportsOfRealRuns(t *testing.T) {
	t.Run("airline", func(t *testing.T) {
		var tallies verdict.Tallies
		recordingOf(t, "tau-airline-gpt-4o", tallies.Add)
		r := judged(t, 0.5, tallies.List()...)
		roundTrip(t, r)
		checkPage(t, thresholdPageOf(r), 45, "FAIL  84 of 200", "pass^k        0.4200  0.2733  0.2200  0.2000",
			"pass@k        0.4200  0.5667  0.6600  0.7200")
	})
	for _, pair := range []struct {
		baseline, candidate string
		texts               []string
	}{
		{"retail-gpt-4.1-mini-before", "retail-gpt-4.1-mini-after",
			[]string{"FAIL", "79/114", "67/114", "15 broke", "3 fixed", "two-sided p = 0.00754"}},
		{"retail-gpt-4.1-mini-after", "retail-gpt-4.1-mini-later", []string{"12 broke", "11 fixed"}},
		{"retail-gemini-3-flash-base", "retail-gemini-3-flash-harness",
			[]string{"89/110", "88/113", "$1.74 -> $7.43 in all", "* cost", "* tool calls",
				"5 trials, 4 of the baseline and 1 of the candidate, ended"}},
	} {
		t.Run(pair.candidate, func(t *testing.T) {
			baseline, candidate := &recording.Recording{Name: pair.baseline}, &recording.Recording{Name: pair.candidate}
			recordingOf(t, pair.baseline, baseline.Add)
			recordingOf(t, pair.candidate, candidate.Add)
			r := compared(t, baseline, candidate)
			roundTrip(t, r)
			checkPage(t, comparisonPageOf(r), 70, pair.texts...)
		})
	}
}

// The environment is read when the process starts, so the test binary runs again.
func TestGoldenInAnotherLocale(t *testing.T) {
	const child = "REPORT_LOCALE_CHILD"
	if os.Getenv(child) != "" || *update {
		t.Skip("this is the other locale, or golden files are being written")
	}
	again := exec.Command(os.Args[0], "-test.run=^TestGolden$", "-test.count=1", "-test.v")
	again.Env = append(os.Environ(), child+"=1", "RUNEWIDTH_EASTASIAN=1", "LC_ALL=ko_KR.UTF-8", "TERM=dumb", "NO_COLOR=1")
	out, err := again.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestGolden/compare-names") {
		t.Errorf("%v\n%s", err, out)
	}
}

// A scenario that is below by itself is a failure in JUnit, unless the result stops no pipeline; and what two criteria
// of a scenario say alike is there once.
func TestJUnitHidesNoScenarioThatIsBelow(t *testing.T) {
	r, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{{Scenario: "a", Passes: 10}, {Scenario: "b", Passes: 7,
		Fails: 3}, {Scenario: "c", Passes: 9, Fails: 1}, {Scenario: "d", Passes: 2, Fails: 8}},
		verdict.ThresholdOptions{Threshold: .6, By: verdict.BySuite})
	if err != nil || r.Verdict != verdict.Inconclusive {
		t.Fatal(r.Verdict, err)
	}
	if text := written(t, r, jUnitFormat); strings.Count(text, "<failure") != 1 {
		t.Error(text)
	}
	r.ExitCode = 0
	if text := written(t, r, jUnitFormat); strings.Contains(text, "<failure") {
		t.Error(text)
	}
	var s junitSuite
	c := s.count([]*document.Case{{Scenario: "a", Name: "verdict", Details: []string{"fail: a#1"}},
		{Scenario: "a", Name: "regression", Details: []string{"fail: a#1", "p 0.2"}}}, true, Options{})
	if strings.Count(c.Output, "fail: a#1") != 1 || !strings.Contains(c.Output, "regression: p 0.2") {
		t.Errorf("%q", c.Output)
	}
}
