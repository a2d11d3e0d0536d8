package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/format/agents"
	"github.com/tribunal-dev/tribunal/ingest/internal/format/benchmarks"
	"github.com/tribunal-dev/tribunal/ingest/internal/format/chat"
	"github.com/tribunal-dev/tribunal/ingest/internal/format/frameworks"
	"github.com/tribunal-dev/tribunal/ingest/internal/format/otlp"
	"github.com/tribunal-dev/tribunal/ingest/internal/format/plain"
	"github.com/tribunal-dev/tribunal/ingest/internal/format/testreports"
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
)

// Format is a way of recording trials, by its name, such as "junit". The zero value,
// [Auto], stands for the one that the content shows.
type Format string

// The formats that a program may have to name. [FormatNames] lists all.
const (
	Auto   Format = ""       // the one that the content shows; its name is auto
	Trials Format = "trials" // JSON lines, or a JSON array, of package trial
)

// format is a row of the table of formats.
type format struct {
	name  Format
	about string // what a file of it is, in a few words

	// shows reports whether a file that begins so is of the format. It is nil for those
	// that [Detect] tells by other means: they are no JSON, or have fields of few names.
	shows func(*record.Shape) bool

	// read reads a file from its beginning, and hands out its trials.
	read func(*record.Input) error

	// empty says of a file that was read to its end in vain what it is or does, and hint
	// why that may be; "" for "holds no trials".
	empty, hint string
}

// formats are all but [Auto], in the order in which they are listed. No file shows two
// of them, so that they may be asked in any order.
var formats = []format{
	{name: "trials", about: "JSON lines, or a JSON array, of trials", read: plain.ReadTrials},
	{
		name: "csv", about: "a table with a header that names scenario and outcome", read: plain.ReadCSV,
		empty: "has a header and no rows", hint: "was the program that wrote it stopped?",
	},
	{name: "lines", about: "one outcome a line: pass, fail, error, 1, 0, true or false", read: plain.ReadLines},
	{
		name: "junit", about: "JUnit XML", read: testreports.ReadJUnit,
		empty: "holds no testcase", hint: "did the tests run?",
	},
	{
		name: "gotest", about: "go test -json", read: testreports.ReadGoTest,
		empty: "holds no test that ran", hint: "did the tests run? A package without tests has none",
	},
	{name: "journal", about: "the journal of tribunal run, in the order of launch", shows: plain.ShowsJournal, read: plain.ReadJournal},
	{name: "otlp", about: "OpenTelemetry OTLP JSON: GenAI conventions, OpenInference, OpenLLMetry", shows: otlp.ShowsOTLP, read: otlp.ReadOTLP},
	{name: "claude-stream", about: "Claude Code, --output-format stream-json or json", shows: agents.ShowsClaudeStream, read: agents.ReadClaudeStream},
	{name: "claude-session", about: "Claude Code session files", shows: agents.ShowsClaudeSession, read: agents.ReadClaudeSession},
	{name: "codex", about: "codex exec --json", shows: agents.ShowsCodex, read: agents.ReadCodex},
	{name: "gemini-cli", about: "gemini --output-format stream-json", shows: agents.ShowsGeminiCLI, read: agents.ReadGeminiCLI},
	{name: "openai-agents", about: "OpenAI Agents SDK trace export", shows: frameworks.ShowsOpenAIAgents, read: frameworks.ReadOpenAIAgents},
	{name: "openai", about: "OpenAI chat messages and Responses items", shows: chat.ShowsOpenAI, read: chat.ReadOpenAI},
	{name: "anthropic", about: "Anthropic messages", shows: chat.ShowsAnthropic, read: chat.ReadAnthropic},
	{name: "langchain", about: "LangChain messages; LangGraph states, updates and events", shows: frameworks.ShowsLangChain, read: frameworks.ReadLangChain},
	{name: "langsmith", about: "LangSmith runs", shows: frameworks.ShowsLangSmith, read: frameworks.ReadLangSmith},
	{name: "crewai", about: "CrewAI outputs, logs and events", shows: frameworks.ShowsCrewAI, read: frameworks.ReadCrewAI},
	{name: "autogen", about: "AutoGen 0.2 chat results and 0.4 task results", shows: frameworks.ShowsAutoGen, read: frameworks.ReadAutoGen},
	{name: "smolagents", about: "smolagents run results", shows: frameworks.ShowsSmolagents, read: frameworks.ReadSmolagents},
	{name: "semantic-kernel", about: "Semantic Kernel chat histories", shows: frameworks.ShowsSemanticKernel, read: frameworks.ReadSemanticKernel},
	{name: "bedrock", about: "Amazon Bedrock Agents traces", shows: agents.ShowsBedrock, read: agents.ReadBedrock},
	{name: "mcp", about: "MCP JSON-RPC logs", shows: agents.ShowsMCP, read: agents.ReadMCP},
	{name: "adk", about: "Google ADK and Vertex sessions", shows: frameworks.ShowsADK, read: frameworks.ReadADK},
	{name: "langfuse", about: "Langfuse trace exports", shows: otlp.ShowsLangfuse, read: otlp.ReadLangfuse},
	{name: "inspect", about: "inspect_ai logs, .json and .eval", shows: benchmarks.ShowsInspect, read: benchmarks.ReadInspect},
	{name: "promptfoo", about: "promptfoo results", shows: benchmarks.ShowsPromptfoo, read: benchmarks.ReadPromptfoo},
	{name: "pytest-json", about: "pytest-json-report", shows: testreports.ShowsPytestJSON, read: testreports.ReadPytestJSON},
	{name: "ctrf", about: "Common Test Report Format", shows: testreports.ShowsCTRF, read: testreports.ReadCTRF},
	{name: "tau-bench", about: "tau-bench results", shows: benchmarks.ShowsTauBench, read: benchmarks.ReadTauBench},
	{name: "tau2", about: "tau2-bench results", shows: benchmarks.ShowsTau2, read: benchmarks.ReadTau2},
	{name: "atif", about: "Agent Trajectory Interchange Format", shows: benchmarks.ShowsATIF, read: benchmarks.ReadATIF},
	{name: "harbor", about: "Harbor trial results", shows: benchmarks.ShowsHarbor, read: benchmarks.ReadHarbor},
	{name: "terminal-bench", about: "Terminal-Bench results", shows: benchmarks.ShowsTerminalBench, read: benchmarks.ReadTerminalBench},
	{name: "swe-agent", about: "SWE-agent trajectories", shows: benchmarks.ShowsSWEAgent, read: benchmarks.ReadSWEAgent},
	{name: "mini-swe-agent", about: "mini-swe-agent trajectories", shows: benchmarks.ShowsMiniSWEAgent, read: benchmarks.ReadMiniSWEAgent},
}

// formatOf returns the row of a format, nil if there is none.
func formatOf(name Format) *format {
	for i := range formats {
		if formats[i].name == name {
			return &formats[i]
		}
	}
	return nil
}

// String returns the name of the format, such as "junit", or "auto".
func (f Format) String() string {
	if f == Auto {
		return "auto"
	}
	return string(f)
}

// About returns what a file of the format is, in a few words; "" for a value that is
// no format.
func (f Format) About() string {
	if f == Auto {
		return "the format that the content shows"
	}
	if row := formatOf(f); row != nil {
		return row.about
	}
	return ""
}

// ParseFormat returns the format of the name, in any case, and an error that lists the
// names for any other word.
func ParseFormat(name string) (Format, error) {
	name = strings.ToLower(name)
	if name == Auto.String() {
		return Auto, nil
	}
	if row := formatOf(Format(name)); row != nil {
		return row.name, nil
	}
	return Auto, fmt.Errorf("format %q is not known; the formats are %s", name, strings.Join(FormatNames(), ", "))
}

// FormatNames returns the names that [ParseFormat] knows, "auto" first.
func FormatNames() []string {
	names := make([]string, 0, 1+len(formats))
	names = append(names, Auto.String())
	for _, f := range formats {
		names = append(names, f.name.String())
	}
	return slices.Clip(names)
}
