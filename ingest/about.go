package ingest

var abouts = [formatEnd]string{
	Auto:           "the format that the content shows",
	Trials:         "JSON lines, or a JSON array, of trials",
	CSV:            "a table with a header that names scenario and outcome",
	Lines:          "one outcome a line: pass, fail, error, 1, 0, true or false",
	JUnit:          "JUnit XML",
	GoTest:         "go test -json",
	Journal:        "the journal of tribunal run, in the order of launch",
	OTLP:           "OpenTelemetry OTLP JSON: GenAI conventions, OpenInference, OpenLLMetry",
	ClaudeStream:   "Claude Code, --output-format stream-json or json",
	ClaudeSession:  "Claude Code session files",
	Codex:          "codex exec --json",
	GeminiCLI:      "gemini --output-format stream-json",
	OpenAIAgents:   "OpenAI Agents SDK trace export",
	OpenAI:         "OpenAI chat messages and Responses items",
	Anthropic:      "Anthropic messages",
	LangChain:      "LangChain messages; LangGraph states, updates and events",
	LangSmith:      "LangSmith runs",
	CrewAI:         "CrewAI outputs, logs and events",
	AutoGen:        "AutoGen 0.2 chat results and 0.4 task results",
	Smolagents:     "smolagents run results",
	SemanticKernel: "Semantic Kernel chat histories",
	Bedrock:        "Amazon Bedrock Agents traces",
	MCP:            "MCP JSON-RPC logs",
	ADK:            "Google ADK and Vertex sessions",
	Langfuse:       "Langfuse trace exports",
	Inspect:        "inspect_ai logs, .json and .eval",
	Promptfoo:      "promptfoo results",
	PytestJSON:     "pytest-json-report",
	CTRF:           "Common Test Report Format",
	TauBench:       "tau-bench results",
	Tau2:           "tau2-bench results",
	ATIF:           "Agent Trajectory Interchange Format",
	Harbor:         "Harbor trial results",
	TerminalBench:  "Terminal-Bench results",
	SWEAgent:       "SWE-agent trajectories",
	MiniSWEAgent:   "mini-swe-agent trajectories",
}

// About returns what a file of the format is, in a few words; "" for a value that is
// no format.
func (f Format) About() string {
	if f < formatEnd {
		return abouts[f]
	}
	return ""
}
