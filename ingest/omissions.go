package ingest

// Why records of another tool's log gave nothing: one wording each, whatever the
// format.
const (
	resultWithoutCall = "results without their call"

	unknownEvent   = "events that are not understood"
	unknownMessage = "messages that are not known"
	unknownRole    = "messages of an unknown role"

	noObject   = "values that are not objects"
	noMessages = "records without messages"
	noResults  = "records that are no results of trials"

	emptyConversation = "conversations without messages"
	skippedTest       = "skipped tests"
	namelessTest      = "tests without a name"
	benchmark         = "benchmarks"
	warning           = "warnings"

	// noJSONObject is why a line gave nothing.
	noJSONObject = "lines that hold no JSON object"
)
