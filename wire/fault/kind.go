package fault

import "slices"

// Kind is what is broken.
type Kind string

// The kinds of faults of models.
const (
	RateLimit       Kind = "rate-limit"
	Overloaded      Kind = "overloaded"
	ServerError     Kind = "server-error"
	Timeout         Kind = "timeout"
	Reset           Kind = "reset"
	Slow            Kind = "slow"
	CutStream       Kind = "cut-stream"
	Truncated       Kind = "truncated"
	Empty           Kind = "empty"
	Refusal         Kind = "refusal"
	MalformedJSON   Kind = "malformed-json"
	UnknownTool     Kind = "unknown-tool"
	SchemaDrift     Kind = "schema-drift"
	WrongModel      Kind = "wrong-model"
	ContextOverflow Kind = "context-overflow"
)

// The kinds of faults of tools.
const (
	ToolError     Kind = "tool-error"
	toolTimeout   Kind = "tool-timeout"
	ToolEmpty     Kind = "tool-empty"
	toolMalformed Kind = "tool-malformed"
	ToolStale     Kind = "tool-stale"
	ToolSwapped   Kind = "tool-swapped"
	toolDenied    Kind = "tool-denied"
	ToolLie       Kind = "tool-lie"
	ToolInjection Kind = "tool-injection"
	HugeResult    Kind = "huge-result"
	ToolRemoved   Kind = "tool-removed"
	ToolRenamed   Kind = "tool-renamed"
)

// Part is what a kind of fault breaks.
type Part string

// What faults break.
const (
	OfModel  Part = "model"  // a request to a model, or its answer
	ofResult Part = "result" // what a tool came to, over MCP or as it is told to a model
	ofList   Part = "list"   // the tools that a server lists, or a request offers
)

// About is what is known of a kind.
type About struct {
	Kind    Kind
	Of      Part
	Options []string // beside at, rate and times
	Says    string   // what it does, for a person
}

var kinds = []About{
	{RateLimit, OfModel, []string{"retry_after"}, "429 with the provider's headers, which say how long to wait"},
	{Overloaded, OfModel, []string{"retry_after"}, "529 of Anthropic, 503 of others"},
	{ServerError, OfModel, nil, "500"},
	{Timeout, OfModel, nil, "no answer, until the agent goes away"},
	{Reset, OfModel, nil, "the connection is reset"},
	{
		Slow, OfModel, []string{"latency", "tokens_per_second"},
		"the answer comes late by the latency (2s unless either is given), or in parts no faster than so many tokens a " +
			"second",
	},
	{CutStream, OfModel, nil, "the connection breaks behind half of the answer"},
	{
		Truncated, OfModel, []string{"tool"},
		"half of the answer, which says that it reached the limit of tokens; of calls, half of the arguments",
	},
	{Empty, OfModel, nil, "an answer that says nothing and calls nothing"},
	{Refusal, OfModel, nil, "the model declines, as the provider tells it"},
	{MalformedJSON, OfModel, []string{"tool"}, "arguments of a call that do not parse"},
	{UnknownTool, OfModel, []string{"tool", "name"}, "a call of a tool that nobody offered"},
	{SchemaDrift, OfModel, nil, "a field of the answer has another name"},
	{WrongModel, OfModel, []string{"name"}, "the answer is of another model than the one that was asked"},
	{ContextOverflow, OfModel, nil, "400: the request is longer than the model's context"},
	{ToolError, ofResult, []string{"tool"}, "the tool failed"},
	{toolTimeout, ofResult, []string{"tool"}, "the tool did not answer in time"},
	{ToolEmpty, ofResult, []string{"tool"}, "nothing"},
	{toolMalformed, ofResult, []string{"tool"}, "half of the result, which does not parse"},
	{ToolStale, ofResult, []string{"tool"}, "an earlier, different result of the same tool again"},
	{ToolSwapped, ofResult, []string{"tool"}, "the last result of another tool in place of its own"},
	{toolDenied, ofResult, []string{"tool"}, "the tool denies access (403)"},
	{ToolLie, ofResult, []string{"tool"}, "well-formed and wrong: numbers changed, fields swapped"},
	{
		ToolInjection, ofResult, []string{"tool", "payload", "place"},
		"the result carries instructions, with a canary that shows whether they were followed",
	},
	{HugeResult, ofResult, []string{"tool", "size"}, "the result again and again, up to a size (400 kB by default)"},
	{ToolRemoved, ofList, []string{"tool"}, "a tool is not offered (the first, unless it is named)"},
	{ToolRenamed, ofList, []string{"tool", "name"}, "a tool is offered under another name"},
}

// Kinds are all kinds, those of models first.
func Kinds() []About { return slices.Clone(kinds) }

// Names are the names of all kinds.
func Names() (names []string) {
	for _, a := range kinds {
		names = append(names, string(a.Kind))
	}
	return names
}

// about finds a kind.
func about(k Kind) (About, bool) {
	i := slices.IndexFunc(kinds, func(a About) bool { return a.Kind == k })
	if i < 0 {
		return About{}, false
	}
	return kinds[i], true
}

// Options are the names of all options.
func Options() (names []string) {
	for _, o := range new(Fault).options() {
		names = append(names, o.name)
	}
	return names
}
