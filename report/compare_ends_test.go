package report

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Of two recordings of as many trials as an open comparison asks for, that pass alike, most are told not to be worse; of a
// third as many few are.
func TestTrialsThatAnOpenComparisonAsksFor(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	draw := func(trials int) *compare.Ends {
		var sides [2]compare.EndsSide
		for i, name := range []string{"old", "new"} {
			r := &recording.Recording{Name: name}
			for n := range trials {
				one := &trial.Trial{Scenario: "refund", Index: trial.Some(n), Outcome: trial.Pass}
				if random.Float64() < 0.1 {
					one.Outcome = trial.Fail
				}
				r.Add(one)
			}
			sides[i] = compare.EndsOfTrials(r)
		}
		ends, err := compare.JudgeEnds(t.Context(), sides[0], sides[1],
			compare.EndsOptions{Delta: 0.1, Alpha: 0.05, Beta: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		return ends
	}
	passed := func(trials int) (share float64) {
		const pairs = 60
		for range pairs {
			if draw(trials).Verdict == verdict.Pass {
				share += 1. / pairs
			}
		}
		return share
	}
	open := &compare.Ends{Alpha: 0.05, Beta: 0.1, Delta: 0.1, Scenarios: draw(20).Scenarios}
	row := &open.Scenarios[0]
	row.Verdict, row.Baseline.Passes, row.Baseline.Trials = verdict.Inconclusive, 18, 20
	if trials := recordOfBoth(open); passed(trials) < 0.85 || passed(trials/3) > 0.75 {
		t.Errorf("%d trials: %v of the pairs pass, and of a third of them %v", trials, passed(trials), passed(trials/3))
	}

	q := stratified.Question{Sides: stratified.SideBySide, Scenarios: 3, Delta: 0.1, Alpha: 0.05, Beta: 0.1, MaxRounds: 4}
	q.MaxRounds = recordOfBoth(&compare.Ends{Suite: &runs.SuiteTest{Question: q, Rounds: 4,
		Baseline: &runs.Side{Trials: 12, Passes: 12, Rate: new(1.0)}}})
	design, err := stratified.New(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	rates := slices.Repeat([]float64{expectedRate}, q.Scenarios)
	if c, err := design.Simulate(t.Context(), rates, rates, 500, 3); err != nil || c.Pass < 0.85 {
		t.Errorf("%d rounds: %+v, %v", q.MaxRounds, c, err)
	}
}

// It is more than both recordings hold, also where the question ended before they do.
func TestMoreTrialsAreAskedForThanAreThere(t *testing.T) {
	row := compare.EndsOfScenario{BaselineOutcomes: strings.Repeat("P", 10), CandidateOutcomes: strings.Repeat("F", 12)}
	q := stratified.Question{Sides: stratified.SideBySide, Scenarios: 1, Delta: 0.9, Alpha: 0.05, Beta: 0.1, MaxRounds: 10}
	open := &compare.Ends{Alpha: 0.05, Beta: 0.1, Delta: 0.9, Suite: &runs.SuiteTest{Question: q, Rounds: 5, Baseline: &runs.Side{}},
		Scenarios: []compare.EndsOfScenario{row}}
	if trials := recordOfBoth(open); trials != 20 {
		t.Errorf("%d trials, want 20", trials)
	}
}

// A mean that is lower is a finding of its own, where no scenario is worse.
func TestLowerMeanIsTold(t *testing.T) {
	r := &compare.Ends{Verdict: verdict.Fail, Suite: &runs.SuiteTest{Mean: "fail"}}
	for _, worse := range []bool{false, true} {
		r.Scenarios = []compare.EndsOfScenario{{Name: "refund", Verdict: verdict.Pass, Standing: "cleared"}}
		if worse {
			r.Scenarios[0].Verdict = verdict.Fail
		}
		d := new(Document)
		endsFindings(d, r)
		if told := len(d.Findings) == 1 && d.Findings[0].Name == "mean"; told == worse {
			t.Errorf("worse %t: %+v", worse, d.Findings)
		}
	}
}

// A page has how many scenarios are worse and the trials of both sides at its head, and what was asked at its foot.
func TestPageOfTwoRunsHasNumbers(t *testing.T) {
	end := func(passes, trials int) *compare.SampledEnd {
		return &compare.SampledEnd{RecordedBaseline: design.RecordedBaseline{Trials: trials, Passes: passes}}
	}
	page := pageOf(t, &compare.Ends{Verdict: verdict.Fail, Delta: 0.1, Alpha: 0.05, Beta: 0.2,
		Scenarios: []compare.EndsOfScenario{
			{Name: "x", Verdict: verdict.Fail, Baseline: end(9, 10), Candidate: end(1, 12)},
			{Name: "y", Verdict: verdict.Pass, Baseline: end(9, 10), Candidate: end(9, 10)},
		}})
	for _, want := range []string{`<dt>worse</dt><dd class="fail">1</dd>`, `<dt>undecided</dt><dd>0</dd>`,
		`<dt>not worse</dt><dd class="pass">1</dd>`, `<dt>trials</dt><dd>20 and 22</dd>`, `<dt>beta</dt><dd>0.2</dd>`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing", want)
		}
	}
}

// A page says why the behaviour could not be tested.
func TestPageSaysWhyBehaviourIsNotTested(t *testing.T) {
	r := sampleExamples()
	r.Behaviour = &behaviour.Comparison{Warnings: []verdict.Warning{{Code: behaviour.CodeUntested,
		Text: "the behaviour cannot be compared: too few"}}}
	_, text, _ := strings.Cut(pageOf(t, r), "The behaviour cannot be tested.</p>")
	if !strings.HasPrefix(text, "\n<ul><li><bdi>the behaviour cannot be compared: too few</bdi></li></ul>") {
		t.Error(text[:min(len(text), 200)])
	}
}

// A case names the p-value that its sentence has, which is corrected, apart from the one that is not.
func TestCaseOfAScenarioNamesBothPValues(t *testing.T) {
	c := endsCase(&compare.Ends{}, compare.EndsOfScenario{Name: "x", PWorse: ptr(0.0039), PCorrected: ptr(0.0157),
		PDrop: ptr(0.9)})
	values := map[string]string{}
	for _, f := range c.Facts {
		values[f.Name] = f.Value
	}
	if values["p_worse"] != "0.0039" || values["p_corrected"] != "0.0157" ||
		!strings.Contains(c.Message, "p worse 0.0157 corrected, p drop") {
		t.Errorf("%v, %s", values, c.Message)
	}
}
