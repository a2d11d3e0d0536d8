package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/suite/mutation"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// configuredSuite is a suite of a program with files, and of a variant with another prompt.
const configuredSuite = `
version: 1
name: tiny
agent:
  command: [./agent, "{prompt}"]
  config: {prompt: prompt.md, tools: tools.json, model: small, models: {older: [smaller]}, context: context.txt,
    temperature: 0.7, orchestration: graph.yaml}
variants:
  - {name: as-it-is}
  - {name: terse, config: {prompt: terse.md}}
wire: true
test: {threshold: 0.9}
limits: none
scenarios: [{name: one}]
`

// inFolder writes files, and reads the suite among them.
func inFolder(t *testing.T, text string, files map[string]string) *Suite {
	t.Helper()
	folder := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Parse(filepath.Join(folder, FileName), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func configFiles() map[string]string {
	return map[string]string{
		"prompt.md": "Be kind. [[mutate]]Never guess.[[/mutate]] Go on.\n", "terse.md": "Be brief.\n",
		"tools.json": `[ {"name":"a"} , {"name":"b"} ]`, "context.txt": "one\n\ntwo\n",
		"graph.yaml": `["classify", "route"]` + "\n",
	}
}

// A variant has its own prompt, and all else of the agent's. The digests are those of sha256sum.
func TestConfigOfVariants(t *testing.T) {
	s := inFolder(t, configuredSuite, configFiles())
	want := map[string][]string{
		"as-it-is": {
			`agent.config.prompt: prompt.md, sha256:b6178cc9`, `agent.config.tools: tools.json, sha256:27965f27`,
			`agent.config.context: context.txt, sha256:ca48018c`, `agent.config.orchestration: graph.yaml, sha256:eb468058`,
			"agent.config.model: small", "agent.config.temperature: 0.7",
		},
		"terse": {
			`agent.config.prompt: terse.md, sha256:96fb1c7f`, `agent.config.tools: tools.json, sha256:27965f27`,
			`agent.config.context: context.txt, sha256:ca48018c`, `agent.config.orchestration: graph.yaml, sha256:eb468058`,
			"agent.config.model: small", "agent.config.temperature: 0.7",
		},
	}
	got := map[string][]string{}
	for _, v := range s.Variants {
		for _, line := range v.Agent.Settings() {
			if strings.HasPrefix(line, "agent.config.") {
				got[v.Name] = append(got[v.Name], line)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A file with another content makes another digest; models that could stand in do not.
func TestConfigIsInTheDigest(t *testing.T) {
	s := inFolder(t, configuredSuite, configFiles())
	for name, other := range map[string]string{
		"prompt.md": "Be mean.\n", "tools.json": "[]", "context.txt": "", "graph.yaml": "- route\n",
	} {
		files := configFiles()
		files[name] = other
		if inFolder(t, configuredSuite, files).Digest() == s.Digest() {
			t.Errorf("another %s makes no other digest", name)
		}
	}
	warmer := strings.Replace(configuredSuite, "temperature: 0.7", "temperature: 0.8", 1)
	if inFolder(t, warmer, configFiles()).Digest() == s.Digest() {
		t.Error("another temperature makes no other digest")
	}
	more := strings.Replace(configuredSuite, "older: [smaller]", "older: [smaller, smallest]", 1)
	if inFolder(t, more, configFiles()).Digest() != s.Digest() {
		t.Error("models that could stand in are in the digest")
	}
}

// Every mutant of a configuration reaches the agent: read again, its files say what the mutant makes, without markers,
// and what it does not change leads where it led.
func TestMutatedAgents(t *testing.T) {
	s := inFolder(t, configuredSuite, configFiles())
	own, err := s.Agent.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	all, err := mutation.Mutants(t.Context(), own, mutation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	classes := map[mutation.Class]bool{}
	for _, m := range all {
		classes[m.Class] = true
		changed, err := m.Apply(own)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		agent, err := s.Agent.Mutated(changed, folder)
		if err != nil {
			t.Fatalf("%s: %v", m.Key, err)
		}
		files, _ := os.ReadDir(folder)
		if written := len(files); written > 1 ||
			(m.Class == mutation.ModelClass || m.Class == mutation.ResultClass) != (written == 0) {
			t.Errorf("%s writes %d files", m.Key, written)
		}
		for _, part := range agent.Config.Parts() {
			if !part.File.Asked() {
				continue
			}
			text, err := os.ReadFile(s.Resolve(part.File.File))
			if err != nil || string(text) != part.File.Text || part.Holder == "{prompt}" && filepath.IsAbs(part.File.File) &&
				mutation.HasMarkers(string(text)) {
				t.Errorf("%s: %s is %q: %v", m.Key, part.File.File, text, err)
			}
		}
		got, err := agent.Configuration()
		got.Results = changed.Results
		if err != nil || len(got.Changed(changed)) > 0 {
			t.Errorf("%s: %v\n%s", m.Key, err, mutation.Diff(changed, got))
		}
		if !cmp.Equal(agent.Wire.Faults, changed.Results) {
			t.Errorf("%s: %v", m.Key, agent.Wire.Faults)
		}
	}
	for _, c := range mutation.Classes() {
		if !classes[c] {
			t.Errorf("no mutant of class %s", c)
		}
	}
	if after, _ := s.Agent.Configuration(); len(after.Changed(own)) > 0 || s.Agent.Wire.Faults != nil {
		t.Error("the agent itself changed")
	}
}

// A model that is asked as an agent is mutated in what the suite says of it.
func TestMutatedModels(t *testing.T) {
	s := inFolder(t, `
version: 1
name: tiny
agent:
  model:
    provider: openai
    name: small
    url: http://localhost:1/v1
    system: Be kind. Never guess.
    temperature: 0.2
    tools: [{name: a, description: It does., parameters: {type: object, properties: {x: {type: string}}}, result: ok}, {name: b, result: no}]
  config: {models: {older: [smaller]}}
test: {threshold: 0.9}
limits: none
scenarios: [{name: one, input: hi}]
`, nil)
	own, err := s.Agent.Configuration()
	if err != nil {
		t.Fatal(err)
	}
	all, err := mutation.Mutants(t.Context(), own, mutation.Options{Operators: []string{"prompt", "tool", "model"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, operator := range []string{"prompt.drop", "tool.remove", "tool.parameter", "model.version",
		"model.temperature"} {
		i := slices.IndexFunc(all, func(m mutation.Mutant) bool { return m.Operator == operator })
		if i < 0 {
			t.Fatalf("no %s", operator)
		}
		changed, err := all[i].Apply(own)
		if err != nil {
			t.Fatal(err)
		}
		agent, err := s.Agent.Mutated(changed, "")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := agent.Configuration(); err != nil || len(got.Changed(changed)) > 0 {
			t.Errorf("%s: %v\n%s", operator, err, mutation.Diff(changed, got))
		}
		for _, mock := range agent.Model.Tools {
			if len(mock.Answers) != 1 {
				t.Errorf("%s: %s answers no more", operator, mock.Name)
			}
		}
	}
	if _, err := s.Agent.Mutated(mutation.Configuration{
		Prompt: own.Prompt, Tools: own.Tools, Model: own.Model, Temperature: own.Temperature,
		Results: []fault.Fault{{Kind: fault.ToolEmpty}},
	}, ""); err == nil || !strings.Contains(err.Error(), "on the wire") {
		t.Errorf("faults without a wire: %v", err)
	}
}

// A part of a configuration is a file, and the message says so.
func TestConfigTakesFiles(t *testing.T) {
	text := "version: 1\nname: x\nagent: {command: [a], config: {tools: [x]}}\nscenarios: [{name: a}]\n"
	_, err := Parse("f.yaml", []byte(text))
	want := "f.yaml:3:39: agent.config.tools must be the path of a file, not a list; " +
		"such as agent: {config: {prompt: prompt.md, tools: tools.json}}"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %s", err, want)
	}
}
