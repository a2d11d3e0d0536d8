package ingest

import (
	"fmt"
	"slices"
	"strings"
)

// Format is a way of recording trials. The zero value, [Auto], stands for the
// one that the content shows.
type Format uint8

const (
	Auto           Format = iota
	Trials                // JSON lines, or a JSON array, of package trial
	CSV                   // a header with the column scenario; commas, semicolons or tabs
	Lines                 // one word a line: pass, fail, error, 1, 0, true or false
	JUnit                 // JUnit XML
	GoTest                // go test -json
	Journal               // the journal of tribunal run
	OTLP                  // OpenTelemetry OTLP JSON: GenAI conventions, OpenInference, OpenLLMetry
	ClaudeStream          // Claude Code, --output-format stream-json or json
	ClaudeSession         // Claude Code session files
	Codex                 // codex exec --json
	GeminiCLI             // gemini --output-format stream-json
	OpenAIAgents          // OpenAI Agents SDK trace export
	OpenAI                // OpenAI chat messages and Responses items
	Anthropic             // Anthropic messages
	LangChain             // LangChain messages, LangGraph states, updates and events
	LangSmith             // LangSmith runs
	CrewAI                // CrewAI outputs, logs and events
	AutoGen               // AutoGen 0.2 chat results and 0.4 task results
	Smolagents            // smolagents run results
	SemanticKernel        // Semantic Kernel chat histories
	Bedrock               // Amazon Bedrock Agents traces
	MCP                   // MCP JSON-RPC logs
	ADK                   // Google ADK and Vertex sessions
	Langfuse              // Langfuse trace exports
	Inspect               // inspect_ai logs, .json and .eval
	Promptfoo             // promptfoo results
	PytestJSON            // pytest-json-report
	CTRF                  // Common Test Report Format
	TauBench              // tau-bench results
	Tau2                  // tau2-bench results
	ATIF                  // Agent Trajectory Interchange Format
	Harbor                // Harbor trial results
	TerminalBench         // Terminal-Bench results
	SWEAgent              // SWE-agent trajectories
	MiniSWEAgent          // mini-swe-agent trajectories
	formatEnd             // no format; their number
)

var formatNames = [formatEnd]string{Auto: "auto", Trials: "trials", CSV: "csv", Lines: "lines", JUnit: "junit", GoTest: "gotest", Journal: "journal",
	OTLP:           "otlp",
	ClaudeStream:   "claude-stream",
	ClaudeSession:  "claude-session",
	Codex:          "codex",
	GeminiCLI:      "gemini-cli",
	OpenAIAgents:   "openai-agents",
	OpenAI:         "openai",
	Anthropic:      "anthropic",
	LangChain:      "langchain",
	LangSmith:      "langsmith",
	CrewAI:         "crewai",
	AutoGen:        "autogen",
	Smolagents:     "smolagents",
	SemanticKernel: "semantic-kernel",
	Bedrock:        "bedrock",
	MCP:            "mcp",
	ADK:            "adk",
	Langfuse:       "langfuse",
	Inspect:        "inspect",
	Promptfoo:      "promptfoo",
	PytestJSON:     "pytest-json",
	CTRF:           "ctrf",
	TauBench:       "tau-bench",
	Tau2:           "tau2",
	ATIF:           "atif",
	Harbor:         "harbor",
	TerminalBench:  "terminal-bench",
	SWEAgent:       "swe-agent",
	MiniSWEAgent:   "mini-swe-agent",
}

// String returns the name of the format, such as "junit".
func (f Format) String() string {
	if f < formatEnd {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// ParseFormat returns the format of the name, and an error that lists the names
// for any other word.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames[:], strings.ToLower(name)); i >= 0 {
		return Format(i), nil
	}
	return Auto, fmt.Errorf("format %q is not known; the formats are %s", name, strings.Join(FormatNames(), ", "))
}

// FormatNames returns the names that [ParseFormat] knows, "auto" first.
func FormatNames() []string { return slices.Clone(formatNames[:]) }
