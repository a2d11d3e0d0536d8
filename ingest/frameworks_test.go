package ingest

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/trial"
)

// unjudged admits what nothing tells the outcome of.
var unjudged = Options{Options: trial.Options{Unjudged: true}}

// from is unjudged, for a format that is named.
func from(format Format) Options {
	o := unjudged
	o.From = format
	return o
}

// gist returns the steps of a trial in few words: the action, or the tool that was
// called, with its depth, and ! where it failed.
func gist(x *trial.Trial) string {
	var words []string
	for _, s := range x.Steps {
		word := string(s.Action)
		if s.Action == trial.CallTool {
			word = s.Tool
		}
		if s.Depth.Known {
			word += fmt.Sprint("^", s.Depth.Value)
		}
		if s.Error != "" {
			word += "!"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// gists returns the scenario, the steps and the tokens of each trial.
func gists(t *testing.T, s *Stream) (lines []string) {
	t.Helper()
	for x, err := range s.Trials(t.Context()) {
		if err != nil {
			t.Error(err)
			break
		}
		line := x.Scenario + ": " + gist(x)
		if x.InputTokens.Known || x.OutputTokens.Known {
			line += fmt.Sprintf(" (%d, %d)", x.InputTokens.Value, x.OutputTokens.Value)
		}
		if x.Error != nil {
			line += fmt.Sprintf(" [%s %s %s %s]", x.Outcome, x.Error.Origin, x.Error.Type, x.Error.Message)
		}
		lines = append(lines, line)
	}
	return lines
}

// dialect is a text in a form of a format, and what comes of it.
type dialect struct {
	name, text, want string // a line a trial
	notes            string // what follows the number of trials
}

func checkDialects(t *testing.T, format Format, isShown bool, dialects []dialect) {
	t.Helper()
	for _, d := range dialects {
		t.Run(d.name, func(t *testing.T) {
			o := unjudged
			if !isShown {
				o.From = format
			}
			s := streamOf(d.text, o)
			got := strings.Join(gists(t, s), "\n")
			if got != d.want {
				t.Errorf("got\n%s\nwant\n%s", got, d.want)
			}
			if n := s.Notes(); len(n) != 1 || n[0].Format != format ||
				!strings.HasSuffix(n[0].String(), fmt.Sprintf(" (%s)%s", format, d.notes)) {
				t.Errorf("%v", n)
			}
		})
	}
}

// frameworkSamples are read by hand.
var frameworkSamples = []struct {
	name        string
	format      Format
	steps       string
	in, out     int64 // tokens; 0: unknown
	model       string
	cost        float64 // 0: unknown
	seconds     float64 // 0: unknown
	outcome     trial.Outcome
	input, said string // the beginnings
}{
	{"openai-agents-trace.jsonl", "openai-agents", "reason get_weather! respond", 140, 44, "gpt-4.1", 0, 2.19, 0,
		"What's the weather in Tokyo?", ""},
	{"openai-chat-messages.json", "openai",
		"respond respond reason get_user_details reason search_direct_flight respond reason search_onestop_flight respond " +
			"reason calculate respond reason book_reservation reason think reason calculate respond reason book_reservation " +
			"respond",
		0, 0, "", 0, 0, 0, "", ""},
	{"openai-responses-items.json", "openai", "reason get_weather respond", 0, 0, "", 0, 0, 0,
		"What's the weather in Tokyo?", "It is sunny in Tokyo."},
	{"langgraph-state-messages.json", "langchain", "reason Web-Search respond", 168, 66, "gpt-4o-2024-08-06", 0, 0, 0,
		"Search the web for", "The search for"},
	{"langgraph-stream-updates.jsonl", "langchain", "reason Web-Search respond", 168, 66, "gpt-4o-2024-08-06", 0, 0, 0, "",
		"The search for"},
	{"langchain-messages_to_dict.json", "langchain", "reason Web-Search respond", 168, 66, "gpt-4o-2024-08-06", 0, 0, 0,
		"Search the web for", "The search for"},
	{"langgraph-astream-events-v2.jsonl", "langchain", "reason Web-Search Fetch!", 60, 15, "gpt-4o-2024-08-06", 0, 0, 0,
		"Search the web", ""},
	{"langsmith-runs.jsonl", "langsmith", "reason Web-Search!", 60, 15, "gpt-4o-2024-08-06", 0.0003, 4.2, 0,
		"Search the web", ""},
	{"crewai-crew-output.json", "crewai", "respond", 190, 164, "", 0, 0, 0, "Research AI", "Findings…"},
	{"crewai-events.jsonl", "crewai", "reason search_web! search_web", 190, 20, "gpt-4o-mini", 0, 9, 0, `{"topic":"AI"}`,
		"Findings…"},
	{"crewai-output-log.json", "crewai", "respond", 0, 0, "", 0, 9, 0, "Research AI", "Findings…"},
	{"autogen-0.2-chat-result.json", "autogen", "reason cancel_order respond", 280, 30, "gpt-4o-2024-08-06", 0.0021, 0, 0,
		"cancel order W1", "That order does not exist. TERMINATE"},
	{"autogen-0.4-task-result.json", "autogen", "reason cancel_order! respond", 280, 30, "", 0, 2, 0, "cancel order W1",
		"That order does not exist."},
	{"smolagents-run.json", "smolagents", "reason python_interpreter! respond", 4170, 62, "", 0, 4, 0, "What is 6*7?",
		"42"},
	{"semantic-kernel-chat-history.json", "semantic-kernel", "reason HelperFunctions-Get_Weather_For_City respond", 433,
		57, "gpt-4", 0, 1, 0, "Given the current time", "Given the current weather"},
	{"adk-session.json", "adk", "reason cancel_order! respond", 280, 30, "", 0, 2, 0, "cancel order W1",
		"That order does not exist."},
	{"adk-session-snake.json", "adk", "respond reason update_fc respond", 0, 0, "", 0, 61.947269, 0, "hi",
		"OK. I've updated the data."},
}

func TestFrameworkSamples(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	for _, c := range frameworkSamples {
		t.Run(c.name, func(t *testing.T) {
			s := Open([]string{sample(t, "formats", c.name)}, unjudged)
			trials := 0
			for x, err := range s.Trials(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				trials++
				if got := gist(x); got != c.steps {
					t.Errorf("steps\n%s\nwant\n%s", got, c.steps)
				}
				if x.InputTokens.Value != c.in || x.OutputTokens.Value != c.out || x.InputTokens.Known != (c.in > 0) ||
					x.CostUSD.Known != (c.cost > 0) ||
					x.CostUSD.Value != c.cost || x.Model != c.model || x.Outcome != c.outcome ||
					x.DurationSeconds.Known != (c.seconds > 0) {
					t.Errorf("tokens %v, %v, cost %v, model %q, outcome %v, duration %v", x.InputTokens, x.OutputTokens, x.CostUSD,
						x.Model, x.Outcome, x.DurationSeconds)
				}
				if d := x.DurationSeconds.Value - c.seconds; d > 1e-5 || d < -1e-5 {
					t.Errorf("%v s, want %v", x.DurationSeconds.Value, c.seconds)
				}
				if !strings.HasPrefix(x.Input.Text(), c.input) || !strings.HasPrefix(x.Output.Text(), c.said) {
					t.Errorf("input %s\noutput %s", x.Input, x.Output)
				}
			}
			if n := s.Notes()[0]; trials != 1 || n.Format != c.format || skippedIn(n) != 0 || len(n.Remarks) != 0 {
				t.Error(n)
			}
		})
	}
}

// The names of what the trials are about are those that the formats give.
func TestFrameworkSampleScenarios(t *testing.T) {
	sample(t, "formats", "README.md") // one skip for all
	for name, want := range map[string]string{
		"openai-agents-trace.jsonl": "Agent workflow", "langsmith-runs.jsonl": "ex-0001", "crewai-events.jsonl": "research",
		"crewai-crew-output.json": "research",
		"adk-session.json":        "adk-session", "langgraph-astream-events-v2.jsonl": "LangGraph",
	} {
		for x, err := range Open([]string{sample(t, "formats", name)}, unjudged).Trials(t.Context()) {
			if err != nil || x.Scenario != want {
				t.Errorf("%s: %v, %v", name, x, err)
			}
		}
	}
}

// The formats are told from each other, and from those that are not theirs.
func TestShowFrameworks(t *testing.T) {
	for name, want := range map[string]Format{
		"openai-agents": "openai-agents", "openai": "openai", "langchain": "langchain", "langsmith": "langsmith",
		"crewai":  "crewai",
		"autogen": "autogen", "smolagents": "smolagents", "semantic-kernel": "semantic-kernel", "adk": "adk",
	} {
		text, err := os.ReadFile(ownSample(name))
		if err != nil {
			t.Fatal(err)
		}
		s := record.ShapeOf(text)
		for _, f := range formats {
			if f.decoder.Shows != nil && f.decoder.Shows(s) != (f.name == want) {
				t.Errorf("%s: %v: %v", name, f.name, f.decoder.Shows(s))
			}
		}
	}
	for _, text := range []string{
		`[{"role":"user","content":[{"text":"x"},{"toolResult":{}}]}]`, // Bedrock
		`{"model":"m","system":"s","messages":[{"role":"user","content":"x"}]}`,
		`{"info":{},"messages":[{"role":"user","content":"x"}],"trajectory_format":"mini"}`,
		`{"messages":[{"role":"user","content":"x"}],"termination_reason":"user_stop"}`,
		`{"type":"init","session_id":"s"}` + "\n" + `{"type":"message","role":"user","content":"x"}`,
		`{"type":"user","message":{"role":"user","content":"x"}}`,
		`{"trace":{"id":"x"},"observations":[]}`,
		`{"type":"system","subtype":"init"}`,
		`{"messages":[]}`, `[]`, `[[]]`, `{}`, `{"steps":[]}`, `{"events":[]}`, `{"data":[]}`, `{"event":"on_fire"}`,
		`{"type":"tool_call","timestamp":1}`,
	} {
		if format := shown(record.ShapeOf([]byte(text))); format != Auto {
			t.Errorf("%s is read as %v", text, format)
		}
	}
}

func TestBadDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"[{\n": "f:2:1: the JSON ends inside a value; it seems to be cut off: was the program that wrote it " +
			"stopped?",
		"{\"a\":\n1}\n{": "f:2:2: more follows after the end of the JSON value",
	} {
		if _, err := written(streamOf(text, from("openai"))); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
