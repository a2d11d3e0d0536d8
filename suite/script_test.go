package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/script"
)

// A script is a file or stands in place, and one of a scenario goes before that of the wire.
func TestScriptsAreRead(t *testing.T) {
	s, err := Load("testdata/scripted.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want := &script.Script{Turns: []script.Turn{{{Weight: 1, Text: "It is on its way."}}}}
	if diff := cmp.Diff(want, s.Agent.Wire.Script); diff != "" {
		t.Error(diff)
	}
	own := &script.Script{Model: "small", Turns: []script.Turn{
		{{
			Weight: 1, When: script.Condition{Last: "order 7", ToolOffered: "look_up", System: "You help.", Model: "gpt"},
			Calls: []script.Call{
				{Tool: "look_up", Arguments: trial.Raw(`{"id":7}`)}, {Tool: "now", Arguments: trial.Raw("{}")},
				{Tool: "exec", Input: trial.Some("text(1)")},
			},
			Tokens: script.Tokens{
				In: trial.Some[int64](1200), Out: trial.Some[int64](15), Cached: trial.Some[int64](1000),
				Written: trial.Some[int64](100), Reasoning: trial.Some[int64](4),
			},
		}},
		{{Weight: 3, Text: "It was sent.", Latency: 1500 * time.Millisecond}, {Weight: 1, Text: "It was", Finish: "length"}},
	}, Anytime: []script.Aside{
		{Variant: script.Variant{
			Weight: 1, When: script.Condition{System: "Generate a title"}, Text: "An order",
			Tokens: script.Tokens{In: trial.Some[int64](80), Out: trial.Some[int64](4)},
		}},
		{Variant: script.Variant{Weight: 1}, Path: "/count_tokens", JSON: trial.Raw(`{"input_tokens":1200}`)},
	}}
	if diff := cmp.Diff(own, s.Scenarios[1].ModelScript); diff != "" || s.Scenarios[0].ModelScript != nil {
		t.Error(diff)
	}
}

// What a script says is part of the suite, and that of a scenario of the task, wherever it is written.
func TestScriptsAreOfTheDigest(t *testing.T) {
	folder := t.TempDir()
	digests := func(file, wire, scenario string) (suite, task string) {
		if err := os.WriteFile(filepath.Join(folder, "s.yaml"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		text := "version: 1\nname: a\nagent: {command: [x]}\nwire: " + wire + "\ntest: {threshold: 0.9}\nlimits: none\n" +
			"scenarios: [{name: one" + scenario + "}]\n"
		s, err := Parse(filepath.Join(folder, "tribunal.yaml"), []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s.Digest(), s.Task().Digest
	}
	const one, two = "turns: [{text: one}]", "turns: [{text: two}]"
	suites, tasks := map[string]string{}, map[string]string{}
	for name, c := range map[string][3]string{
		"none": {one, "true", ""}, "wire": {one, "{script: s.yaml}", ""}, "wire in place": {two, "{script: {" + one + "}}",
			""},
		"wire two": {two, "{script: s.yaml}", ""}, "own": {one, "true", ", model_script: s.yaml"},
		"own in place": {two, "true", ", model_script: {" + one + "}"}, "own two": {two, "true", ", model_script: s.yaml"},
	} {
		suites[name], tasks[name] = digests(c[0], c[1], c[2])
	}
	for _, equal := range []string{"wire", "own"} {
		if suites[equal] != suites[equal+" in place"] || suites[equal] == suites[equal+" two"] ||
			suites[equal] == suites["none"] {
			t.Errorf("%s: %v", equal, suites)
		}
	}
	if tasks["own"] != tasks["own in place"] || tasks["own"] == tasks["own two"] || tasks["own"] == tasks["none"] ||
		tasks["wire"] != tasks["none"] {
		t.Error(tasks)
	}
}

// A path in a scenario that is a file of its own leads from the folder of the suite.
func TestScriptOfAFileOfScenarios(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"s.yaml": "turns: [{text: one}]", "cases/one.yaml": "model_script: s.yaml\n",
		"tribunal.yaml": "version: 1\nname: a\nagent: {command: [x]}\nwire: true\ntest: {threshold: 0.9}\nlimits: none\n" +
			"scenarios: {from: cases}\n",
	} {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Load(filepath.Join(folder, "tribunal.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if c := s.Scenarios[0]; c.ModelScript == nil || c.ModelScript.Turns[0][0].Text != "one" ||
		!strings.HasPrefix(c.Name, "one") {
		t.Errorf("the scenario is %+v", c)
	}
}
