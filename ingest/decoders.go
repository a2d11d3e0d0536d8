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

	OTLP:     {showsOTLP, readOTLP},
	Langfuse: {showsLangfuse, readLangfuse},
}

// trial hands out a trial that is put together from another tool's log. A trial
// without a scenario gets the name of its file, one without a number the next one.
func (in *input) trial(t *trace) error {
	return in.finished(t.finish())
}
