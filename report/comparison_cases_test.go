package report

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/fingerprint/hotelling"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// brokeSome compares 40 scenarios with one trial of 2 seconds a side: the last so many broke, and one was fixed.
func brokeSome(t *testing.T, broke int) *compare.Result {
	t.Helper()
	var sides [2]recording.Recording
	for i := range 40 {
		for side := range sides {
			x := &trial.Trial{
				Scenario: fmt.Sprintf("task %02d", i), Outcome: trial.Pass, Index: trial.Some(0),
				DurationSeconds: trial.Some(2.0), Output: trial.Raw(`"one\n\ntwo"`),
			}
			if side == 1 && i >= 40-broke || side == 0 && i == 0 {
				x.Outcome = trial.Fail
			}
			sides[side].Add(x)
		}
	}
	return compared(t, &sides[0], &sides[1])
}

// Annotations of a comparison name what broke, and nothing that did not change; what there is no room for is no error
// where none of it is.
func TestAnnotationsOfAComparison(t *testing.T) {
	text := written(t, brokeSome(t, 14), AnnotationsFormat)
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) != 10 || !strings.HasPrefix(lines[0], "::error title=all%3A regression::") ||
		!strings.Contains(lines[0], "14 scenarios passed less often: task 26, task 27") {
		t.Fatalf("%d lines: %s", len(lines), text)
	}
	for _, line := range lines[1:9] {
		if !strings.HasPrefix(line, "::warning title=task ") || !strings.Contains(line, "baseline 1/1, candidate 0/1") {
			t.Errorf("not of what broke: %s", line)
		}
	}
	if lines[9] != "::warning title=compare::6 more are in the summary" {
		t.Errorf("last line: %s", lines[9])
	}
	// Where nothing is shown there is no error.
	if text := written(t, brokeSome(t, 4), AnnotationsFormat); strings.Contains(text, "::error") ||
		strings.Count(text, "::warning") != 5 {
		t.Errorf("of an open comparison: %s", text)
	}
}

// Scenarios that did not pass less often are passed tests, and every test has the time of its trials.
func TestCasesOfAComparison(t *testing.T) {
	r := brokeSome(t, 14)
	junit := written(t, r, jUnitFormat)
	for _, want := range []string{
		`<testsuites name="tribunal" tests="41" failures="1" errors="0" skipped="14" time="80.000">`,
		`<testcase classname="compare" name="task 01" time="2.000">`,
	} {
		if !strings.Contains(junit, want) {
			t.Errorf("JUnit has no %s", want)
		}
	}
	events := written(t, r, goTestFormat)
	for _, want := range []string{
		`{"Action":"pass","Package":"tribunal/compare","Test":"task_01/regression","Elapsed":2}`,
		`{"Action":"fail","Package":"tribunal/compare","Elapsed":80}`,
	} {
		if !strings.Contains(events, want) {
			t.Errorf("events have no %s", want)
		}
	}
}

// The page gives neither side a verdict, marks the test that decided, tells trials apart and shows no escaped line
// breaks; no two links of its contents have one name.
func TestPageOfAComparison(t *testing.T) {
	page := written(t, brokeSome(t, 14), HTMLFormat)
	_, intervals, _ := strings.Cut(page, `<section aria-labelledby="table-pass-rates">`)
	intervals, _, _ = strings.Cut(intervals, "</section>")
	if !strings.Contains(intervals, "candidate") || strings.Contains(intervals, "word fail") {
		t.Errorf("both sides: %s", intervals)
	}
	for _, want := range []string{"mcnemar (decides)", "task 39, trial 0", "40 pairs"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if strings.Contains(page, `\n\n`) {
		t.Error("line breaks are shown as escapes")
	}
	_, links, _ := strings.Cut(page, "<nav")
	links, _, _ = strings.Cut(links, "</nav>")
	seen := map[string]bool{}
	for _, link := range strings.Split(links, "</a>") {
		if _, name, is := strings.Cut(link, `">`); is {
			if seen[name] {
				t.Errorf("two links are called %q", name)
			}
			seen[name] = true
		}
	}
	if len(seen) < 5 {
		t.Errorf("only %d links are read: %s", len(seen), links)
	}
}

// A change of behaviour that counts is what the page says: errors that keep the pass rates open do not contradict it.
func TestBehaviourThatFailsIsNotCalledOpen(t *testing.T) {
	var sides [2]recording.Recording
	for i := range 60 {
		for side := range sides {
			x := &trial.Trial{Scenario: "s", Outcome: trial.Pass, Index: trial.Some(i)}
			if i < 4 {
				x.Outcome = trial.Error
			}
			sides[side].Add(x)
		}
	}
	r := compared(t, &sides[0], &sides[1])
	if r.Verdict != verdict.Inconclusive || r.Reasons[0].Code != verdict.CodeErrorsMatter {
		t.Fatalf("%v: %v", r.Verdict, r.Reasons)
	}
	r.AddBehaviour(&behaviour.Comparison{Tested: true, Changed: true, P: .001, Alpha: .05, Edition: behaviour.Edition},
		true)
	text := written(t, r, TextFormat)
	joined := strings.Join(strings.Fields(text), " ")
	if !strings.Contains(joined,
		"the behaviour changed: without a change so large a difference is rare (p = 0.001, alpha 0.05); of the pass rates "+
			"alone 8 errors could") ||
		!strings.HasPrefix(text, "FAIL") || !strings.Contains(strings.Split(text, "\n")[0], ": the behaviour changed") {
		t.Error(text)
	}
}

// What Hotelling's test found stands below the columns, and the effective dimension under its name; a comparison of the
// second edition has the participation ratio alone.
func TestTestsOfBehaviour(t *testing.T) {
	b := &behaviour.Comparison{
		Edition: behaviour.Edition, Tested: true, Changed: true, P: .001, Alpha: .05,
		Test: "hotelling-t2", Baseline: 20, Candidate: 20,
		EffectiveDimension: 3, Participation: 2.5, Explained: .8,
		Hotelling: &hotelling.Result{TSquared: 18.5, F: 9.0066, D1: 2, D2: 37, Components: 2},
		Columns:   []behaviour.Column{{Name: "steps", Changed: true, Text: "steps 2 -> 4"}},
	}
	text := written(t, behaviour.Judge("a", "b", b), TextFormat)
	for _, want := range []string{
		"\n  T2            18.5, F(2, 37) = 9.01 on 2 components with 80% of the variance\n",
		"\n  d_eff         3 components hold 95% of the variance (Equation 28);\n" +
			"                participation ratio 2.50\n",
	} {
		if !strings.Contains(text, want) || strings.Index(text, want) < strings.Index(text, "steps 2 -> 4") {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	b.Edition, b.EffectiveDimension, b.Participation, b.Hotelling = 2, 2.5, 0, nil
	text = written(t, behaviour.Judge("a", "b", b), markdownFormat)
	if !strings.Contains(text, "participation ratio 2.50") || strings.Contains(text, "Equation 28") {
		t.Error(text)
	}
}

// A scenario that ended in errors alone on one side did not pass as often as before.
func TestComparisonOfAScenarioWithErrorsAlone(t *testing.T) {
	var sides [2]recording.Recording
	for i := range 60 {
		for side := range sides {
			for _, name := range []string{"a", "b", "c"} {
				x := &trial.Trial{Scenario: name, Outcome: trial.Pass, Index: trial.Some(i)}
				if name == "b" && side == 1 {
					x.Outcome = trial.Error
				}
				if name != "b" || side == 0 || i < 2 {
					sides[side].Add(x)
				}
			}
		}
	}
	text := written(t, compared(t, &sides[0], &sides[1]), TextFormat)
	for _, want := range []string{"? b  ended in errors alone on one side", "2 scenarios passed as often as before\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
}

// A page of two runs is headed by their names.
func TestPageOfEndsNamesBothRuns(t *testing.T) {
	const heading = "<bdi>new.result.json against main.result.json</bdi></h1>"
	if !strings.Contains(written(t, sampleEnds(), HTMLFormat), heading) {
		t.Error("the page does not say what is compared")
	}
}

// One question about all scenarios is about the rounds that both runs have: it is told which these are where one has
// more, or where the first of them decided.
func TestRoundsOfAComparison(t *testing.T) {
	const gate = "a gate compares with all trials of a recorded baseline"
	for name, c := range map[string]struct {
		baseline, candidate []string // outcomes by scenario
		rounds              int
		mean                sprt.Outcome
		want                string // "" is nothing
	}{
		"all": {[]string{"PPP", "PFP"}, []string{"PPF", "FFF"}, 3, sprt.Undecided, ""},
		"longer baseline": {[]string{"PPPPP", "PPPPF"}, []string{"PF", "FF"}, 2, sprt.Undecided,
			"the first 2 of the baseline's 5, all 2 of the candidate's: trials of the same number are pairs; " + gate},
		"longer candidate": {[]string{"PP", "PP"}, []string{"PFPF", "PFP"}, 2, sprt.Undecided,
			"all 2 of the baseline's, the first 2 of the candidate's 4: trials of the same number are pairs"},
		"decided early": {[]string{"PPPPP", "PPPPP"}, []string{"FFFF", "FFFF"}, 3, sprt.Fail,
			"the first 4 of the baseline's 5, all 4 of the candidate's: trials of the same number are pairs; " +
				"the first 3 decided about the mean; " + gate},
	} {
		r := &compare.Ends{Baseline: "main", Candidate: "new", Suite: &runs.SuiteTest{Rounds: c.rounds, Mean: c.mean.String()}}
		for i := range c.baseline {
			r.Scenarios = append(r.Scenarios, compare.EndsOfScenario{Name: string(rune('a' + i)),
				BaselineOutcomes: c.baseline[i], CandidateOutcomes: c.candidate[i]})
		}
		// What is not compared counts for nothing.
		r.Scenarios = append(r.Scenarios, compare.EndsOfScenario{Name: "gone", BaselineOutcomes: "PPPPPPPPP", Problem: "gone"})
		text := strings.Join(strings.Fields(written(t, r, TextFormat)), " ")
		if c.want == "" && strings.Contains(text, " rounds ") || !strings.Contains(text, c.want) {
			t.Errorf("%s: %q is not what is said of rounds in %s", name, c.want, text)
		}
	}
}
