package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/built"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire"
)

// figures are what an agent says that it took.
type figures struct {
	Turns, ToolCalls                 int
	Input, Output, Cached, Reasoning int64
	Written                          trial.Optional[int64] // unknown is not told
	CostUSD                          trial.Optional[float64]
}

// otherAgent is an agent that others wrote.
type otherAgent struct {
	name    string
	needs   string // a program of node_modules/.bin
	command []string
	env     []string
	home    map[string]string // files
	turns   []scriptedTurn
	tools   []string // that the wire is to see, in their order
	told    func(t *testing.T, printed []byte, home string) figures
}

const (
	brokenCode = "def add(a, b):\n    return a - b\n"
	mendedCode = "def add(a, b):\n    return a + b\n"
	patch      = `*** Begin Patch\n*** Update File: calc.py\n@@\n-    return a - b\n+    return a + b\n*** End Patch\n`
)

// mending is a script in which a file is read, mended and told of, by two calls of tools.
func mending(read, mend scriptedTurn) []scriptedTurn {
	read.text, read.input, read.output, read.cached, read.written, read.reasoning = "I read it.", 1300, 40, 1000, 150, 12
	mend.text, mend.input, mend.output, mend.cached, mend.reasoning = "I mend it.", 1450, 60, 1150, 20
	return []scriptedTurn{read, mend, {text: "It adds.", input: 1500, output: 9, cached: 1450}}
}

var otherAgents = []otherAgent{
	{
		name: "claude-code", needs: "claude",
		command: []string{
			"claude", "-p", "Mend calc.py", "--model", "claude-opus-4-8", "--output-format", "stream-json", "--verbose",
			"--allowedTools", "Read,Edit",
		},
		env: []string{"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		turns: mending(
			scriptedTurn{tool: "Read", arguments: `{"file_path":"calc.py"}`},
			scriptedTurn{tool: "Edit", arguments: `{"file_path":"calc.py","old_string":"a - b","new_string":"a + b"}`},
		),
		tools: []string{"Read", "Edit"}, told: toldByClaudeCode,
	},
	{
		name: "codex", needs: "codex", command: codex("-m", "gpt-5.2"),
		turns: mending(
			scriptedTurn{tool: "exec_command", arguments: `{"cmd":"cat calc.py"}`},
			scriptedTurn{tool: "exec_command", arguments: `{"cmd":"sed -i 's/a - b/a + b/' calc.py"}`},
		),
		tools: []string{"exec_command", "exec_command"}, told: toldByCodex,
	},
	{
		// Models that Codex knows write programs that call its tools.
		name: "codex, by programs", needs: "codex", command: codex(),
		turns: mending(
			scriptedTurn{tool: "exec", custom: true, arguments: `text((await tools.exec_command({cmd: "cat calc.py"})).output)`},
			scriptedTurn{tool: "exec", custom: true, arguments: `text(await tools.apply_patch("` + patch + `"))`},
		),
		tools: []string{"exec", "exec"}, told: toldByCodex,
	},
	{
		name: "gemini-cli", needs: "gemini",
		command: []string{
			"gemini", "-m", "gemini-2.5-flash", "-p", "Mend calc.py", "--output-format", "json", "--approval-mode", "yolo",
		},
		env:  []string{"GEMINI_CLI_TRUST_WORKSPACE=true"},
		home: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}}}`},
		turns: mending(
			scriptedTurn{tool: "read_file", arguments: `{"file_path":"calc.py"}`},
			scriptedTurn{
				tool:      "replace",
				arguments: `{"file_path":"calc.py","instruction":"add adds","old_string":"a - b","new_string":"a + b"}`,
			},
		),
		tools: []string{"read_file", "replace"}, told: toldByGeminiCLI,
	},
	{
		name: "mcp", needs: "mcp-server-filesystem",
		command: []string{"node", "agent.mjs", "Mend calc.py", "mcp-server-filesystem", "."},
		turns: mending(
			scriptedTurn{tool: "read_text_file", arguments: `{"path":"calc.py"}`},
			scriptedTurn{tool: "edit_file", arguments: `{"path":"calc.py","edits":[{"oldText":"a - b","newText":"a + b"}]}`},
		),
		tools: []string{"read_text_file", "edit_file"}, told: toldByMCPAgent,
	},
}

// codex is its command. It reads its address from its configuration alone.
func codex(more ...string) []string {
	return append([]string{
		"sh", "-c", `exec codex exec --json --skip-git-repo-check --sandbox danger-full-access ` +
			`-c "openai_base_url=\"$OPENAI_BASE_URL\"" "$@" "Mend calc.py"`, "codex",
	}, more...)
}

// TestAgentsOfOthers lets agents that others wrote mend a file: what the wire sees is what they tell, and at a limit
// they come to an end.
func TestAgentsOfOthers(t *testing.T) {
	modules := modulesOfAgents(t)
	table, err := prices.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range otherAgents {
		t.Run(a.name, func(t *testing.T) {
			printed, home, code, seen, asked := a.run(t, modules, table, wire.Limits{})
			if code != mendedCode {
				t.Errorf("the file is %q, and the agent printed %s", code, printed)
			}
			var record trial.Trial
			seen.Fill(&record)
			told := a.told(t, printed, home)
			if diff := cmp.Diff(told, figuresOf(&record, told)); diff != "" || asked != told.Turns {
				t.Errorf("the server was asked %d times, and the wire saw other than the agent tells (-agent +wire):\n%s", asked,
					diff)
			}
			var tools []string
			for _, s := range record.Steps {
				if s.Action == trial.CallTool {
					tools = append(tools, s.Tool)
					if s.Output.Text() == "" || s.Error != "" {
						t.Errorf("what came of %s is %q, %s", s.Tool, s.Output.Text(), s.Error)
					}
				}
			}
			if diff := cmp.Diff(a.tools, tools); diff != "" {
				t.Error(diff)
			}
			if n := seen.NotUnderstood(); n > 0 {
				t.Errorf("%d requests were not understood", n)
			}
		})
		t.Run(a.name+" at a limit", func(t *testing.T) {
			_, _, code, seen, asked := a.run(t, modules, nil, wire.Limits{MaxTurns: trial.Some(1)})
			if asked != 1 || seen.Spent.Turns != 1 || seen.Stopped != wire.MaxTurns || code != brokenCode {
				t.Errorf("the server was asked %d times, %+v, and the file is %q", asked, seen, code)
			}
		})
	}
}

// modulesOfAgents is the folder of Node's modules that has all agents. Without it the test is skipped.
func modulesOfAgents(t testing.TB) string {
	t.Helper()
	modules := os.Getenv("TRIBUNAL_TEST_NODE_MODULES")
	for _, a := range otherAgents {
		if _, err := os.Stat(filepath.Join(modules, ".bin", a.needs)); modules == "" || err != nil {
			t.Skip(a.needs + " is not installed")
		}
	}
	return modules
}

// TestSuitesOfAgents runs the examples, whose models are scripts: without a key and a server they pass, what the wire
// has is what the agents tell, and they fail where the limit is a turn too low.
func TestSuitesOfAgents(t *testing.T) {
	examples := examplesOfAgents(t, modulesOfAgents(t))
	for _, a := range otherAgents {
		folder := filepath.Join(examples, a.name)
		text, err := os.ReadFile(filepath.Join(folder, "tribunal.yaml"))
		if err != nil {
			continue // it has no example
		}
		t.Run(a.name, func(t *testing.T) {
			out := runCommand(t, "run", folder)
			if !strings.Contains(out, "PASS  "+a.name+": 2 of 2 passed") {
				t.Error(out)
			}
			told := journalOf(t, folder, a.name)
			if len(told) != 2 {
				t.Fatalf("%d trials are in the journal", len(told))
			}
			for _, record := range told {
				var said struct{ Said string }
				if err := json.Unmarshal([]byte(record.Output.Text()), &said); err != nil {
					t.Fatalf("%s: %v", record.Output.Text(), err)
				}
				own := a.told(t, []byte(said.Said), "")
				if a.needs == "codex" { // whose count of turns goes away with its home
					own.Turns = 3
				}
				if diff := cmp.Diff(own, figuresOf(record, own)); diff != "" || own.Turns != 3 || own.ToolCalls != 2 {
					t.Errorf("-agent +wire:\n%s", diff)
				}
			}
		})
		t.Run(a.name+" at a limit", func(t *testing.T) {
			write(t, filepath.Join(folder, "tribunal.yaml"), strings.Replace(string(text), "max_turns: 6", "max_turns: 2", 1))
			if out := runCommand(t, "try", "--suite", folder); !strings.Contains(out, "stopped by max_turns, after 2 turns") {
				t.Error(out)
			}
		})
	}
}

// BenchmarkTrialsOfAgents runs the examples' trials, two at a time: what a machine does of real agents in a minute
// whose model answers at once.
func BenchmarkTrialsOfAgents(b *testing.B) {
	examples := examplesOfAgents(b, modulesOfAgents(b))
	for _, a := range otherAgents {
		folder := filepath.Join(examples, a.name)
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		b.Run(a.name, func(b *testing.B) {
			const trials = 8
			for b.Loop() {
				runCommand(b, "run", folder, "--record", strconv.Itoa(trials), "--concurrency", "2", "--fresh")
			}
			b.ReportMetric(trials*float64(b.N)/b.Elapsed().Minutes(), "trials/minute")
		})
	}
}

// examplesOfAgents is a copy of the examples, beside which are the programs. No key and no address of a model is set.
func examplesOfAgents(t testing.TB, modules string) (folder string) {
	t.Helper()
	t.Setenv("PATH", filepath.Join(modules, ".bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{
		"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL",
		"GOOGLE_GEMINI_BASE_URL",
	} {
		t.Setenv(name, "") // and back again
		_ = os.Unsetenv(name)
	}
	folder = t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("../examples/agents")); err != nil {
		t.Fatal(err)
	}
	_ = os.RemoveAll(filepath.Join(folder, "mcp", "node_modules")) // of one who tries it
	if err := os.Symlink(modules, filepath.Join(folder, "mcp", "node_modules")); err != nil {
		t.Fatal(err)
	}
	return folder
}

// runCommand runs a command that succeeds, and returns what it printed.
func runCommand(t testing.TB, args ...string) string {
	t.Helper()
	var out, complaints bytes.Buffer
	command := exec.CommandContext(t.Context(), built.Tribunal(t), args...)
	command.Stdout, command.Stderr = &out, &complaints
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %s%s", err, complaints.Bytes(), out.Bytes())
	}
	return out.String()
}

// journalOf are the trials of the last run of a suite.
func journalOf(t *testing.T, folder, name string) (records []*trial.Trial) {
	t.Helper()
	h, err := journal.Read(filepath.Join(folder, ".tribunal", name+".journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range h.Trials {
		records = append(records, one.Record)
	}
	return records
}

// run runs an agent on a wire to its own end, and returns what it printed, its home, what became of the file, and how
// often the model was asked. The agent has no key.
func (a *otherAgent) run(t *testing.T, modules string, table *prices.Table, l wire.Limits) (
	printed []byte, home, code string, seen *wire.Traffic, asked int,
) {
	t.Helper()
	model := &scriptedModel{turns: a.turns}
	server := httptest.NewServer(model)
	defer server.Close()
	upstreams, err := wire.UpstreamsOf(map[wire.Provider]string{
		wire.Anthropic: server.URL, wire.OpenAI: server.URL + "/v1", wire.Gemini: server.URL,
	}, none)
	if err != nil {
		t.Fatal(err)
	}
	w, err := wire.Open(wire.Options{
		Upstreams: upstreams, Prices: table, Key: func(p wire.Provider) string { return "key-of-" + string(p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	route := w.Route(l)

	home, workspace := t.TempDir(), t.TempDir()
	for name, text := range a.home {
		write(t, filepath.Join(home, name), text)
	}
	write(t, filepath.Join(workspace, "calc.py"), brokenCode)
	if a.name == "mcp" {
		own, err := os.ReadFile("../examples/agents/mcp/agent.mjs")
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(workspace, "agent.mjs"), string(own))
		if err := os.Symlink(modules, filepath.Join(workspace, "node_modules")); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // of one that hangs
	defer cancel()
	program := a.command[0]
	if program == a.needs {
		program = filepath.Join(modules, ".bin", program)
	}
	command := exec.CommandContext(ctx, program, a.command[1:]...)
	command.Dir, command.WaitDelay = workspace, time.Second
	command.Env = append([]string{
		"PATH=" + filepath.Join(modules, ".bin") + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + home, "TMPDIR=" + t.TempDir(), "TERM=dumb",
	}, a.env...)
	for name, value := range route.Environment() {
		command.Env = append(command.Env, name+"="+value)
	}
	var out, complaints bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaints
	err = command.Run()
	seen = route.Close()
	if err != nil && seen.Stopped == "" || ctx.Err() != nil {
		t.Fatalf("%v: %s%s", err, complaints.Bytes(), out.Bytes())
	}
	if len(seen.Exchanges) > 0 {
		key := "key-of-" + string(seen.Exchanges[0].Provider)
		if diff := cmp.Diff(map[string]int{key: model.asked}, model.keys); diff != "" {
			t.Errorf("the key, which the agent does not have, goes up with each request: %s", diff)
		}
	}
	text, err := os.ReadFile(filepath.Join(workspace, "calc.py"))
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes(), home, string(text), seen, model.asked
}

// write writes a file, and the folder that it is in.
func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// figuresOf are those of a trial, as far as an agent tells them too.
func figuresOf(record *trial.Trial, told figures) (f figures) {
	for _, s := range record.Steps {
		switch s.Action {
		case trial.Reason, trial.Respond:
			f.Turns++
		case trial.CallTool:
			f.ToolCalls++
		}
		for _, extra := range s.Extra {
			if told.Reasoning > 0 && extra.Name == "reasoning_tokens" {
				var n int64
				_ = json.Unmarshal([]byte(extra.Value), &n)
				f.Reasoning += n
			}
		}
	}
	f.Input, f.Output, f.Cached = record.InputTokens.Value, record.OutputTokens.Value, record.CachedTokens.Value
	if told.Written.Known {
		f.Written = record.CacheWrites
	}
	if told.CostUSD.Known {
		f.CostUSD = trial.Some(float64(int64(record.CostUSD.Value*1e9+0.5)) / 1e9)
	}
	return f
}

// lines reads lines of JSON.
func lines(t *testing.T, text []byte, each func(line []byte)) {
	t.Helper()
	for line := range bytes.Lines(text) {
		if !json.Valid(line) {
			t.Fatalf("%s is no JSON", line)
		}
		each(line)
	}
}

// toldByClaudeCode reads what it prints: answers and calls stand in its messages, tokens and the cost in its result.
// Its num_turns is the number of calls and one more, which is not that of answers where one has several calls.
func toldByClaudeCode(t *testing.T, printed []byte, _ string) (f figures) {
	answers := map[string]bool{}
	lines(t, printed, func(line []byte) {
		var e struct {
			Type    string
			Message struct {
				ID      string
				Content json.RawMessage
			}
			CostUSD *float64 `json:"total_cost_usd"`
			Usage   map[string]struct {
				InputTokens, OutputTokens, CacheReadInputTokens, CacheCreationInputTokens int64
			} `json:"modelUsage"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		switch e.Type {
		case "assistant": // a part of an answer
			answers[e.Message.ID] = true
			f.ToolCalls += strings.Count(string(e.Message.Content), `"type":"tool_use"`)
		case "result":
			f.Turns = len(answers)
			f.CostUSD = trial.Some(float64(int64(*e.CostUSD*1e9+0.5)) / 1e9)
			var written int64
			for _, u := range e.Usage {
				f.Input += u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
				f.Output += u.OutputTokens
				f.Cached += u.CacheReadInputTokens
				written += u.CacheCreationInputTokens
			}
			f.Written = trial.Some(written)
		}
	})
	return f
}

// toldByCodex reads what it prints: each of the scripted calls is a command or a change of a file. Its requests stand
// in the log of the session.
func toldByCodex(t *testing.T, printed []byte, home string) (f figures) {
	lines(t, printed, func(line []byte) {
		var e struct {
			Type  string
			Item  struct{ Type string }
			Usage struct {
				Input     int64 `json:"input_tokens"`
				Output    int64 `json:"output_tokens"`
				Cached    int64 `json:"cached_input_tokens"`
				Written   int64 `json:"cache_write_input_tokens"`
				Reasoning int64 `json:"reasoning_output_tokens"`
			}
		}
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		switch u := e.Usage; {
		case e.Type == "turn.completed":
			f.Input, f.Output, f.Cached, f.Reasoning, f.Written = u.Input, u.Output, u.Cached, u.Reasoning, trial.Some(u.Written)
		case e.Type == "item.completed" && (e.Item.Type == "command_execution" || e.Item.Type == "file_change"):
			f.ToolCalls++
		}
	})
	_ = filepath.WalkDir(filepath.Join(home, ".codex", "sessions"), func(file string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "rollout-") {
			log, _ := os.ReadFile(file)
			f.Turns += strings.Count(string(log), `"type":"token_count"`)
		}
		return nil
	})
	return f
}

// toldByGeminiCLI reads what it prints, in which what it thinks stands beside the output.
func toldByGeminiCLI(t *testing.T, printed []byte, _ string) (f figures) {
	var e struct {
		Stats struct {
			Models map[string]struct {
				API struct {
					TotalRequests int
				}
				Tokens struct{ Prompt, Candidates, Cached, Thoughts int64 }
			}
			Tools struct{ TotalCalls int }
		}
	}
	if err := json.Unmarshal(printed, &e); err != nil {
		t.Fatalf("%s: %v", printed, err)
	}
	for _, m := range e.Stats.Models {
		f.Turns += m.API.TotalRequests
		f.Input += m.Tokens.Prompt
		f.Output += m.Tokens.Candidates + m.Tokens.Thoughts
		f.Cached += m.Tokens.Cached
		f.Reasoning += m.Tokens.Thoughts
	}
	f.ToolCalls = e.Stats.Tools.TotalCalls
	return f
}

// toldByMCPAgent reads what the example prints.
func toldByMCPAgent(t *testing.T, printed []byte, _ string) (f figures) {
	var e struct {
		Turns  int
		Calls  int   `json:"tool_calls"`
		Input  int64 `json:"input_tokens"`
		Output int64 `json:"output_tokens"`
		Cached int64 `json:"cached_tokens"`
	}
	if err := json.Unmarshal(printed, &e); err != nil {
		t.Fatalf("%s: %v", printed, err)
	}
	return figures{Turns: e.Turns, ToolCalls: e.Calls, Input: e.Input, Output: e.Output, Cached: e.Cached}
}
