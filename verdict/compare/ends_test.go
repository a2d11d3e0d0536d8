package compare

import (
	"math"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/sample"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// ran is a run with one scenario for each string of outcomes: p, f, and e for an error.
func ran(t *testing.T, d sprt.Design, outcomes map[string]string) *runs.Result {
	t.Helper()
	e := runs.Evidence{Suite: "s", Seed: 1}
	for _, name := range []string{"a", "b", "c"} {
		text, there := outcomes[name]
		if !there {
			continue
		}
		test := runs.TestEvidence{Name: name, Scenarios: []string{name}, Design: d}
		for i := range len(text) {
			outcome := map[byte]trial.Outcome{'p': trial.Pass, 'f': trial.Fail, 'e': trial.Error}[text[i]]
			test.Trials = append(test.Trials, runs.TrialEvidence{Scenario: name, Number: i,
				Trial: &trial.Trial{Scenario: name, Outcome: outcome}})
		}
		e.Tests = append(e.Tests, test)
	}
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func judgedEnds(t *testing.T, before, after EndsSide, o EndsOptions) *Ends {
	t.Helper()
	r, err := JudgeEnds(t.Context(), before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	found, err := r.Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again := found.Again.(*Ends); again.Verdict != r.Verdict || len(again.Reasons) != len(r.Reasons) {
		t.Errorf("judged again it is %s %v", again.Verdict, again.Reasons)
	}
	return r
}

func trialsNamed(name string, outcomes string) *recording.Recording {
	r := &recording.Recording{Name: "trials"}
	for i := range len(outcomes) {
		r.Add(&trial.Trial{Scenario: name, Outcome: map[byte]trial.Outcome{'p': trial.Pass, 'f': trial.Fail,
			'e': trial.Error}[outcomes[i]]})
	}
	return r
}

// With numbers of trials that were fixed the comparison is one of two binomials. The p-value
// of 4 of 4 against 0 of 4 is the largest probability of that table, p^4 (1-p)^4 at a half.
func TestEndsOfFixedSamples(t *testing.T) {
	r := judgedEnds(t, EndsOfTrials(trialsNamed("a", "pppp")), EndsOfTrials(trialsNamed("a", "ffff")), EndsOptions{})
	row := r.Scenarios[0]
	if want := math.Pow(.5, 8); *row.PWorse < want || *row.PWorse > 1.02*want {
		t.Errorf("p %v, not %v", *row.PWorse, want)
	}
	if r.Verdict != verdict.Fail || r.Reasons[0].Code != CodeWorse || *row.Difference != -1 {
		t.Errorf("got %s %v, difference %v", r.Verdict, r.Reasons, *row.Difference)
	}
}

// Four straight failures end the sequential test, and 15 straight passes do. The probability
// of both at one rate p is p^15 (1-p)^4 at most, beside which nothing is as extreme.
func TestEndsOfSequentialRuns(t *testing.T) {
	good := ran(t, sample.Design(), map[string]string{"a": strings.Repeat("p", 15)})
	poor := ran(t, sample.Design(), map[string]string{"a": "ffff"})
	r := judgedEnds(t, EndsOfRun("main", good), EndsOfRun("new", poor), EndsOptions{})
	row, at := r.Scenarios[0], 15.0/19
	want := math.Pow(at, 15) * math.Pow(1-at, 4)
	if *row.PWorse < want || *row.PWorse > 1.02*want || r.Verdict != verdict.Fail {
		t.Errorf("p %v, not %v: %s", *row.PWorse, want, r.Verdict)
	}
	same := judgedEnds(t, EndsOfRun("main", good), EndsOfRun("new", good), EndsOptions{})
	if same.Verdict == verdict.Fail || *same.Scenarios[0].PWorse < .5 {
		t.Errorf("the same run: %s, p %v", same.Verdict, *same.Scenarios[0].PWorse)
	}
}

func TestEndsThatCannotBeCompared(t *testing.T) {
	before := ran(t, sample.Design(), map[string]string{"a": strings.Repeat("p", 15), "b": "ffff"})
	after := ran(t, sample.Design(), map[string]string{"a": strings.Repeat("p", 15), "c": "pp"})
	r := judgedEnds(t, EndsOfRun("main", before), EndsOfRun("new", after),
		EndsOptions{Correction: multiplicity.NoCorrection, Delta: .5})
	want := map[string]string{"a": "", "b": "only the baseline has it", "c": "only the candidate has it"}
	for _, row := range r.Scenarios {
		if row.Problem != want[row.Name] || (row.PWorse == nil) != (row.Problem != "") {
			t.Errorf("%s: %q", row.Name, row.Problem)
		}
	}
	if len(r.Scenarios) != 3 || r.Verdict != verdict.Inconclusive || r.Reasons[0].Code != codeNotComparable {
		t.Errorf("%d scenarios, %s %v", len(r.Scenarios), r.Verdict, r.Reasons)
	}
	unended := ran(t, sample.Design(), map[string]string{"a": "pp"})
	r = judgedEnds(t, EndsOfRun("main", unended), EndsOfRun("new", after), EndsOptions{})
	if problem := r.Scenarios[0].Problem; !strings.HasPrefix(problem, "the baseline: it was stopped") {
		t.Errorf("a run that has not ended: %q", problem)
	}
	if r := judgedEnds(t, EndsSide{}, EndsSide{}, EndsOptions{}); r.Verdict != verdict.Inconclusive ||
		r.Reasons[0].Code != verdict.CodeNoTrials {
		t.Errorf("nothing: %s %v", r.Verdict, r.Reasons)
	}
}

// Errors count against a Fail and against a Pass.
func TestErrorsOfEnds(t *testing.T) {
	before := EndsOfTrials(trialsNamed("a", strings.Repeat("p", 30)))
	clear := judgedEnds(t, before, EndsOfTrials(trialsNamed("a", strings.Repeat("p", 15)+strings.Repeat("f", 15))),
		EndsOptions{})
	if clear.Verdict != verdict.Fail {
		t.Errorf("half of the trials fail: %s", clear.Verdict)
	}
	r := judgedEnds(t, before, EndsOfTrials(trialsNamed("a", strings.Repeat("p", 15)+strings.Repeat("e", 15))),
		EndsOptions{})
	if r.Verdict != verdict.Inconclusive || len(r.Warnings) != 1 || *r.Scenarios[0].PWorse < .5 ||
		*r.Scenarios[0].PDrop < .5 {
		t.Errorf("half of the trials err: %s %v", r.Verdict, r.Warnings)
	}
}

func TestEndsOptionsAreChecked(t *testing.T) {
	if _, err := JudgeEnds(t.Context(), EndsSide{}, EndsSide{}, EndsOptions{Delta: 2}); err == nil {
		t.Error("a delta of 2 was accepted")
	}
}
