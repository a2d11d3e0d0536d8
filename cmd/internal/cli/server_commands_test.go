package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// serverCommands are what build servers take for commands in the output of a program: Azure Pipelines anywhere in a
// line, TeamCity and GitHub Actions at its start.
var serverCommands = []string{"##vso[task.setvariable x]y", "##[error]x", "##teamcity[testFailed x]", "::error::x"}

// beginsCommand reports whether a line of an output is one.
func beginsCommand(line string) bool {
	line = strings.TrimLeft(line, " \t")
	return strings.Contains(line, "##vso[") || strings.Contains(line, "##[") || strings.Contains(line, "##teamcity[") ||
		strings.HasPrefix(line, "::error")
}

// What an agent wrote gives no commands to a build server, whoever prints it; and a reader of JSON gets the same
// words back.
func TestServerCommands(t *testing.T) {
	t.Chdir(t.TempDir())
	var lines bytes.Buffer
	for i, name := range serverCommands {
		for trial, outcome := range []string{"pass", "fail", "pass", "pass"} {
			fmt.Fprintf(&lines, `{"scenario":%q,"trial":%d,"outcome":%q,"variant":%[1]q,"input":%[1]q,"output":"a\n%[4]s",`+
				`"tags":{"k":%[1]q},"steps":[{"action":"call_tool","tool":%[1]q,"output":%[1]q,"error":%[1]q}]}`+"\n",
				name, trial+4*i, outcome, name)
		}
	}
	one := bytes.Split(lines.Bytes(), []byte("\n"))
	write(t, "v.jsonl", append(bytes.Join(one[:4], []byte("\n")), '\n'))
	write(t, "all.jsonl", withoutVariants(lines.Bytes()))
	write(t, "bad.jsonl", []byte(`{"scenario":"a","outcome":"##vso[x]"}`+"\n"))
	// What a suite, a contract and their results name is theirs as well.
	suite := "version: 1\nname: s\nlimits: none\nagent: {command: [sh, ./a.sh], output: trial}\n" +
		"test: {threshold: 0.6, delta: 0.5, alpha: 0.4, beta: 0.4}\nscenarios:\n"
	contract := "version: 1\nname: '##[error]c'\nclauses:\n"
	for _, name := range serverCommands {
		suite += fmt.Sprintf("  - {name: %q, trials: 2, tags: [%[1]q]}\n", name)
		contract += fmt.Sprintf("  - {name: %q, kind: guardrail, forbid: {tools: %[1]q}}\n", name)
	}
	write(t, "suite.yaml", []byte(suite))
	write(t, "contract.yaml", []byte(contract))
	write(t, "a.sh", []byte(`echo '{"outcome":"fail","error":{"type":"##[x]","message":"::error::x"},"output":"##vso[x]y\n::error::x",`+
		`"cost_usd":1,"steps":[{"action":"call_tool","tool":"##vso[x]"}]}'; echo '::error::x
##[error]x' >&2; exit 3`))
	write(t, "other.json", []byte(`{"##vso[x]":1,"::error::x":2}`))
	for _, command := range []string{
		"import all.jsonl", "import v.jsonl", "verdict all.jsonl --threshold 0.5 --json", "verdict all.jsonl --threshold 0.5",
		"verdict all.jsonl --threshold 0.5 --by scenario --json", "verdict all.jsonl --threshold 0.9 --sequential --json",
		"compare all.jsonl all.jsonl --json --allow-duplicates", "fingerprint all.jsonl --json",
		"fingerprint all.jsonl --csv",
		"fingerprint all.jsonl", "import bad.jsonl", "verdict bad.jsonl --threshold 0.5 --json", "import other.json",
		"import ::error::x", "import ##vso[x]", "##vso[x]", "import --##vso[x]", "report ##[error]x",
		"verdict v.jsonl --threshold 0.5 --variant ##vso[x]",
		"check suite.yaml --json", "check suite.yaml", "run suite.yaml --json --fresh", "run suite.yaml --fresh",
		"run suite.yaml --only ##vso[x]", "run suite.yaml --tag ::error::x --fresh", "try --suite suite.yaml ##[error]x",
		"try --suite suite.yaml ::error::x --json", "try --suite suite.yaml ##vso[x]", "gate suite.yaml --json --fresh",
		"gate suite.yaml --results .tribunal/s.result.json --explain",
		"gate suite.yaml --results .tribunal/s.result.json --json",
		"verify .tribunal/s.gate.json", "verify .tribunal/s.result.json", "report .tribunal/s.result.json --format json",
		"report .tribunal/s.result.json --format text", "report .tribunal/s.result.json --format gotest",
		"report .tribunal/s.result.json --format junit", "report .tribunal/s.result.json --format markdown",
		"forecast .tribunal/s.result.json --runs-per-day 5 --json", "forecast all.jsonl --runs-per-day 5 --json",
		"plan --prior all.jsonl --threshold 0.5 --delta 0.4 --json", "plan --baseline .tribunal/s.result.json --delta 0.4",
		"plan --prior ::error::x --threshold 0.5",
		"contract check contract.yaml all.jsonl --json", "contract check contract.yaml all.jsonl",
		"coverage all.jsonl --json --suite suite.yaml", "coverage all.jsonl",
	} {
		var out, said bytes.Buffer
		app := App{Stdout: &out, Stderr: &said, Version: "v1"}
		code := app.Run(t.Context(), strings.Fields(command))
		for _, line := range strings.Split(out.String()+"\n"+said.String(), "\n") {
			if beginsCommand(line) {
				t.Errorf("%s: %q", command, line)
			}
		}
		if code == 70 || code == 64 && strings.Contains(command, ".jsonl --") && !strings.Contains(command, "--variant") {
			t.Errorf("%s: exit code %d: %s", command, code, said.String())
		}
		if !strings.Contains(command, "--json") || out.Len() == 0 {
			continue
		}
		var document any
		if err := json.Unmarshal(out.Bytes(), &document); err != nil {
			t.Errorf("%s: %v", command, err)
		}
		names := func(part string) bool { return strings.Contains(command, part) }
		if names("--by scenario") || names("run suite") || names("gate suite") || names("check suite") ||
			names("contract check") {
			for _, name := range serverCommands {
				if !strings.Contains(fmt.Sprint(document), name) {
					t.Errorf("%s: %q is another text", command, name)
				}
			}
		}
	}
}

// withoutVariants takes the variants away: trials of one agent.
func withoutVariants(text []byte) []byte {
	for _, name := range serverCommands {
		text = bytes.ReplaceAll(text, fmt.Appendf(nil, `"variant":%q,`, name), nil)
	}
	return text
}
