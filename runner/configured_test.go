package runner

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/suite"
)

// An agent gets paths of its files and the name of its model in arguments and variables; of a prompt with markers it
// gets a copy without, which is gone when the agent is closed.
func TestAgentIsConfigured(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the agent needs a shell")
	}
	folder := t.TempDir()
	for name, text := range map[string]string{
		"prompt.md": "Be kind.\n[[mutate]]\nNever guess.\n[[/mutate]]\n", "tools.json": `[{"name":"a"}]`,
		"context.txt": "one",
		"agent.sh": `for f in "${1#--prompt=}" "$2" "$4"; do cat "$f"; echo "|"; done; echo "$3"
[ "$1" = "--prompt=$TRIBUNAL_PROMPT" ] && [ "$2" = "$TRIBUNAL_TOOLS" ] && [ "$3" = "$TRIBUNAL_MODEL" ] &&
[ "$4" = "$TRIBUNAL_CONTEXT" ] && echo "$TRIBUNAL_PROMPT"`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := suite.Parse(filepath.Join(folder, suite.FileName), []byte(`
version: 1
name: tiny
agent:
  command: [sh, agent.sh, "--prompt={prompt}", "{tools}", "{model}", "{context}"]
  output: text
  config: {prompt: prompt.md, tools: tools.json, model: small, context: context.txt}
test: {threshold: 0.9}
limits: none
scenarios: [{name: one}]
`))
	if err != nil {
		t.Fatal(err)
	}
	agent, err := commandAgent(s, s.Agent, "agent")
	if err != nil {
		t.Fatal(err)
	}
	var copies []string
	for i := range 2 {
		attempt := agent.Run(context.Background(), Request{Scenario: "one", Trial: i})
		if attempt.Err != nil {
			t.Fatal(attempt.Err)
		}
		text, path, ok := strings.Cut(attempt.Trial.Output.Text(), "small\n")
		if want := "Be kind.\nNever guess.\n|\n" + `[{"name":"a"}]|` + "\none|\n"; !ok || text != want {
			t.Errorf("the agent saw %q", attempt.Trial.Output.Text())
		}
		copies = append(copies, path)
	}
	if _, err := os.Stat(copies[0]); err != nil || copies[0] != copies[1] || strings.HasPrefix(copies[0], folder) {
		t.Errorf("copies are %q: %v", copies, err)
	}
	agent.(Closer).Close()
	if _, err := os.Stat(copies[0]); !os.IsNotExist(err) {
		t.Errorf("%s is still there: %v", copies[0], err)
	}
	var files []string
	for _, p := range programsOf(s, nil) {
		files = append(files, p.File)
	}
	if diff := cmp.Diff([]string{"sh", "agent.sh", "prompt.md", "tools.json", "context.txt"}, files); diff != "" {
		t.Errorf("the journal watches:\n%s", diff)
	}
}
