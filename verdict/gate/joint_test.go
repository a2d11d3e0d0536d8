package gate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/sprt/betting"
	"github.com/tribunal-dev/tribunal/sprt/stratified"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// oneQuestion is a run of 20 scenarios that are tested as one question, by the letters of their outcomes; against a
// recording that always passed where that is asked for.
func oneQuestion(t *testing.T, recorded bool, outcomes ...string) *runs.Result {
	t.Helper()
	j := &runs.Joint{Source: runs.BaselineSource{File: "main.json", Changed: []string{}}}
	questions := []stratified.Question{{Scenarios: len(outcomes)}}
	if recorded {
		questions = append(questions, stratified.Question{Scenarios: len(outcomes), Sides: stratified.Stored, MaxRounds: 15})
	}
	for _, q := range questions {
		d, err := stratified.New(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		j.Designs = append(j.Designs, d)
	}
	e := runs.Evidence{Suite: "shop", Digest: "sha256:1"}
	for i, letters := range outcomes {
		x := runs.TestEvidence{Name: fmt.Sprintf("s%d", i), Joint: j}
		x.Scenarios = []string{x.Name}
		if recorded {
			x.Recorded = strings.Repeat("P", 15)
		}
		for n, letter := range letters {
			o := map[rune]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[letter]
			x.Trials = append(x.Trials, runs.TrialEvidence{Scenario: x.Name, Number: n,
				Trial: &trial.Trial{Scenario: x.Name, Outcome: o}})
		}
		e.Tests = append(e.Tests, x)
	}
	e.StoppedBy = stopOf(t, e)
	r, err := runs.Judge(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The verdict of the question is one rule, and that against a baseline another; floors that are compared are those of
// the scenarios.
func TestGatesOfSuitesAsOneQuestion(t *testing.T) {
	all := slices.Repeat([]string{"PPPP"}, 20)
	dead := slices.Clone(all)
	dead[3] = strings.Repeat("F", 14)
	open := slices.Clone(all)
	open[3] = "PF"
	low := slices.Repeat([]string{"FP"}, 20)
	for _, c := range []struct {
		name     string
		outcomes []string
		recorded bool
		options  Options
		want     Decision
		rules    []string // those that do not hold
	}{
		{"all pass", all, false, Options{}, Deploy, nil},
		{"all pass as the baseline did", all, true, Options{}, Deploy, nil},
		{"a dead one", dead, false, Options{}, Block, []string{ruleVerdict}},
		{"all too low", low, true, Options{}, Block, []string{ruleVerdict, ruleRegression}},
		{"one open", open, false, Options{}, Review, []string{ruleVerdict}},
		{"a floor that is compared", open, false, Options{Floors: map[string]Floor{"s3": {Rate: .9, Point: true}}}, Block,
			[]string{ruleVerdict, ruleFloor}},
		{"every trial of one", open, false, Options{Floors: map[string]Floor{"s3": {AllTrials: true}}}, Block,
			[]string{ruleVerdict, ruleAllTrials}},
	} {
		c.options.Correction = multiplicity.Holm
		r := oneQuestion(t, c.recorded, c.outcomes...)
		g, err := Judge(t.Context(), r, c.options)
		if err != nil {
			t.Fatal(err)
		}
		var broken []string
		for _, rule := range g.Rules {
			if rule.Outcome == RuleBroken || rule.Outcome == RuleOpen {
				broken = append(broken, rule.Name)
			}
		}
		if g.Decision != c.want || !slices.Equal(broken, c.rules) {
			t.Errorf("%s: %v, %v: %v", c.name, g.Decision, broken, g.Reasons)
		}
		if f := g.Family; f.All > .1+1e-9 || f.All < .05-1e-9 {
			t.Errorf("%s: a false block in %v of runs at most: %+v", c.name, f.All, f)
		}
		if o := LevelsOf(r, Options{}); o.Alpha != .05 || o.Beta != .1 || o.Delta != .1 {
			t.Errorf("%s: %+v", c.name, o)
		}
	}
}

// Pooled trials do not show what such a suite asks, nor does another run that was not against the baseline.
func TestWhatAnswersASuiteAsOneQuestion(t *testing.T) {
	names := []string{"a", "b"}
	question := Question{Name: "shop", Scenarios: names, Threshold: .9, Delta: .1, Alpha: .05, Beta: .1, Joint: true}
	tallies := []verdict.Tally{{Scenario: "a", Passes: 100}, {Scenario: "b", Passes: 100}}
	for by, want := range map[verdict.Grouping]Decision{verdict.BySuite: Review, verdict.ByScenario: Deploy} {
		r, err := verdict.JudgeThreshold(t.Context(), tallies, verdict.ThresholdOptions{Threshold: .9, Alpha: .05, By: by})
		if err != nil {
			t.Fatal(err)
		}
		g, err := Judge(t.Context(), r, Options{Questions: []Question{question}, Scenarios: names, Alpha: .05, Beta: .1,
			Delta: .1})
		if err != nil || g.Decision != want {
			t.Errorf("%v: %v %v, %v", by, g.Decision, g.Reasons, err)
		}
	}
	all := slices.Repeat([]string{"PPPP"}, 20)
	r := oneQuestion(t, false, all...)
	g, err := Judge(t.Context(), r, Options{Baseline: &BaselineRun{File: "main.json", Run: TestsOf(gated(t, "PPPP"))}})
	if err != nil || g.Decision != Review {
		t.Errorf("%v %v, %v", g.Decision, g.Reasons, err)
	}
}

// A scenario may have the name that a mean of scores has.
func TestScenarioThatIsCalledAMeanOfScores(t *testing.T) {
	const name = "mean of scores"
	r, err := verdict.JudgeThreshold(t.Context(), []verdict.Tally{{Scenario: name, Passes: 100}},
		verdict.ThresholdOptions{Threshold: .9, Alpha: .05, By: verdict.ByScenario})
	if err != nil {
		t.Fatal(err)
	}
	asked := Question{Name: name, Scenarios: []string{name}, Threshold: .9, Delta: .1, Alpha: .05, Beta: .1}
	g, err := Judge(t.Context(), r, Options{Questions: []Question{asked}, Scenarios: []string{name}, Alpha: .05, Beta: .1,
		Delta: .1})
	if err != nil || g.Decision != Deploy {
		t.Errorf("%v %v, %v", g.Decision, g.Reasons, err)
	}
}

// The mean of scores decides where no suite asks for a pass rate.
func TestGatesOfScores(t *testing.T) {
	judged := func(value float64) *mean.Result {
		r, err := mean.Judge([]mean.Scenario{{Name: "a", Values: []betting.Value{{Value: value, Times: 60}}}},
			mean.Options{Threshold: .8})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	asked := []Question{{Name: "a", Scenarios: []string{"a"}, Threshold: .8, Delta: .1, Alpha: .05, Beta: .1}}
	for _, c := range []struct {
		score     float64
		questions []Question
		want      Decision
	}{{.95, nil, Deploy}, {.5, nil, Block}, {.8, nil, Review}, {.95, asked, Review}, {.5, asked, Review}} {
		g, err := Judge(t.Context(), judged(c.score), Options{Questions: c.questions})
		if err != nil || g.Decision != c.want {
			t.Errorf("scores of %v, asked %v: %v %v, %v", c.score, c.questions, g.Decision, g.Reasons, err)
		}
	}
}
