package ingest

// decoder is how a format is told from others, and read.
type decoder struct {
	// shows reports whether a file that begins so is of the format; nil where another
	// way tells. The formats are asked in their order.
	shows func(*shape) bool

	// read reads a file from its beginning, and hands out its trials by input.trial.
	read func(*input) error
}

// decoders are those of all formats but [Auto].
var decoders = [formatEnd]decoder{
	Trials:  {read: readTrials},
	CSV:     {read: readCSV},
	Lines:   {read: readLines},
	JUnit:   {read: readJUnit},
	GoTest:  {read: readGoTest},
	Journal: {showsJournal, readJournal},

	OTLP:           {showsOTLP, readOTLP},
	ClaudeStream:   {showsClaudeStream, readClaudeStream},
	ClaudeSession:  {showsClaudeSession, readClaudeSession},
	Codex:          {showsCodex, readCodex},
	GeminiCLI:      {showsGeminiCLI, readGeminiCLI},
	OpenAIAgents:   {showsOpenAIAgents, readOpenAIAgents},
	OpenAI:         {showsOpenAI, readOpenAI},
	Anthropic:      {showsAnthropic, readAnthropic},
	LangChain:      {showsLangChain, readLangChain},
	LangSmith:      {showsLangSmith, readLangSmith},
	CrewAI:         {showsCrewAI, readCrewAI},
	AutoGen:        {showsAutoGen, readAutoGen},
	Smolagents:     {showsSmolagents, readSmolagents},
	SemanticKernel: {showsSemanticKernel, readSemanticKernel},
	Bedrock:        {showsBedrock, readBedrock},
	MCP:            {showsMCP, readMCP},
	ADK:            {showsADK, readADK},
	Langfuse:       {showsLangfuse, readLangfuse},
	Inspect:        {showsInspect, readInspect},
	Promptfoo:      {showsPromptfoo, readPromptfoo},
	PytestJSON:     {showsPytestJSON, readPytestJSON},
	CTRF:           {showsCTRF, readCTRF},
	TauBench:       {showsTauBench, readTauBench},
	Tau2:           {showsTau2, readTau2},
	ATIF:           {showsATIF, readATIF},
	Harbor:         {showsHarbor, readHarbor},
	TerminalBench:  {showsTerminalBench, readTerminalBench},
	SWEAgent:       {showsSWEAgent, readSWEAgent},
	MiniSWEAgent:   {showsMiniSWEAgent, readMiniSWEAgent},
}

// trial hands out a trial that is put together from another tool's log. A trial
// without a scenario gets the name of its file, one without a number the next one.
func (in *input) trial(t *trace) error {
	return in.finished(t.finish())
}
