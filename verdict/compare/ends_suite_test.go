package compare

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// suiteRun is a run of 20 scenarios that are tested as one question, each of which passes with its rate.
func suiteRun(t testing.TB, design *stratified.Design, random *rand.Rand, rate func(scenario int) float64) *runs.Result {
	t.Helper()
	e := stratified.Evidence{Candidate: make([]string, design.Question().Scenarios)}
	for {
		d, err := design.Judge(e)
		if err != nil {
			t.Fatal(err)
		}
		if d.Outcome != sprt.Undecided {
			break
		}
		for _, i := range d.Next {
			letter := "F"
			if random.Float64() < rate(i) {
				letter = "P"
			}
			e.Candidate[i] += letter
		}
	}
	j := &runs.Joint{Designs: []*stratified.Design{design}}
	evidence := runs.Evidence{Suite: "shop", StoppedBy: runs.StoppedByDecision}
	for i, letters := range e.Candidate {
		x := runs.TestEvidence{Name: fmt.Sprintf("s%d", i), Joint: j}
		x.Scenarios = []string{x.Name}
		for n, letter := range letters {
			o := trial.Pass
			if letter == 'F' {
				o = trial.Fail
			}
			x.Trials = append(x.Trials, runs.TrialEvidence{Scenario: x.Name, Number: n,
				Trial: &trial.Trial{Scenario: x.Name, Outcome: o}})
		}
		evidence.Tests = append(evidence.Tests, x)
	}
	r, err := runs.Judge(t.Context(), evidence)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Runs whose scenarios were tested as one question are compared as one: those of agents that are alike seldom fail,
// although each run stopped by its own outcomes, and one that is worse in all of them seldom passes.
func TestRunsOfASuiteAreComparedAsOneQuestion(t *testing.T) {
	design, err := stratified.New(t.Context(), stratified.Question{Scenarios: 20})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(11, 2))
	count := func(before, after float64, times int) (passes, fails int) {
		at := func(rate float64) func(int) float64 { return func(int) float64 { return rate } }
		for range times {
			r, err := JudgeEnds(t.Context(), EndsOfRun("a", suiteRun(t, design, random, at(before))),
				EndsOfRun("b", suiteRun(t, design, random, at(after))), EndsOptions{})
			if err != nil {
				t.Fatal(err)
			}
			switch r.Verdict {
			case verdict.Pass:
				passes++
			case verdict.Fail:
				fails++
			}
			checkAgain(t, r)
		}
		return passes, fails
	}
	// Of 100 runs a false Fail is to be seen in 5 and a false Pass in 10 at most: four standard errors more are not.
	if passes, fails := count(1, 1, 5); passes != 5 || fails != 0 {
		t.Errorf("agents that always pass: %d passes, %d fails", passes, fails)
	}
	if _, fails := count(.85, .85, 100); fails > 13 {
		t.Errorf("%d of 100 fail although nothing changed", fails)
	}
	if passes, _ := count(.95, .85, 100); passes > 22 {
		t.Errorf("%d of 100 pass although the mean dropped by 10 points", passes)
	}
}

// checkAgain reads a comparison back and judges it again; what is changed in it is found.
func checkAgain(t *testing.T, r *Ends) {
	t.Helper()
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	read := func() *Ends {
		var saved Ends
		if err := json.Unmarshal(text, &saved); err != nil {
			t.Fatal(err)
		}
		return &saved
	}
	again, err := read().Rejudge(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(again.Again)
	if diff := cmp.Diff(string(text), string(got)); diff != "" {
		t.Fatalf("judged again it is another (-saved +again):\n%s", diff)
	}
	forged := read()
	forged.Scenarios[0].Standing = map[string]string{"cleared": "open"}[forged.Scenarios[0].Standing]
	changed, _ := json.Marshal(forged)
	if again, err := forged.Rejudge(t.Context()); err == nil {
		if got, _ := json.Marshal(again.Again); string(got) == string(changed) {
			t.Error("a forged standing is found to be right")
		}
	}
	forged = read()
	forged.Scenarios[0].CandidateOutcomes = "P?"
	if _, err := forged.Rejudge(t.Context()); err == nil {
		t.Error("what is no outcome was judged")
	}
}

// A scenario that one side lacks leaves the comparison open, unless it is to be ignored.
func TestScenariosThatOneSuiteLacks(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	always := func(int) float64 { return 1 }
	var sides [2]EndsSide
	for i, n := range []int{20, 21} {
		design, err := stratified.New(t.Context(), stratified.Question{Scenarios: n})
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = EndsOfRun("side", suiteRun(t, design, random, always))
	}
	for missing, want := range map[MissingPolicy]verdict.Verdict{0: verdict.Inconclusive, MissingIgnore: verdict.Pass} {
		r, err := JudgeEnds(t.Context(), sides[0], sides[1], EndsOptions{Missing: missing})
		if err != nil || r.Verdict != want {
			t.Errorf("%v: %v %v, %v", missing, r.Verdict, r.Reasons, err)
		}
	}
}
