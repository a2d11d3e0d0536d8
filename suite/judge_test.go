package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// judgeOf is the digest of what judges the scenario "one" of a suite in a folder.
func judgeOf(t *testing.T, dir, evaluate string) string {
	t.Helper()
	s, err := Parse(filepath.Join(dir, FileName),
		[]byte(strings.Replace(minimal, "name: one,", "name: one, evaluate: ["+evaluate+"],", 1)))
	if err != nil {
		t.Fatal(err)
	}
	judges := s.Judges(s.Scenarios)
	if len(judges) != len(s.Scenarios) {
		t.Fatal(judges)
	}
	return judges["one"]
}

// The digest of a judge follows its options, and the content of the program and the prompt that its command names,
// wherever in a combination it stands; not its layout.
func TestJudgesFollowTheirFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("judge.py", "print(1)")
	write("prompt.txt", "Is it polite?")
	write("ask", "#!/bin/sh\n")
	const plain = "{command: [python3, judge.py, prompt.txt]}"
	for _, c := range []struct{ evaluate, file, text string }{
		{plain, "judge.py", "print(2)"},
		{plain, "prompt.txt", "Is it kind?"},
		{"{command: {command: [./ask], timeout: 5s}}", "ask", "#!/bin/sh\nexit 1\n"},
		{"{any: [{contains: x}, {not: " + plain + "}]}", "judge.py", "print(3)"},
		{"{weighted: {threshold: 0.5, of: [{weight: 2, command: [./ask]}]}}", "ask", "#!/bin/sh\nexit 0\n"},
	} {
		before := judgeOf(t, dir, c.evaluate)
		if again := judgeOf(t, dir, c.evaluate); again != before || !strings.HasPrefix(before, "sha256:") {
			t.Errorf("%s: %s and %s", c.evaluate, before, again)
		}
		write(c.file, c.text)
		if judgeOf(t, dir, c.evaluate) == before {
			t.Errorf("%s: another %s is the same judge", c.evaluate, c.file)
		}
	}
	if judgeOf(t, dir, "{contains: x}") == judgeOf(t, dir, "{contains: y}") {
		t.Error("another text is the same judge")
	}
}

// What an evaluator says that it needs is what it needs: without it nothing is judged, and it alone is enough.
func TestNeedsAreWhatEvaluatorsAskOf(t *testing.T) {
	steps := []trial.Step{{Action: trial.CallTool, Tool: "t"}, {Action: trial.Respond}}
	having := map[string]*trial.Trial{
		"the output": {Output: trial.RawString(`5`)}, "the steps": {Steps: steps},
		"the duration of the trial":                               {DurationSeconds: trial.Some(1.0)},
		"the steps, or the number of calls that the trial states": {ToolCalls: trial.Some(1)},
		"the steps, or the turns that the trial states":           {Turns: trial.Some(1)},
		"the tokens of the trial or of its steps": {InputTokens: trial.Some[int64](1),
			OutputTokens: trial.Some[int64](1)},
	}
	specs := map[string]string{
		"equals": "5", "contains": "x", "not-contains": "x", "regex": "x", "exists": "a", "range": "{min: 1}",
		"json-schema": "{schema: {type: object}}", "must-call": "t", "must-not-call": "t", "tool-order": "[t]",
		"max_steps": "5",
		"exit-code": "0", "token-budget": "5", "tool-call-count": "5", "turn-count": "5", "error-count": "5",
		"wall-time": "5s",
	}
	for name, spec := range specs {
		s, err := Parse("tribunal.yaml",
			[]byte(strings.Replace(minimal, "name: one,", "name: one, evaluate: [{"+name+": "+spec+"}],", 1)))
		if err != nil {
			t.Fatal(err)
		}
		e := s.Scenarios[0].Evaluate[0]
		needs := e.Needs()
		outcome := func(x *trial.Trial) trial.Outcome {
			return e.Evaluator.Evaluate(t.Context(), oracle.Evidence{Trial: x}).Outcome
		}
		if outcome(&trial.Trial{}) != trial.Error {
			t.Errorf("%s judges a trial of which nothing is recorded", name)
		}
		if needs.Answer == "no" {
			for from, x := range having {
				if outcome(x) != trial.Error {
					t.Errorf("%s can be answered from %s", name, from)
				}
			}
			continue
		}
		if x := having[needs.Why]; x == nil || outcome(x) == trial.Error {
			t.Errorf("%s is not answered from %q", name, needs.Why)
		}
	}
	for _, name := range evaluatorNames() {
		switch name {
		case "command", "contract", "all", "any", "not", "weighted", "model":
		default:
			if specs[name] == "" {
				t.Errorf("what %s needs is not tried", name)
			}
		}
	}
}

// A combination needs what its parts do, and is answered in part where only some of them are.
func TestNeedsOfCombinations(t *testing.T) {
	for evaluate, want := range map[string]Needs{
		"{any: [{contains: x}, {equals: y}]}":    {"yes", "the output", false},
		"{any: [{contains: x}, {must-call: y}]}": {"yes", "the output; the steps", false},
		"{any: [{contains: x}, {exit-code: 0}]}": {"some",
			"exit-code: no record has the exit code of the agent", false},
		"{not: {exit-code: 0}}": {"no", "no record has the exit code of the agent",
			false},
		"{weighted: {threshold: 1, of: [{weight: 2, exists: a}]}}": {"yes", "the output", false},
		"{all: [{command: [sh]}]}": {"yes",
			"its program, which is started for each trial", true},
	} {
		s, err := Parse("tribunal.yaml",
			[]byte(strings.Replace(minimal, "name: one,", "name: one, evaluate: ["+evaluate+"],", 1)))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Scenarios[0].Evaluate[0].Needs(); got != want {
			t.Errorf("%s: %+v, not %+v", evaluate, got, want)
		}
	}
}
