package runner

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
)

// A trial gets the judgement of its scenario in place of its own; what broke, and what is of no scenario, stays.
func TestBenchJudges(t *testing.T) {
	s := parse(t, recordedSuite)
	b, err := NewBench(s, s.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	yes := said("a", "yes")
	yes.Outcome = trial.Fail
	broken := &trial.Trial{Scenario: "a", Outcome: trial.Error, Error: &trial.Cause{Origin: trial.InfrastructureOrigin}}
	misjudged := said("a", "no")
	misjudged.Outcome, misjudged.Error = trial.Error, &trial.Cause{Origin: oracle.JudgeOrigin, Message: "timeout"}
	stranger := said("c", "yes")
	for _, c := range []struct {
		name    string
		trial   *trial.Trial
		judged  bool
		outcome trial.Outcome
	}{
		{"a pass", yes, true, trial.Pass},
		{"one that broke", broken, false, trial.Error},
		{"one whose judge broke", misjudged, true, trial.Fail},
		{"too dear", &trial.Trial{Scenario: "b", Outcome: trial.Pass, CostUSD: trial.Some(.25)}, true, trial.Fail},
		{"without what is asked for", &trial.Trial{Scenario: "a"}, true, trial.Error},
		{"of no scenario", stranger, false, trial.Unjudged},
	} {
		judged, err := b.Judge(t.Context(), c.trial)
		if err != nil || judged != c.judged || c.trial.Outcome != c.outcome {
			t.Errorf("%s: judged %v, %v, %v", c.name, judged, c.trial.Outcome, err)
		}
		judgement, recorded := oracle.Recorded(c.trial)
		if recorded != c.judged || recorded && !strings.HasPrefix(judgement.Judge, "sha256:") {
			t.Errorf("%s: recorded %v: %+v", c.name, recorded, judgement)
		}
	}
	if misjudged.Error != nil {
		t.Errorf("the error of the earlier judging is still there: %+v", misjudged.Error)
	}
}

// A judge that is not there is found before anything is judged; an agent that is not there is not asked for.
func TestBenchLooksForJudgesAlone(t *testing.T) {
	const text = head + `
agent: {command: [./nowhere]}
test: {threshold: 0.8}
scenarios: [{name: a, evaluate: [{command: [%]}]}]
`
	s := parse(t, strings.Replace(text, "%", "./no-judge", 1))
	if _, err := NewBench(s, s.Scenarios); !isSuiteErrors(err) {
		t.Errorf("no error of a judge that is not there: %v", err)
	}
	s = parse(t, strings.Replace(text, "%", "sh", 1))
	if _, err := NewBench(s, s.Scenarios); err != nil {
		t.Errorf("the agent is asked for: %v", err)
	}
}

func isSuiteErrors(err error) bool {
	var problems suite.Errors
	return errors.As(err, &problems)
}

// The axes that recorded trials are scored on are those on which judging them gives points.
func TestOfflineAxesAreThoseThatAreScored(t *testing.T) {
	s := parse(t, head+`
agent: {command: [sh, -c, "echo 1"], timeout: 60s}
test: {threshold: 0.8}
score:
  axes:
    - {name: tests, points: 1, from: tests, report: "{id}.xml"}
    - {name: files, points: 1, each: [{name: hacks, regex: XXX, files: "{id}/*.go"}]}
    - {name: words, points: 1, each: [{name: polite, regex: please, found: good}]}
    - {name: rules, points: 1, from: evaluators}
    - {name: judged, points: 1, each: [{name: program, judge: {command: [sh, -c, "echo 1"]}}]}
scenarios:
  - name: a
    evaluate: [{contains: yes}]
`)
	rules, err := Offline(t.Context(), s, s.Scenarios, nil)
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for _, r := range rules {
		answers[r.Rule] = r.Answer
	}
	bench, err := NewBench(s, s.Scenarios)
	if err != nil {
		t.Fatal(err)
	}
	one := said("a", "yes, please")
	if judged, err := bench.Judge(t.Context(), one); !judged || err != nil {
		t.Fatal(judged, err)
	}
	given := score.Recorded(one)
	if given == nil || len(given.Axes) != 5 {
		t.Fatal(given)
	}
	for _, a := range given.Axes {
		want := AnswerNo
		if a.Points != nil {
			want = AnswerYes
		}
		if got := answers["score."+a.Name]; got != want {
			t.Errorf("%s is answered %q, and scoring it says %q: %s", a.Name, got, want, a.Text)
		}
	}
}

// The rules that recorded trials answer are those that judging them answers.
func TestOfflineIsWhatJudgingFinds(t *testing.T) {
	s := parse(t, strings.Replace(head, "limits: none\n", "", 1)+`
agent: {command: [sh, -c, "echo 1"], timeout: 60s}
test: {threshold: 0.8}
limits: {max_turns: 5, max_cost_usd: none}
scenarios:
  - name: a
    evaluate: [{contains: yes}, {exit-code: 0}, {must-call: t}, {command: [sh, -c, "exit 0"]}]
  - name: b
    evaluate: [{contains: yes}]
`)
	steps := []trial.Step{{Action: trial.Respond}}
	with := said("a", "yes")
	with.Steps = steps
	rules, err := Offline(t.Context(), s, s.Scenarios, []*trial.Trial{with, said("a", "no"), said("b", "no"), said("c",
		"x")})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]OfflineRule{
		"contains": {Answer: AnswerYes, Answered: 3, Trials: 3}, "exit-code": {Answer: AnswerNo, Trials: 2},
		"must-call": {Answer: AnswerSome, Answered: 1, Trials: 2}, "command": {Answer: AnswerYes, Answered: 2,
			Trials: 2},
		"max_turns": {Answer: AnswerSome, Answered: 1, Trials: 3}, "agent.timeout": {Answer: AnswerNo},
		"test": {Answer: AnswerYes},
	}
	for _, r := range rules {
		w, known := want[r.Rule]
		if !known || r.Answer != w.Answer || r.Answered != w.Answered || r.Trials != w.Trials || r.Why == "" {
			t.Errorf("%+v, not %+v", r, w)
		}
		delete(want, r.Rule)
	}
	if len(want) > 0 {
		t.Errorf("missing: %v", want)
	}
	// How a trial ended stands in its error, or in its outcome, and what was to break off need not tell its turns.
	for i := range s.Scenarios {
		s.Scenarios[i].Evaluate, s.Scenarios[i].Expect = nil, oracle.Expectation{Status: oracle.Errored, Within: time.Minute}
	}
	broke := &trial.Trial{
		Scenario: "a", Outcome: trial.Error, Error: &trial.Cause{Origin: trial.InfrastructureOrigin, Type: "signal"},
		DurationSeconds: trial.Some(3.),
	}
	lost := &trial.Trial{Scenario: "a", Outcome: trial.Error, Error: &trial.Cause{Origin: trial.InfrastructureOrigin,
		Type: "lost"}}
	rules, err = Offline(t.Context(), s, s.Scenarios, []*trial.Trial{broke, lost, said("a", "no"), said("b", "no")})
	if err != nil || len(rules) == 0 {
		t.Fatal(err)
	}
	for _, r := range rules[:2] {
		w := map[string]OfflineRule{
			"expect": {Answer: AnswerYes, Answered: 3, Trials: 3}, "max_turns": {Answer: AnswerYes, Answered: 3, Trials: 3},
		}[r.Rule]
		if r.Answer != w.Answer || r.Answered != w.Answered || r.Trials != w.Trials {
			t.Errorf("%+v, not %+v", r, w)
		}
	}
	// Of no trial of its scenarios nothing is known.
	rules, err = Offline(t.Context(), s, s.Scenarios[:1], []*trial.Trial{said("c", "x")})
	if err != nil || rules[0].Answer != AnswerNo {
		t.Errorf("%+v, %v", rules, err)
	}
}
