package record

// Why records of another tool's log gave nothing: one wording each, whatever the
// format.
const (
	ResultWithoutCall = "results without their call"
	UnendedCall       = "calls that did not end"

	// RepeatedRun is of a run that was handed out before.
	RepeatedRun = "runs that are recorded twice, and count once"

	UnknownEvent   = "events that are not understood"
	UnknownMessage = "messages that are not known"
	UnknownRole    = "messages of an unknown role"

	NoObject   = "values that are not objects"
	NoMessages = "records without messages"
	NoResults  = "records that are no results of trials"

	EmptyConversation = "conversations without messages"
	SkippedTest       = "skipped tests"
	UnrunTest         = "tests that were not run"
	NamelessTest      = "tests without a name"
	Benchmark         = "benchmarks"
	Warning           = "warnings"

	// noJSONObject is why a line gave nothing.
	noJSONObject = "lines that hold no JSON object"
)
