package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/trial"
)

// codingGist returns what matters of a trial in one line: the scenario, the outcome, the
// model, the tokens in/out, the cost, the duration, and the steps. A call is the name
// of its tool, in parentheses; ! stands after a step that failed, > before one of a
// sub-agent.
func codingGist(x *trial.Trial) string {
	fields := []string{x.Scenario, "-", x.Model, codingFigure(x.InputTokens) + "/" + codingFigure(x.OutputTokens),
		"$" + codingFigure(x.CostUSD), codingFigure(x.DurationSeconds) + "s:"}
	if x.Outcome != trial.Unjudged {
		fields[1] = x.Outcome.String()
	}
	for _, s := range x.Steps {
		word := string(s.Action)
		if s.Action == trial.CallTool {
			word = "(" + s.Tool + ")"
		}
		if s.InputTokens.Known || s.OutputTokens.Known {
			word += "[" + codingFigure(s.InputTokens) + "/" + codingFigure(s.OutputTokens) + "]"
		}
		if s.Error != "" {
			word += "!"
		}
		fields = append(fields, strings.Repeat(">", s.Depth.Value)+word)
	}
	return strings.Join(fields, " ")
}

func codingFigure[T any](x trial.Optional[T]) string {
	if !x.Known {
		return "?"
	}
	return fmt.Sprint(x.Value)
}

// The figures are read in the files by hand.
func TestSamplesOfCodingAgents(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	for _, c := range []struct {
		name   string
		format Format
		want   string
	}{
		{"claude-code-stream-json.jsonl", "claude-stream",
			"claude-code-stream-json - claude-sonnet-4-6 18872/415 $0.01608915 9.352s: reason[9343/?] (Bash) respond[9529/?]"},
		{"claude-code-action-execution-file.json", "claude-stream",
			"claude-code-action-execution-file - claude-test-model 945/265 $0.0347 18.75s: reason[150/75] (Read) " +
				"reason[300/50] (Edit) " +
				"reason[225/80] (mcp__github__add_pull_request_review_comment) respond[270/60]"},
		{"claude-code-session.jsonl", "claude-session",
			"claude-code-session - claude-sonnet-4-6 25708/169 $? 9.355s: reason[12853/148] " +
				"(mcp__retail-tools__get_order_details)! respond[12855/21]"},
		{"codex-exec.jsonl", "codex",
			"codex-exec -  24763/122 $? ?s: reason (command_execution) (file_change) (mcp__github__get_issue)! respond"},
		{"gemini-cli-stream-json.jsonl", "gemini-cli",
			"gemini-cli-stream-json - gemini-2.5-pro 5000/100 $? 2.1s: reason (list_directory)! respond"},
		{"anthropic-messages.json", "anthropic",
			"anthropic-messages - claude-sonnet-4-5 2760/69 $? ?s: reason[1334/55] (get_order)! (get_user) respond[1426/14]"},
		{"mcp-jsonrpc.jsonl", "mcp", "mcp-jsonrpc -  ?/? $? ?s: (get_weather) (book_flight)! (no_such_tool)!"},
		{"mcp-log-wrapped.jsonl", "mcp", "mcp-log-wrapped -  ?/? $? 0.25s: (get_weather)"},
		{"bedrock-agent-trace.jsonl", "bedrock",
			"bedrock-agent-trace - anthropic.claude-3-haiku-20240307-v1:0 9556/1358 $? 16.129391187s: reason[922/144] " +
				"(SimpleSupervisor) " +
				">reason[1055/167] >(MathSolverAgent) >>reason[449/132] >>reason[739/148] >>reason[1030/152] >>reason[1320/201] " +
				">>respond[1610/238] >respond[1275/131] respond[1156/45]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Open([]string{sample(t, "formats", c.name)}, Options{Options: trial.Options{Unjudged: true}})
			var got []string
			for x, err := range s.Trials(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, codingGist(x))
			}
			if diff := cmp.Diff([]string{c.want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			remarks := 0
			if c.format == "codex" {
				remarks = 1 // of what its tokens are
			}
			if n := s.Notes()[0]; n.Format != c.format || skippedIn(n) > 0 || len(n.Remarks) != remarks {
				t.Error(n)
			}
		})
	}
}

// What goes in and comes out is in the files, too.
func TestTextsOfCodingAgents(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	for name, want := range map[string][2]string{
		"claude-code-session.jsonl":    {"Exchange the keyboard in order W1.", "I could not find order W1."},
		"codex-exec.jsonl":             {"", "Done."},
		"gemini-cli-stream-json.jsonl": {"list files", "I may not read it."},
		"anthropic-messages.json":      {"cancel order W1", "That order does not exist."},
		"bedrock-agent-trace.jsonl":    {"", "The sum of the numbers 1, 2, 3, 4, 5, 6, 7, 8, 9, and 10 is 55."},
		"claude-code-action-execution-file.json": {"",
			"Successfully removed debug print statement from file and added review comment to document the change."},
	} {
		for x, err := range Open([]string{sample(t, "formats", name)},
			Options{Options: trial.Options{Unjudged: true}}).Trials(t.Context()) {
			if err != nil || x.Input.Text() != want[0] || x.Output.Text() != want[1] {
				t.Errorf("%s: %v, %s, %s", name, err, x.Input, x.Output)
			}
		}
	}
}

// codingLog reads records that nobody judged.
func codingLog(text string) *Stream {
	return streamOf(text, Options{Options: trial.Options{Unjudged: true}})
}

func FuzzClaudeStream(f *testing.F) {
	seed(f, "claude-stream", `{"type":"result","subtype":"error_max_turns","modelUsage":{"a":{"inputTokens":1e300}}}`,
		`[{"type":"assistant","message":{}}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "claude-stream") })
}

func FuzzClaudeSession(f *testing.F) {
	seed(f, "claude-session", `{"type":"user","uuid":"a","parentUuid":"a","message":{}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "claude-session") })
}

func FuzzCodex(f *testing.F) {
	seed(f, "codex", `{"type":"turn.completed","usage":{"input_tokens":9223372036854775807}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "codex") })
}

func FuzzGeminiCLI(f *testing.F) {
	seed(f, "gemini-cli", `{"type":"tool_result"}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "gemini-cli") })
}

func FuzzAnthropic(f *testing.F) {
	seed(f, "anthropic", `{"custom_id":"a","result":{"type":"expired"}}`,
		`{"role":"assistant","content":[{"type":"tool_use"}]}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "anthropic") })
}

func FuzzMCP(f *testing.F) {
	seed(f, "mcp", `[{"jsonrpc":"2.0","id":1,"method":"tools/call"},{"jsonrpc":"2.0","id":1,"result":{}}]`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "mcp") })
}

func FuzzBedrock(f *testing.F) {
	seed(f, "bedrock", `{"chunk":{"bytes":"RG9uZS4="}}`)
	f.Fuzz(func(t *testing.T, text []byte) { sound(t, text, "bedrock") })
}
