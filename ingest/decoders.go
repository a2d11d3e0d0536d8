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
	Trials: {read: readTrials},
	CSV:    {read: readCSV},
	Lines:  {read: readLines},
	JUnit:  {read: readJUnit},
	GoTest: {read: readGoTest},

	Inspect:       {shows: showsInspect, read: readInspect},
	Promptfoo:     {shows: showsPromptfoo, read: readPromptfoo},
	PytestJSON:    {shows: showsPytestJSON, read: readPytestJSON},
	CTRF:          {shows: showsCTRF, read: readCTRF},
	TauBench:      {shows: showsTauBench, read: readTauBench},
	Tau2:          {shows: showsTau2, read: readTau2},
	ATIF:          {shows: showsATIF, read: readATIF},
	Harbor:        {shows: showsHarbor, read: readHarbor},
	TerminalBench: {shows: showsTerminalBench, read: readTerminalBench},
	SWEAgent:      {shows: showsSWEAgent, read: readSWEAgent},
	MiniSWEAgent:  {shows: showsMiniSWEAgent, read: readMiniSWEAgent},
	ClaudeStream:  {showsClaudeStream, readClaudeStream},
	ClaudeSession: {showsClaudeSession, readClaudeSession},
	Codex:         {showsCodex, readCodex},
	GeminiCLI:     {showsGeminiCLI, readGeminiCLI},
	Anthropic:     {showsAnthropic, readAnthropic},
	Bedrock:       {showsBedrock, readBedrock},
	MCP:           {showsMCP, readMCP},
}

// trial hands out a trial that is put together from another tool's log. A trial
// without a scenario gets the name of its file, one without a number the next one.
func (in *input) trial(t *trace) error {
	return in.finished(t.finish())
}
