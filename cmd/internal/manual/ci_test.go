package manual

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/built"
)

// ciSuite is a suite whose agent answers as ANSWER says.
const ciSuite = `version: 1
name: coin
agent: {command: [sh, ./agent.sh], output: trial, env_allow: [ANSWER]}
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
	// In front of the programs, as a script may put another in their place.
	bin := filepath.Join(folder, "bin")
	if err := os.Mkdir(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"tribunal.yaml": ciSuite, "agent.sh": ciAgent} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(shell, "-c", script)
	command.Dir = folder
	command.Env = append([]string{
		"PATH=" + strings.Join([]string{bin, built.Folder(t), os.Getenv("PATH")}, string(os.PathListSeparator)),
		"HOME=" + folder, "LC_ALL=C.UTF-8", "SUITE=.",
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

// actionScripts are the scripts of action.yml, by the names of their steps.
func actionScripts(t *testing.T) map[string]string {
	t.Helper()
	var action struct {
		Inputs map[string]any
		Runs   struct {
			Steps []struct {
				ID, Shell, Run, Uses string
				Env, With            map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, root, "action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	scripts, all := map[string]string{}, read(t, root, "action.yml")
	reaches := map[string]bool{}
	for _, step := range action.Runs.Steps {
		if (step.Run == "") == (step.Uses == "") || step.Run != "" && step.Shell != "bash" {
			t.Errorf("the step %s runs nothing, or in another shell", step.ID)
		}
		if strings.Contains(step.Run, "${{") {
			t.Errorf("the script of %s holds an expression, which is text of it", step.ID)
		}
		for name := range action.Inputs {
			want := "${{ inputs." + name + " }}"
			reaches[name] = reaches[name] || step.Env["INPUT_"+strings.ToUpper(name)] == want || step.With["name"] == want
		}
		scripts[step.ID] = step.Run
	}
	for name := range action.Inputs {
		// What is not given to a script is a condition of a step.
		if !reaches[name] && !strings.Contains(all, "if: always() && inputs."+name) {
			t.Errorf("the input %s does not reach a step", name)
		}
	}
	return scripts
}

// actionInputs are the defaults of action.yml.
var actionInputs = []string{"INPUT_BINARY=tribunal", "INPUT_COMMAND=gate", "INPUT_SUITE=.", "INPUT_ARGS="}

func TestAction(t *testing.T) {
	t.Parallel()
	script := actionScripts(t)["run"]
	folder, out, code := recipe(t, "bash", script, actionInputs...)
	if code != 0 || strings.Contains(out, "::error") {
		t.Errorf("exit code %d: %s", code, out)
	}
	outputs := outputsOf(t, folder)
	for name, want := range map[string]string{"decision": "deploy", "verdict": "pass", "exit_code": "0", "trials": "15",
		"cost_usd": "0.15"} {
		if outputs[name] != want {
			t.Errorf("the output %s is %q; want %s", name, outputs[name], want)
		}
	}
	for name, begins := range map[string]string{"result": "{", "html": "<!doctype html>",
		"markdown": "## ✅ Deploy: coin\n"} {
		if text := read(t, outputs[name]); !strings.HasPrefix(text, begins) {
			t.Errorf("the file %s begins with %.40q", name, text)
		}
	}
	if summary := read(t, folder, "summary.md"); !strings.HasPrefix(summary, "## ✅ Deploy: coin\n") {
		t.Errorf("the summary is %s", summary)
	}

	folder, out, code = recipe(t, "bash", script, append(actionInputs, "ANSWER=tails")...)
	if code != 1 || !regexp.MustCompile(`\n::error file=[^:,]*tribunal\.yaml,line=\d+,title=heads`).MatchString(out) {
		t.Errorf("exit code %d: %s", code, out)
	}
	if outputs := outputsOf(t, folder); outputs["decision"] != "block" || outputs["verdict"] != "fail" {
		t.Errorf("the outputs are %v", outputs)
	}
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "::error::x") {
			t.Errorf("a name became a command: %s", line)
		}
	}

	folder, out, code = recipe(t, "bash", script, append(actionInputs, "INPUT_COMMAND=run",
		"INPUT_ARGS=--max-cost 0.05 --concurrency 2")...)
	if outputs := outputsOf(t, folder); code != 2 || outputs["verdict"] != "inconclusive" || outputs["decision"] != "" {
		t.Errorf("with a small budget the exit code is %d, the outputs are %v: %s", code, outputs, out)
	}
	_, out, code = recipe(t, "bash", script, append(actionInputs, "INPUT_COMMAND=verdict; true")...)
	if code != 64 || !strings.Contains(out, "::error title=tribunal::the input command is neither gate nor run") {
		t.Errorf("with another command the exit code is %d: %s", code, out)
	}
	_, out, code = recipe(t, "bash", script, append(actionInputs, "INPUT_SUITE=nowhere")...)
	if code != 65 || !strings.Contains(out, "::error title=tribunal::there is no result, the exit code is 65") {
		t.Errorf("without a suite the exit code is %d: %s", code, out)
	}
	_, _, code = recipe(t, "bash", script, append(actionInputs, "INPUT_BINARY=no-such-program")...)
	if code != 127 {
		t.Errorf("without a program the exit code is %d", code)
	}
}

// outputsOf are the outputs of a step that fit on a line.
func outputsOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	outputs := map[string]string{}
	for line := range strings.Lines(read(t, folder, "outputs")) {
		if name, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), "="); found {
			outputs[name] = value
		}
	}
	return outputs
}

// forge is a server that has the comments of one pull request, as GitHub does.
type forge struct {
	t        *testing.T
	login    string // of the token; empty for one of an app
	readOnly bool
	comments []forgeComment
	changes  int
}

type forgeComment struct {
	ID   int    `json:"id"`
	Body string `json:"body"`
	User struct {
		Login string `json:"login"`
		Type  string `json:"type"`
	} `json:"user"`
}

func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer secret" {
		f.t.Errorf("%s %s without the token", r.Method, r.URL)
	}
	answer := func(code int, x any) {
		w.WriteHeader(code)
		if err := json.NewEncoder(w).Encode(x); err != nil {
			f.t.Error(err)
		}
	}
	var sent struct {
		Body string `json:"body"`
	}
	if r.Method != http.MethodGet {
		if f.readOnly {
			answer(http.StatusForbidden, map[string]string{"message": "Resource not accessible by integration"})
			return
		}
		f.changes++
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			f.t.Error(err)
		}
	}
	switch path := r.Method + " " + r.URL.Path; {
	case path == "GET /user" && f.login == "":
		answer(http.StatusForbidden, map[string]string{"message": "Resource not accessible by integration"})
	case path == "GET /user":
		answer(http.StatusOK, map[string]string{"login": f.login})
	case path == "GET /repos/o/r/issues/7/comments":
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			f.t.Error(err)
		}
		from := min((page-1)*100, len(f.comments))
		answer(http.StatusOK, append([]forgeComment{}, f.comments[from:min(from+100, len(f.comments))]...))
	case path == "POST /repos/o/r/issues/7/comments":
		f.add(sent.Body, f.login)
		answer(http.StatusCreated, f.comments[len(f.comments)-1])
	case strings.HasPrefix(path, "PATCH /repos/o/r/issues/comments/"):
		for i := range f.comments {
			if fmt.Sprint(f.comments[i].ID) == r.URL.Path[len("/repos/o/r/issues/comments/"):] {
				f.comments[i].Body = sent.Body
				answer(http.StatusOK, f.comments[i])
				return
			}
		}
		answer(http.StatusNotFound, nil)
	default:
		f.t.Errorf("unexpected: %s", path)
		answer(http.StatusNotFound, nil)
	}
}

// add has a comment of a user, or of an app where it has no name.
func (f *forge) add(body, login string) {
	c := forgeComment{ID: 100 + len(f.comments), Body: body}
	c.User.Login, c.User.Type = login, "User"
	if login == "" {
		c.User.Login, c.User.Type = "github-actions[bot]", "Bot"
	}
	f.comments = append(f.comments, c)
}

// The report is one comment: the first run writes it, the next one changes it, and nobody
// else's is touched.
func TestActionComments(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"curl", "jq", "sha256sum"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	script := actionScripts(t)["comment"]
	for _, login := range []string{"", "somebody"} {
		f := &forge{t: t, login: login}
		server := httptest.NewServer(f)
		defer server.Close()
		comment := func(text, suite string) string {
			file := filepath.Join(t.TempDir(), "comment.md")
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			command := exec.Command("bash", "-c", script)
			command.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "GITHUB_API_URL=" + server.URL,
				"GITHUB_REPOSITORY=o/r", "PULL_REQUEST=7", "MARKDOWN=" + file, "INPUT_COMMAND=gate", "INPUT_ID=",
				"INPUT_SUITE=" + suite, "INPUT_TOKEN=secret", "NO_PROXY=*"}
			out, err := command.CombinedOutput()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			if files, err := os.ReadDir(filepath.Dir(file)); err != nil || slices.ContainsFunc(files,
				func(f os.DirEntry) bool { return f.Name() == "headers" }) {
				t.Errorf("the token is left in a file: %v %v", files, err)
			}
			return string(out)
		}
		for range 120 { // more than one page
			f.add("well done", "reader")
		}
		comment("## block \"a\"\n$(exit) <!-- é -->", "shop -->")
		first := f.comments[len(f.comments)-1].Body
		mark, text, _ := strings.Cut(first, "\n")
		if len(f.comments) != 121 || text != "## block \"a\"\n$(exit) <!-- é -->" || strings.Count(mark, "-->") != 1 {
			t.Fatalf("%d comments, the last is %q", len(f.comments), first)
		}
		comment("## deploy", "shop -->")
		if len(f.comments) != 121 || f.comments[120].Body != mark+"\n## deploy" {
			t.Errorf("%d comments, the last is %q", len(f.comments), f.comments[len(f.comments)-1].Body)
		}
		comment("## manual", "another")
		if len(f.comments) != 122 || strings.HasPrefix(f.comments[121].Body, mark) {
			t.Errorf("%d comments, the last is %q", len(f.comments), f.comments[len(f.comments)-1].Body)
		}
		// Somebody else knows the mark.
		f.comments[120].User.Login, f.comments[120].User.Type = "reader", "User"
		comment("## block", "shop -->")
		if len(f.comments) != 123 || f.comments[120].Body != mark+"\n## deploy" {
			t.Errorf("%d comments, that of somebody else is %q", len(f.comments), f.comments[120].Body)
		}
		f.readOnly = true
		before := f.changes
		if out := comment("## block", "shop -->"); f.changes != before || !strings.HasPrefix(out, "::warning") &&
			!strings.Contains(out, "\n::warning") {
			t.Errorf("with a token that may only read: %s", out)
		}
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

// crash takes the place of the program, and ends as Go's runtime does where the system gives it no memory.
const crash = "printf '#!/bin/sh\\nexit 2\\n' > bin/tribunal; chmod +x bin/tribunal; echo old > result.json\n"

// A code of a verdict without a result is none, also where an earlier run left one.
func TestNoVerdictWithoutResult(t *testing.T) {
	t.Parallel()
	var jobs map[string]struct{ Script []string }
	page := read(t, root, "docs", "ci.md")
	if err := yaml.Unmarshal([]byte(fenced(t, page, "GitLab", "yaml")), &jobs); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		shell, script string
		environment   []string
	}{
		"action": {"bash", actionScripts(t)["run"], actionInputs},
		"GitLab": {"sh", strings.Join(jobs["agent"].Script, "\n"), nil},
		"shell":  {"sh", fenced(t, page, "Any shell", "sh"), nil},
		"gate":   {"sh", fenced(t, page, "A gate", "sh"), nil},
	} {
		if _, out, code := recipe(t, c.shell, crash+c.script, c.environment...); code != 70 {
			t.Errorf("%s: exit code %d: %s", name, code, out)
		}
	}
}

// gitLabJob is the job for GitLab in the manual: its script, and what runs after it.
func gitLabJob(t *testing.T) (script, after string) {
	t.Helper()
	var jobs map[string]struct {
		Script []string
		After  []string `yaml:"after_script"`
	}
	if err := yaml.Unmarshal([]byte(fenced(t, read(t, root, "docs", "ci.md"), "GitLab", "yaml")), &jobs); err != nil {
		t.Fatal(err)
	}
	return strings.Join(jobs["agent"].Script, "\n"), strings.Join(jobs["agent"].After, "\n")
}

func TestGitLabRecipe(t *testing.T) {
	t.Parallel()
	script, _ := gitLabJob(t)
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

// gitLab is a server that has the notes of one merge request. The token is that of the user 1.
type gitLab struct {
	t     *testing.T
	notes []gitLabNote
}

type gitLabNote struct {
	ID     int    `json:"id"`
	Body   string `json:"body"`
	Author struct {
		ID int `json:"id"`
	} `json:"author"`
}

func (g *gitLab) add(author int, body string) *gitLabNote {
	n := gitLabNote{ID: 100 + len(g.notes), Body: body}
	n.Author.ID = author
	g.notes = append(g.notes, n)
	return &g.notes[len(g.notes)-1]
}

func (g *gitLab) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("PRIVATE-TOKEN") != "secret" {
		g.t.Errorf("%s %s without the token", r.Method, r.URL)
	}
	var sent struct{ Body string }
	if r.Method != http.MethodGet {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			g.t.Error(err)
		}
	}
	const notes = "/projects/5/merge_requests/7/notes"
	var answer any
	switch path := r.Method + " " + r.URL.Path; {
	case path == "GET /user":
		answer = map[string]int{"id": 1}
	case path == "GET "+notes:
		page, err := strconv.Atoi(r.URL.Query().Get("page"))
		if err != nil {
			g.t.Error(err)
		}
		from := min((page-1)*100, len(g.notes))
		answer = append([]gitLabNote{}, g.notes[from:min(from+100, len(g.notes))]...)
	case path == "POST "+notes:
		answer = g.add(1, sent.Body)
	case strings.HasPrefix(path, "PUT "+notes+"/"):
		i := slices.IndexFunc(g.notes, func(n gitLabNote) bool { return strings.HasSuffix(path, fmt.Sprint("/", n.ID)) })
		if i < 0 || g.notes[i].Author.ID != 1 {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		g.notes[i].Body = sent.Body
		answer = g.notes[i]
	default:
		g.t.Errorf("unexpected: %s", path)
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		g.t.Error(err)
	}
}

// The report is one note: the first run writes it, the next one changes it, and nobody else's is touched.
func TestGitLabNote(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"curl", "jq"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	g := &gitLab{t: t}
	server := httptest.NewServer(g)
	defer server.Close()
	script, after := gitLabJob(t)
	run := func(environment ...string) string {
		t.Helper()
		_, out, code := recipe(t, "sh", "(\n"+script+"\n)\n"+after, append([]string{"GITLAB_TOKEN=secret", "NO_PROXY=*",
			"CI_MERGE_REQUEST_IID=7", "CI_PROJECT_ID=5", "CI_API_V4_URL=" + server.URL, "CI_JOB_NAME_SLUG=agent"},
			environment...)...)
		if code != 0 {
			t.Errorf("exit code %d: %s", code, out)
		}
		return out
	}
	const mark = "<!-- tribunal agent -->\n"
	g.add(2, mark+"of somebody else who knows the mark")
	for range 120 { // more than one page
		g.add(1, "well done")
	}
	check := func(want ...string) {
		t.Helper()
		if len(g.notes) != 121+len(want) || g.notes[0].Body != mark+"of somebody else who knows the mark" {
			t.Fatalf("%d notes, the first is %q", len(g.notes), g.notes[0].Body)
		}
		for i, begin := range want {
			if body := g.notes[121+i].Body; !strings.HasPrefix(body, begin) {
				t.Errorf("the note begins with %.80q; want %q", body, begin)
			}
		}
	}
	run()
	check(mark + "## ✅ Pass: coin\n")
	run("ANSWER=tails")
	check(mark + "## ❌ Fail: coin\n")
	run("CI_JOB_NAME_SLUG=another")
	check(mark+"## ❌ Fail: coin\n", "<!-- tribunal another -->\n## ✅ Pass: coin\n")
	for _, missing := range []string{"GITLAB_TOKEN=", "CI_MERGE_REQUEST_IID=", "SUITE=nowhere"} {
		if out := run(missing); !strings.HasSuffix(out, "no note: it requires GITLAB_TOKEN, a merge request and a result\n") {
			t.Errorf("%s: %s", missing, out)
		}
	}
	check(mark+"## ❌ Fail: coin\n", "<!-- tribunal another -->\n## ✅ Pass: coin\n")
}

func TestShellRecipe(t *testing.T) {
	t.Parallel()
	script := fenced(t, read(t, root, "docs", "ci.md"), "Any shell", "sh")
	for _, c := range []struct {
		environment, said string
		code              int
	}{{"ANSWER=heads", "deploy", 0}, {"ANSWER=tails", "block", 1}, {"TRIBUNAL_MAX_COST=0.05", "review", 2},
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

// What a pipeline puts into the text of a script is run as a part of it: a branch or a scenario may be named
// so. Values reach scripts as variables.
func TestScriptsOfPipelinesHoldNoValues(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range append(files, filepath.Join(root, "action.yml")) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		documents := []string{string(text)}
		if strings.HasSuffix(file, ".md") {
			documents = nil
			for _, block := range strings.Split(string(text), "\n```yaml\n")[1:] {
				documents = append(documents, strings.SplitN(block, "\n```", 2)[0])
			}
		}
		for _, document := range documents {
			var node yaml.Node
			if err := yaml.Unmarshal([]byte(document), &node); err != nil {
				continue // blocks of several alternatives are no documents
			}
			for _, script := range scriptsIn(&node) {
				if strings.Contains(script.Value, "${{") {
					t.Errorf("%s: a script takes a value by substitution: %s", filepath.Base(file), script.Value)
				}
			}
		}
	}
	var node yaml.Node
	if err := yaml.Unmarshal([]byte("steps: [{run: 'echo ${{ inputs.suite }}'}]"), &node); err != nil {
		t.Fatal(err)
	}
	if scripts := scriptsIn(&node); len(scripts) != 1 {
		t.Errorf("%d scripts are found", len(scripts))
	}
}

// scriptsIn are the scripts of the steps of a pipeline.
func scriptsIn(n *yaml.Node) (scripts []*yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 {
			switch n.Content[i-1].Value {
			case "run", "script", "before_script", "after_script":
				if child.Kind == yaml.ScalarNode {
					scripts = append(scripts, child)
				} else {
					scripts = append(scripts, child.Content...)
				}
			}
		}
		scripts = append(scripts, scriptsIn(child)...)
	}
	return scripts
}

func TestGateRecipe(t *testing.T) {
	t.Parallel()
	script := fenced(t, read(t, root, "docs", "ci.md"), "A gate", "sh")
	for _, c := range []struct {
		environment, said string
		code              int
	}{{"ANSWER=heads", "deploy", 0}, {"ANSWER=tails", "block", 1}, {"SUITE=nowhere", "no decision: exit code 65", 65}} {
		folder, out, code := recipe(t, "sh", script, c.environment)
		if code != c.code || !strings.HasSuffix(strings.TrimSpace(out), c.said) {
			t.Errorf("%s: exit code %d: %s", c.environment, code, out)
		}
		if code >= 64 {
			continue
		}
		if failed := strings.Contains(read(t, folder, "gate.xml"), "<failure"); failed != (code == 1) {
			t.Errorf("%s: there is a failure: %t", c.environment, failed)
		}
		if !strings.HasPrefix(read(t, folder, "gate.html"), "<!doctype html>") ||
			!strings.HasPrefix(read(t, folder, "gate.md"), "## ") {
			t.Errorf("%s: the reports are none", c.environment)
		}
	}
}

// Jobs that the manual shows name inputs and outputs that the action has.
func TestJobsOfTheManualFitTheAction(t *testing.T) {
	var action struct{ Inputs, Outputs map[string]any }
	if err := yaml.Unmarshal([]byte(read(t, root, "action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	for page, heading := range map[string]string{"ci.md": "GitHub Actions", "tutorial.md": "7. In GitHub Actions"} {
		text := fenced(t, read(t, root, "docs", page), heading, "yaml")
		var workflow struct {
			Jobs map[string]struct {
				Steps []struct {
					Uses string
					With map[string]any
				}
			}
		}
		if err := yaml.Unmarshal([]byte(text), &workflow); err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		used := false
		for _, job := range workflow.Jobs {
			for _, step := range job.Steps {
				if step.Uses != "./tribunal-source" {
					continue
				}
				used = true
				for name := range step.With {
					if _, ok := action.Inputs[name]; !ok {
						t.Errorf("%s: the action has no input %q", page, name)
					}
				}
			}
		}
		if !used {
			t.Errorf("%s: no step uses the action", page)
		}
		for _, output := range regexp.MustCompile(`steps\.tribunal\.outputs\.(\w+)`).FindAllStringSubmatch(text, -1) {
			if _, ok := action.Outputs[output[1]]; !ok {
				t.Errorf("%s: the action has no output %q", page, output[1])
			}
		}
	}
}
