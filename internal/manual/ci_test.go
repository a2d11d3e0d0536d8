package manual

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// ciSuite is a suite whose agent answers as ANSWER says.
const ciSuite = `version: 1
name: coin
agent: {command: [sh, ./agent.sh], output: trial}
test: {threshold: 0.9, delta: 0.1, alpha: 0.05, beta: 0.1, max_trials: 152}
limits: {max_turns: 5, max_cost_usd: 0.10}
scenarios:
  - name: "heads ::error::x"
    input: {toss: 1}
    evaluate: [{contains: heads}]
`

const ciAgent = `cat >/dev/null
echo '{"steps":[{"action":"respond"}],"cost_usd":0.01,"output":"'"${ANSWER:-heads}"'"}'
`

// recipe runs a script of a pipeline in a folder with the suite, and returns its exit
// code and what it prints.
func recipe(t *testing.T, shell, script string, environment ...string) (folder, out string, code int) {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("%s is not installed", shell)
	}
	folder = t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(folder, "bin", "tribunal"), "./cmd/tribunal")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for name, content := range map[string]string{"tribunal.yaml": ciSuite, "agent.sh": ciAgent} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(shell, "-c", script)
	command.Dir = folder
	command.Env = append([]string{
		"PATH=" + filepath.Join(folder,
			"bin") + string(os.PathListSeparator) + os.Getenv("PATH"), "HOME=" + folder, "LC_ALL=C.UTF-8", "SUITE=.",
		"CI=true",
		"RUNNER_TEMP=" + folder, "GITHUB_STEP_SUMMARY=" + filepath.Join(folder,
			"summary.md"), "GITHUB_OUTPUT=" + filepath.Join(folder, "outputs"),
	}, environment...)
	text, err := command.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); ok {
		code = exit.ExitCode()
	} else if err != nil {
		t.Fatal(err)
	}
	return folder, string(text), code
}

func read(t *testing.T, name ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(name...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// actionScript is the one script of action.yml.
func actionScript(t *testing.T) string {
	t.Helper()
	var action struct {
		Inputs map[string]any
		Runs   struct {
			Steps []struct {
				Shell, Run string
				Env        map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, root, "action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	if len(action.Runs.Steps) != 1 || action.Runs.Steps[0].Shell != "bash" {
		t.Fatal("action.yml has another number of steps, or another shell")
	}
	step := action.Runs.Steps[0]
	for name := range action.Inputs {
		if want := "${{ inputs." + name + " }}"; step.Env["INPUT_"+strings.ToUpper(name)] != want {
			t.Errorf("the input %s does not reach the script", name)
		}
	}
	if strings.Contains(step.Run, "${{") {
		t.Error("the script holds an expression, which is text of it")
	}
	return step.Run
}

func TestAction(t *testing.T) {
	script := actionScript(t)
	inputs := []string{"INPUT_BINARY=tribunal", "INPUT_SUITE=.", "INPUT_ARGS="}
	folder, out, code := recipe(t, "bash", script, inputs...)
	if code != 0 || strings.Contains(out, "::error") {
		t.Errorf("exit code %d: %s", code, out)
	}
	for _, line := range []string{"verdict=pass", "exit_code=0", "trials=15", "cost_usd=0.15", "result=" + folder} {
		if outputs := read(t, folder, "outputs"); !strings.Contains("\n"+outputs, "\n"+line) {
			t.Errorf("%s is not in the outputs:\n%s", line, outputs)
		}
	}
	if summary := read(t, folder, "summary.md"); !strings.HasPrefix(summary, "## ✅ Pass: coin\n") {
		t.Errorf("the summary is %s", summary)
	}

	folder, out, code = recipe(t, "bash", script, append(inputs, "ANSWER=tails")...)
	if code != 1 || !strings.Contains(out, "\n::error title=heads \\x3a%3Aerror") && !strings.Contains(out,
		"\n::error title=heads") {
		t.Errorf("exit code %d: %s", code, out)
	}
	if outputs := read(t, folder, "outputs"); !strings.Contains(outputs, "verdict=fail\nexit_code=1\n") {
		t.Errorf("the outputs are %s", outputs)
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "::error::x") {
			t.Errorf("a name became a command: %s", line)
		}
	}

	_, out, code = recipe(t, "bash", script, "INPUT_BINARY=tribunal", "INPUT_SUITE=.",
		"INPUT_ARGS=--max-cost 0.05 --concurrency 2")
	if code != 2 {
		t.Errorf("with a small budget the exit code is %d: %s", code, out)
	}
	_, out, code = recipe(t, "bash", script, "INPUT_BINARY=tribunal", "INPUT_SUITE=nowhere", "INPUT_ARGS=")
	if code != 65 || !strings.Contains(out, "::error title=tribunal::there is no result, the exit code is 65") {
		t.Errorf("without a suite the exit code is %d: %s", code, out)
	}
	_, _, code = recipe(t, "bash", script, "INPUT_BINARY=no-such-program", "INPUT_SUITE=.", "INPUT_ARGS=")
	if code != 127 {
		t.Errorf("without a program the exit code is %d", code)
	}
}

// fenced returns the code block of a page with the language that follows a heading.
func fenced(t *testing.T, page, heading, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, "\n## "+heading+"\n")
	_, rest, opened := strings.Cut(rest, "\n```"+language+"\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	if !found || !opened || !closed {
		t.Fatalf("no block of %s follows %q", language, heading)
	}
	return block
}

func TestGitLabRecipe(t *testing.T) {
	var jobs map[string]struct {
		Script []string
	}
	if err := yaml.Unmarshal([]byte(fenced(t, read(t, root, "docs", "ci.md"), "GitLab", "yaml")), &jobs); err != nil {
		t.Fatal(err)
	}
	script := strings.Join(jobs["agent"].Script, "\n")
	for answer, want := range map[string]int{"heads": 0, "tails": 1} {
		folder, out, code := recipe(t, "sh", script, "ANSWER="+answer)
		if code != want {
			t.Errorf("%s: exit code %d: %s", answer, code, out)
		}
		if failed := strings.Contains(read(t, folder, "junit.xml"), "<failure"); failed != (want == 1) {
			t.Errorf("%s: there is a failure: %t", answer, failed)
		}
		if !strings.HasPrefix(read(t, folder, "report.html"), "<!doctype html>") {
			t.Error("the page is none")
		}
	}
}

func TestShellRecipe(t *testing.T) {
	script := fenced(t, read(t, root, "docs", "ci.md"), "Any shell", "sh")
	for _, c := range []struct {
		environment, said string
		code              int
	}{{"ANSWER=heads", "deploy", 0}, {"ANSWER=tails", "block", 1}, {"TRIBUNAL_MAX_COST=0.05", "ask a person", 2},
		{"SUITE=nowhere", "no verdict: exit code 65", 65}} {
		folder, out, code := recipe(t, "sh", script, c.environment)
		if code != c.code || !strings.HasSuffix(strings.TrimSpace(out), c.said) {
			t.Errorf("%s: exit code %d: %s", c.environment, code, out)
		}
		if code < 64 && !strings.HasPrefix(read(t, folder, "comment.md"), "## ") {
			t.Errorf("%s: there is no comment", c.environment)
		}
	}
}
