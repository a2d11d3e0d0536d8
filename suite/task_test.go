package suite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The task is what is asked and how it is judged, and nothing else.
func TestTask(t *testing.T) {
	const text = `
version: 1
name: tiny
agent: {command: [./agent]}
test: {threshold: 0.9}
limits: {max_turns: 5, max_cost_usd: none}
scenarios:
  - {name: one, input: {a: 1, b: 2}, evaluate: [contains: x]}
  - {name: two, tags: [t]}
`
	base := parsed(t, text).Task()
	if !strings.HasPrefix(base.Digest, "sha256:") || len(base.Digest) != 7+64 || len(base.Scenarios) != 2 {
		t.Fatalf("%+v", base)
	}
	for _, c := range []struct {
		old, new string
		changed  string // names of scenarios whose digests differ
	}{
		{"./agent", "./other", ""},
		{"name: tiny", "name: tin", ""},
		{"test: {threshold: 0.9}", "test: {threshold: 0.8}\nseed: 9\norder: listed\nbudget: {max_trials: 9}", ""},
		{"tags: [t]", "trials: 30", ""},
		{"{a: 1, b: 2}", "{b: 2, a: 1}", ""},
		{"  - {name: two, tags: [t]}\n", "", "two"},
		{"{a: 1, b: 2}", "{a: 1, b: 3}", "one"},
		{"contains: x", "contains: y", "one"},
		{"max_turns: 5", "max_turns: 6", "one two"},
		{"tags: [t]", "limits: none", "two"},
		{"tags: [t]", "expect: {status: completed}", "two"},
		{"evaluate: [contains: x]", "evaluate: [contains: x], expect: {status: failed}", "one"},
	} {
		got := parsed(t, strings.Replace(text, c.old, c.new, 1)).Task()
		var changed []string
		for _, name := range []string{"one", "two"} {
			if got.Scenarios[name] != base.Scenarios[name] {
				changed = append(changed, name)
			}
		}
		if strings.Join(changed, " ") != c.changed || (got.Digest == base.Digest) != (c.changed == "") {
			t.Errorf("%s -> %s changes %q", c.old, c.new, changed)
		}
	}
	// Parts say what of a scenario it was.
	for changed, change := range map[string][2]string{
		"input": {"b: 2", "b: 3"}, "evaluators": {"contains: x", "contains: y"}, "limits": {"max_turns: 5", "max_turns: 6"},
	} {
		want, got := base.Parts["one"], parsed(t, strings.Replace(text, change[0], change[1], 1)).Task().Parts["one"]
		differs := map[string]bool{
			"input": want.Input != got.Input, "evaluators": want.Evaluators != got.Evaluators,
			"limits": want.Limits != got.Limits,
		}
		for part, is := range differs {
			if is != (part == changed) {
				t.Errorf("%q changed, and of %s it says %v: %+v", change, part, is, got)
			}
		}
		if want.Contracts != "" || len(want.Limits) != 16 {
			t.Errorf("%+v", want)
		}
	}
	// The order of scenarios is not part of it, nor are those that were left out.
	lines := strings.SplitAfter(text, "\n")
	one := len(lines) - 3
	lines[one], lines[one+1] = lines[one+1], lines[one]
	if got := parsed(t, strings.Join(lines, "")).Task(); got.Digest != base.Digest {
		t.Error("the order of scenarios changes the task")
	}
	without := parsed(t, strings.Replace(text, "  - {name: two, tags: [t]}\n", "", 1)).Task()
	if got := base.Select([]string{"one", "three"}); got.Digest != without.Digest || len(got.Scenarios) != 1 {
		t.Errorf("%+v", got)
	}
}

// A contract is part of the task of the scenarios that name it, by its content.
func TestTaskFollowsContracts(t *testing.T) {
	dir := t.TempDir()
	task := func(tool string) Task {
		t.Helper()
		for name, tool := range map[string]string{"a.yaml": "x", "b.yaml": tool, "c.yaml": "z"} {
			file := "version: 1\nname: c\nclauses:\n  - {name: a, kind: guardrail, forbid: {tools: [" + tool + "]}}\n"
			if err := os.WriteFile(filepath.Join(dir, name), []byte(file), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		s, err := Parse(filepath.Join(dir, FileName), []byte(`
version: 1
name: tiny
agent: {command: [./agent]}
test: {threshold: 0.9}
limits: none
scenarios:
  - {name: none}
  - {name: first, evaluate: [contract: a.yaml]}
  - {name: both, evaluate: [contract: a.yaml, not: {contract: b.yaml}]}
  - {name: last, evaluate: [contract: c.yaml]}
`))
		if err != nil {
			t.Fatal(err)
		}
		return s.Task()
	}
	before, after := task("y"), task("yy")
	for name := range before.Scenarios {
		if changed := before.Scenarios[name] != after.Scenarios[name]; changed != (name == "both") {
			t.Errorf("%s: changed is %v", name, changed)
		}
		if a, b := before.Parts[name], after.Parts[name]; (a.Contracts != b.Contracts) != (name == "both") ||
			(a.Contracts == "") != (name == "none") {
			t.Errorf("%s: %+v and then %+v", name, a, b)
		}
	}
	if before.Digest == after.Digest {
		t.Error("the content of a contract does not change the task")
	}
}
