package trial

import "slices"

// Trial is the record of one trial: one attempt of a system at one scenario, and
// what came of it. Only Scenario and Outcome are needed; a string that is empty,
// a slice that is nil and a number that is not Known are unknown.
type Trial struct {
	// What was tried. The three together are the key of the trial: see [KeySet].
	Scenario string        // the name of the task
	Index    Optional[int] // "trial": its number within variant and scenario, not negative
	Variant  string        // the version of the system

	// What came of it.
	Outcome Outcome           // [Unjudged] where nothing told it
	Score   Optional[float64] // any finite number, on the scorer's scale; more is better
	Error   *Cause            // why no verdict was reached, or what went wrong on the way; nil: nothing

	// What it took. Numbers are finite and not negative.
	StartedAt       Timestamp         // "" where it is unknown
	DurationSeconds Optional[float64] // "duration_s": from beginning to end, in seconds
	Model           string            // that answered; "" is unknown, or several
	CostUSD         Optional[float64] // of all steps, in US dollars
	CostBasis       CostBasis         // what CostUSD rests on: what the system recorded, or an estimate
	CostAtLeast     Optional[float64] // "cost_usd_at_least": a lower bound, where CostUSD is unknown or [CostAtMost]
	InputTokens     Optional[int64]   // of all steps, with cached tokens
	OutputTokens    Optional[int64]   // of all steps
	TokensAtLeast   Optional[int64]   // "tokens_at_least": a lower bound of both together, where one is unknown
	CachedTokens    Optional[int64]   // of the input tokens, those that were read from a provider's cache
	CacheWrites     Optional[int64]   // "cache_write_tokens": of the input tokens, those that were written to one
	Turns           Optional[int]     // answers of the model, as the system counts them; steps go before it
	ToolCalls       Optional[int]     // calls of tools, likewise
	ModelUsage      []ModelUse        // "model_usage": the same by model, where it is told so; goes before the steps' own

	// What happened in it.
	Steps   []Step        // in their order; nil: not recorded; empty: recorded, and there was none
	Input   Raw           // what the system was given; trials of equal input can be paired
	Output  Raw           // what it answered at the end
	Attempt Optional[int] // which it was, from 1, where a tool tries again after a failure that is not the system's
	Tags    []Member      // by name; see [Trial.Tag]
	Extra   []Member      // fields that this package does not know, in their order

	Place Place // where the trial was read; it is not written
}

// The most that a trial or a step of it may say it took: far more than any did, and so little that sums over all
// trials are finite, and numbers of tokens exact in every language.
const (
	MaxAmount       = 1e15    // of costs, in US dollars, and of durations, in seconds
	MaxTokens int64 = 1 << 53 // of input tokens, and of output tokens
)

// Step is one action of the system during a trial.
type Step struct {
	Action Action // what was done
	Tool   string // the name of the tool, of a [CallTool]

	Arguments Raw    // what the tool was given, usually a JSON object; nil: not recorded
	Output    Raw    // what came back, or was said: usually a JSON string; nil: not recorded
	Error     string // not empty: the step failed, and this is the message

	Depth           Optional[int]     // 0 is the system itself, 1 a sub-agent of it
	DurationSeconds Optional[float64] // "duration_s", in seconds
	CostUSD         Optional[float64] // in US dollars
	InputTokens     Optional[int64]   // with cached tokens
	OutputTokens    Optional[int64]   // that the model wrote
	CachedTokens    Optional[int64]   // of the input tokens, those that were read from a provider's cache
	CacheWrites     Optional[int64]   // "cache_write_tokens": of the input tokens, those that were written to one
	Model           string            // that was asked; "" where it is not told
	Extra           []Member          // fields that this package does not know, in their order
}

// ModelUse is what one of the models of a trial took.
type ModelUse struct {
	Model        string            // its name
	CostUSD      Optional[float64] // in US dollars
	InputTokens  Optional[int64]   // with cached tokens
	OutputTokens Optional[int64]   // that the model wrote
	CachedTokens Optional[int64]   // of the input tokens, those that were read from a provider's cache
	CacheWrites  Optional[int64]   // "cache_write_tokens": of the input tokens, those that were written to one
	Extra        []Member          // fields that this package does not know, in their order
}

// CostBasis says what the cost of a trial rests on.
type CostBasis string

// The bases of a cost.
const (
	RecordedCost  CostBasis = ""          // the system, or its provider, says so
	EstimatedCost CostBasis = "estimated" // tokens at list prices
	CostAtMost    CostBasis = "at-most"   // the same; what is not told, such as cached tokens, could only make it less
)

// Action is the kind of a step. Any word is allowed; three have a meaning here.
type Action string

// The actions that are counted: a turn is a step that reasons or responds.
const (
	Reason   Action = "reason"    // the model thought or chose what to do
	CallTool Action = "call_tool" // a tool was called
	Respond  Action = "respond"   // text went to the user
)

// Cause is the error object of a trial.
type Cause struct {
	Origin  Origin   // who or what caused it; "" is unknown
	Type    string   // a word for the kind, such as "timeout"; may be ""
	Message string   // for a person; may be ""
	Extra   []Member // fields that this package does not know, in their order
}

// Origin says what caused a [Cause]. Any word is allowed.
type Origin string

// InfrastructureOrigin marks what is not the system's own doing, such as a
// timeout of its provider.
const InfrastructureOrigin Origin = "infrastructure"

// Tag returns the text of a tag: the content of a JSON string, the JSON text of
// any other value.
func (t *Trial) Tag(name string) (text string, ok bool) {
	for _, tag := range t.Tags {
		if tag.Name == name {
			return tag.Value.Text(), true
		}
	}
	return "", false
}

// Clone returns a copy that shares no memory with t that a reader would use
// again.
func (t *Trial) Clone() *Trial {
	c := *t
	if t.Error != nil {
		cause := *t.Error
		cause.Extra = cloneMembers(cause.Extra)
		c.Error = &cause
	}
	c.Steps = slices.Clone(t.Steps)
	for i := range c.Steps {
		s := &c.Steps[i]
		s.Arguments, s.Output, s.Extra = slices.Clone(s.Arguments), slices.Clone(s.Output), cloneMembers(s.Extra)
	}
	c.ModelUsage = slices.Clone(t.ModelUsage)
	for i := range c.ModelUsage {
		c.ModelUsage[i].Extra = cloneMembers(c.ModelUsage[i].Extra)
	}
	c.Input, c.Output = slices.Clone(t.Input), slices.Clone(t.Output)
	c.Tags, c.Extra = cloneMembers(t.Tags), cloneMembers(t.Extra)
	return &c
}

// cloneMembers copies members with their values.
func cloneMembers(members []Member) []Member {
	c := slices.Clone(members)
	for i := range c {
		c[i].Value = slices.Clone(c[i].Value)
	}
	return c
}
