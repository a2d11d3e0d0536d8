package seams_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli"
	"github.com/tribunal-dev/tribunal/cmd/internal/cli/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m) }

// commandOutput is what a command came to.
type commandOutput struct {
	code           int
	stdout, stderr string
}

// tribunal runs a command in this process.
func tribunal(ctx context.Context, stdin string, args ...string) commandOutput {
	var out, err bytes.Buffer
	app := cli.App{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &err, Env: func(name string) (string, bool) {
		if name == "PATH" || name == "HOME" {
			return os.LookupEnv(name)
		}
		return "", false
	}, Version: "seams"}
	code := app.Run(ctx, args)
	return commandOutput{code, out.String(), err.String()}
}

// agent answers good or bad as it is asked to, and counts what it answered: that is known without the product.
type agent struct {
	mu       sync.Mutex
	answered map[string][2]int // by scenario: good and bad
	most     int               // after so many answers it ends the command; 0 is never
	end      func()
}

func (a *agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Say, Scenario, Variant string
		Trial                  int
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	say := asked.Say
	if say == "half" {
		say = []string{"good", "bad"}[asked.Trial%2]
	}
	if asked.Variant == "never" {
		say = "bad"
	}
	a.mu.Lock()
	n := a.answered[asked.Scenario]
	if say == "good" {
		n[0]++
	} else {
		n[1]++
	}
	a.answered[asked.Scenario] = n
	a.most--
	last := a.most == 0
	a.mu.Unlock()
	if last {
		a.end()
		<-r.Context().Done() // nobody hears it
		return
	}
	fmt.Fprintf(w, `{"out":%q,"usd":0.001}`, say)
}

// forget begins to count anew.
func (a *agent) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.answered, a.most = map[string][2]int{}, 0
}

// counts are what was answered since.
func (a *agent) counts() map[string][2]int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.answered)
}

// suiteOf is a suite of the agent with scenarios NAME=SAY.
func suiteOf(url, name, more string, scenarios ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: %s\nlimits: none\nconcurrency: 1\nagent:\n  http:\n    url: %s\n"+
		"    body: {say: \"{input.say}\", scenario: \"{scenario}\", trial: \"{trial}\", variant: \"{variant}\"}\n"+
		"    response: {output: out, cost_usd: usd}\n%sscenarios:\n", name, url, more)
	for _, s := range scenarios {
		name, say, _ := strings.Cut(s, "=")
		fmt.Fprintf(&b, "  - {name: %s, input: {say: %s, note: Some Words}, evaluate: [contains: good]}\n", name, say)
	}
	return b.String()
}

// recorded are trials of scenarios a and b, n of each, of which the first of every ten fail.
func recorded(n, fails int) string {
	var b strings.Builder
	for i := range n {
		for _, scenario := range []string{"a", "b"} {
			outcome := "pass"
			if i%10 < fails {
				outcome = "fail"
			}
			fmt.Fprintf(&b, `{"scenario":%q,"trial":%d,"outcome":%q,"input":{"say":"good"},"output":"%s %d","cost_usd":%g,`+
				`"input_tokens":%d,"output_tokens":%d,"duration_s":1,"steps":[{"action":"call_tool","tool":"t%d"},`+
				`{"action":"respond"}]}`+"\n",
				scenario, i, outcome,
				map[string]string{"pass": "good", "fail": "bad"}[outcome], i, .01+.001*float64(i%3), 100+7*(i%5), 10+i%7, i%2)
		}
	}
	return b.String()
}

const tested = "test: {threshold: 0.8, delta: 0.4}\n"

// write writes a file of the folder.
func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestSeams makes everything in one folder, once.
func TestSeams(t *testing.T) {
	t.Chdir(t.TempDir())
	tried := &agent{answered: map[string][2]int{}}
	server := httptest.NewServer(tried)
	t.Cleanup(server.Close)
	url := server.URL
	for name, text := range map[string]string{
		"tribunal.yaml": suiteOf(url, "shop", tested+"relations: [{name: twice, kind: noise-robustness, on: input.note, "+
			"with: {noise: [case]}, delta: 0.4}]\ncoverage: {tools: [t0, t1]}\n", "a=good", "b=good"),
		"fails.yaml": suiteOf(url, "fails", tested, "a=good", "b=bad"),
		"open.yaml":  suiteOf(url, "open", "test: {threshold: 0.7, delta: 0.4, max_trials: 8}\n", "a=half", "b=half"),
		"wald.yaml": suiteOf(url, "wald", "test: {threshold: 0.7, delta: 0.4, max_trials: 8, design: wald}\n",
			"a=half", "b=half"),
		"race.yaml": suiteOf(url, "race", "test: {threshold: 0.8}\nvariants: [{name: never}]\n", "a=good"),
		"ratchet.yaml": suiteOf(url, "ratchet", "test: {threshold: 0.8}\nvariants: "+
			"[{name: usual, timeout: 20s}, {name: never}]\n",
			"a=good"),
		"mutate.yaml": "version: 1\nname: mutate\nlimits: none\nagent: {command: [echo, good], " +
			"output: text, config: {prompt: prompt.md}}\n" +
			tested + "scenarios: [{name: a, input: 1, evaluate: [contains: good]}]\n",
		"prompt.md": "- Look it up.\n- Say good.\n",
		"plain.yaml": "version: 1\nname: plain\nlimits: none\nagent: {command: [never-run]}\n" +
			"test: {threshold: 0.8, delta: 0.1, by: suite, collapse: none}\nscenarios: [{name: a, input: 1}, {name: b, input: 1}]\n",
		"corpus/tribunal.yaml":          strings.SplitN(suiteOf(url, "corpus", tested), "scenarios:", 2)[0],
		"corpus/conformance/first.yaml": "input: {say: good}\nevaluate: [contains: good]\n",
		"contract.yaml": "version: 1\nname: c\nclauses:\n" +
			"  - {name: no x, kind: guardrail, forbid: {tools: x}}\n",
		"main.jsonl": recorded(40, 1), "worse.jsonl": recorded(40, 7), "long.jsonl": recorded(120, 1),
	} {
		write(t, name, text)
	}
	write(t, "better.jsonl", recorded(40, 0))
	write(t, "scored.jsonl", strings.Repeat(`{"scenario":"a","score":0.75}`+"\n"+`{"scenario":"b","score":1}`+"\n", 40))
	write(t, "strange.jsonl", recorded(40, 1)+strings.Repeat(`{"scenario":"c","trial":0,"outcome":"pass"}`+"\n", 1))
	all := rows()
	for _, r := range all {
		r.make(t, tried)
	}
	for _, test := range []struct {
		name string
		run  func(*testing.T, *agent, []*row)
	}{
		{"every kind and command is in the matrix", everyKindAndCommand}, {"figures are known", figuresAreKnown},
		{"every document before every reader", everyDocumentBeforeEveryReader},
		{"gate deploys only what answers the suite", gateDeploysOnlyAnswers},
		{"every run before every reader of a store", everyRunBeforeEveryReader},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, tried, all) })
	}
}
