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
	Mapped Format = "map"    // what a mapping says, see Options.Map; it is not listed, and cannot be asked for by name
)

// format is a row of the table of formats.
type format struct {
	name    Format
	about   string // what a file of it is, in a few words
	decoder record.Decoder
}

// formats are all but [Auto], in the order in which they are listed. No file shows two
// of them, so that they may be asked in any order.
var formats = []format{
	{"trials", "JSON lines, or a JSON array, of trials", plain.Trials},
	{"csv", "a table with a header that names scenario and outcome", plain.CSV},
	{"lines", "one outcome a line: pass, fail, error, 1, 0, true or false", plain.Lines},
	{"junit", "JUnit XML", testreports.JUnit},
	{"gotest", "go test -json", testreports.GoTest},
	{"nunit", "NUnit XML, of versions 3 and 2", testreports.NUnit},
	{"xunit", "xUnit.net XML", testreports.XUnit},
	{"trx", "Visual Studio test results: dotnet test --logger trx", testreports.TRX},
	{"tap", "Test Anything Protocol: prove, node --test, and others", testreports.TAP},
	{"journal", "the journal of tribunal run, in the order of launch", plain.Journal},
	{"otlp", "OpenTelemetry OTLP JSON: GenAI conventions, OpenInference, OpenLLMetry", otlp.OTLP},
	{"claude-stream", "Claude Code, --output-format stream-json or json", agents.ClaudeStream},
	{"claude-session", "Claude Code session files", agents.ClaudeSession},
	{"codex", "codex exec --json", agents.Codex},
	{"codex-session", "Codex session files, rollout-*.jsonl", agents.CodexSession},
	{"gemini-cli", "gemini --output-format stream-json or json", agents.GeminiCLI},
	{"gemini-session", "Gemini CLI session files", agents.GeminiSession},
	{"qwen-session", "Qwen Code session files", agents.QwenSession},
	{"copilot", "GitHub Copilot CLI session events", agents.Copilot},
	{"opencode", "opencode run --format json, and opencode export", agents.OpenCode},
	{"openai-agents", "OpenAI Agents SDK trace export", frameworks.OpenAIAgents},
	{"openai-agents-state", "OpenAI Agents SDK run states", frameworks.OpenAIAgentsState},
	{"openai", "OpenAI chat messages and Responses items", chat.OpenAI},
	{"anthropic", "Anthropic messages", chat.Anthropic},
	{"converse", "Amazon Bedrock Converse and Strands messages", chat.Converse},
	{"langchain", "LangChain messages; LangGraph states, updates and events", frameworks.LangChain},
	{"langsmith", "LangSmith runs", frameworks.LangSmith},
	{"crewai", "CrewAI outputs, logs and events", frameworks.CrewAI},
	{"autogen", "AutoGen 0.2 chat results and 0.4 task results", frameworks.AutoGen},
	{"smolagents", "smolagents run results", frameworks.Smolagents},
	{"semantic-kernel", "Semantic Kernel chat histories", frameworks.SemanticKernel},
	{"bedrock", "Amazon Bedrock Agents traces", agents.Bedrock},
	{"mcp", "MCP JSON-RPC logs", agents.MCP},
	{"adk", "Google ADK and Vertex sessions", frameworks.ADK},
	{"langfuse", "Langfuse trace exports", otlp.Langfuse},
	{"inspect", "inspect_ai logs, .json and .eval", benchmarks.Inspect},
	{"evalite", "evalite results, --outputPath", benchmarks.Evalite},
	{"promptfoo", "promptfoo results", benchmarks.Promptfoo},
	{"pytest-json", "pytest-json-report", testreports.PytestJSON},
	{"ctrf", "Common Test Report Format", testreports.CTRF},
	{"jest", "Jest, --json, and Vitest, --reporter json", testreports.Jest},
	{"mocha", "Mocha, --reporter json or json-stream", testreports.Mocha},
	{"playwright", "Playwright Test, --reporter json", testreports.Playwright},
	{"cucumber", "Cucumber messages, and its older JSON", testreports.Cucumber},
	{"googletest", "GoogleTest, --gtest_output=json", testreports.GoogleTest},
	{"robot", "Robot Framework, output.xml", testreports.Robot},
	{"ginkgo", "Ginkgo, --json-report", testreports.Ginkgo},
	{"tau-bench", "tau-bench results", benchmarks.TauBench},
	{"tau2", "tau2-bench results", benchmarks.Tau2},
	{"atif", "Agent Trajectory Interchange Format", benchmarks.ATIF},
	{"harbor", "Harbor trial results", benchmarks.Harbor},
	{"terminal-bench", "Terminal-Bench results", benchmarks.TerminalBench},
	{"swe-agent", "SWE-agent trajectories", benchmarks.SWEAgent},
	{"mini-swe-agent", "mini-swe-agent trajectories", benchmarks.MiniSWEAgent},
	{"openhands", "OpenHands trajectories, and outputs of its evaluations", benchmarks.OpenHands},
	{"swe-bench", "SWE-bench reports of a run, and of instances", benchmarks.SWEBench},
	{"openai-evals", "logs of openai/evals", benchmarks.OpenAIEvals},
	{"lm-eval", "lm-evaluation-harness, --log_samples", benchmarks.LMEval},
	{"braintrust", "Braintrust rows of experiments and logs", benchmarks.Braintrust},
	{"deepeval", "deepeval test runs", benchmarks.DeepEval},
	{"intercode", "InterCode results", benchmarks.InterCode},
	{"who-and-when", "Who&When failures of several agents", benchmarks.WhoAndWhen},
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
