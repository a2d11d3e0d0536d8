package wire

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Traffic is what passed over a route.
type Traffic struct {
	Exchanges []Exchange // requests to models, in the order in which they began
	Passed    int        // requests in a form that is not known
	Stopped   string     // the limit that was reached, as in max_turns, or budget, or the act that ended it; "" is none
	Spent     Expense
	Taken     BudgetUse // as a budget counts it
	// Broken is the limit that what was taken is known to be above, or, where it stopped the attempt, to have reached.
	// Unsure is one that nobody knows to have been kept: upper bounds are above it, or a price is not known. "" is none.
	Broken, Unsure string
	// Void is why the attempt shows nothing, whatever came of it, such as a fault that had no occasion; "" it does.
	Void    string
	Guarded bool      // a guard stood on the way
	Events  []Event   // what acts did, in its order
	Tools   []ToolUse // calls of tools that reached a server on the wire
}

// Follow puts what was seen before, of the same attempt, in front of what was seen; nil is nothing.
func (s *Traffic) Follow(before *Traffic) {
	if before == nil {
		return
	}
	s.Exchanges = append(slices.Clone(before.Exchanges), s.Exchanges...)
	s.Events = append(slices.Clone(before.Events), s.Events...)
	s.Tools = append(slices.Clone(before.Tools), s.Tools...)
	s.Passed += before.Passed
	s.Guarded = s.Guarded || before.Guarded
	s.Spent, s.Taken = before.Spent.Plus(s.Spent), before.Taken.Plus(s.Taken)
}

// Calls is the number of all requests.
func (s *Traffic) Calls() int { return len(s.Exchanges) + s.Passed + len(s.Tools) }

// Why says what the act whose name is the reason of the stop told last; "" is nothing.
func (s *Traffic) Why() string {
	for _, e := range slices.Backward(s.Events) {
		if e.Act == s.Stopped {
			return e.Detail
		}
	}
	return ""
}

// NotUnderstood counts what passed unread, or could not be read.
func (s *Traffic) NotUnderstood() int {
	n := s.Passed
	for i := range s.Exchanges {
		if e := &s.Exchanges[i]; e.unread || !e.Turn() && e.Status >= 200 && e.Status <= 299 && e.Answer.Failure == "" {
			n++
		}
	}
	return n
}

// RefusedAction is the action of a step that is a request which no model answered: it is no turn.
const RefusedAction trial.Action = "request"

// Fill gives a trial what was seen: its steps in place of any that the agent told, and tokens, model and cost as far as
// all answers tell them. Its outcome and output stay. Without an answer it stays as it is but for requests that failed,
// and for what a guard kept from being done, which its record has in the form of package guardrails.
func (s *Traffic) Fill(t *trial.Trial) {
	denied := s.guardrails()
	denied.Record(t)
	if len(s.Exchanges) == 0 && len(s.Tools) == 0 && (denied == nil || len(denied.Clauses) == 0) {
		return
	}
	t.Steps = s.Steps()
	t.Turns, t.ToolCalls = trial.Optional[int]{}, trial.Optional[int]{} // which the steps tell
	var total totals
	for i := range s.Exchanges {
		if e := &s.Exchanges[i]; e.Turn() {
			total.add(e)
		}
	}
	if total.turns > 0 {
		total.fill(t)
	}
}

// totals add up answers.
type totals struct {
	turns                          int
	model                          string
	several                        bool
	input, output, cached, written knownSum
	cost                           float64
	priced                         int
	basis                          trial.CostBasis
	least                          int64 // tokens, in and out, that are told
	leastUSD                       float64
}

// knownSum is a sum, and of how many.
type knownSum struct {
	sum   int64
	count int
}

func (k *knownSum) add(n trial.Optional[int64]) {
	if n.Known {
		k.sum, k.count = min(trial.Plus(k.sum, n.Value), trial.MaxTokens), k.count+1
	}
}

func (t *totals) add(e *Exchange) {
	t.several = t.several || t.turns > 0 && t.model != e.model()
	t.model = e.model()
	t.turns++
	u := e.Answer.Usage
	t.input.add(u.Input)
	if !e.CutOff {
		t.output.add(u.Output)
	}
	t.least = trial.Plus(t.least, e.leastTokens())
	t.leastUSD += e.LeastUSD
	t.cached.add(u.Cached)
	t.written.add(u.Written)
	if e.CostUSD.Known {
		t.cost, t.priced = t.cost+e.CostUSD.Value, t.priced+1
	}
	if t.basis != trial.CostAtMost {
		t.basis = e.CostBasis
	}
}

// fill gives a trial the sums of what all answers tell.
func (t *totals) fill(record *trial.Trial) {
	record.Model = t.model
	if t.several {
		record.Model = ""
	}
	for _, f := range []struct {
		to   *trial.Optional[int64]
		from knownSum
	}{
		{&record.InputTokens, t.input}, {&record.OutputTokens, t.output},
		{&record.CachedTokens, t.cached}, {&record.CacheWrites, t.written},
	} {
		if f.from.count == t.turns {
			*f.to = trial.Some(f.from.sum)
		}
	}
	if t.priced == t.turns && t.cost <= trial.MaxAmount {
		record.CostUSD, record.CostBasis = trial.Some(t.cost), t.basis
	}
	if t.least > 0 && !(record.InputTokens.Known && record.OutputTokens.Known) {
		record.TokensAtLeast = trial.Some(min(t.least, trial.MaxTokens))
	}
	if t.leastUSD > 0 && (!record.CostUSD.Known || record.CostBasis == trial.CostAtMost) {
		record.CostAtLeast = trial.Some(min(t.leastUSD, trial.MaxAmount))
	}
}

// Steps are what was seen as steps: each answer of a model, followed by its calls of tools with what came of them, and
// each request that no model answered.
func (s *Traffic) Steps() []trial.Step {
	results := map[string]Result{}
	for i := range s.Exchanges {
		asked := &s.Exchanges[i].Asked
		for _, r := range asked.Results {
			for _, id := range []string{r.CallID, asked.Number(r.CallID)} {
				if _, told := results[id]; !told && id != "" {
					results[id] = r
				}
			}
		}
	}
	steps, asked := s.modelSteps(results)
	for _, use := range asked.before(time.Time{}) {
		steps = append(steps, use.step())
	}
	return append(steps, s.denials()...)
}

// modelSteps are the steps of exchanges, and of the calls of tools before each. A call that reached a server of tools
// has the tool's own result; uses are those that are left.
func (s *Traffic) modelSteps(results map[string]Result) (steps []trial.Step, uses *useMatcher) {
	uses = newUsedFor(s.Tools)
	matched := map[*Call]*ToolUse{}
	for i := range s.Exchanges {
		e := &s.Exchanges[i]
		for j := range e.Answer.Calls {
			if e.Turn() {
				matched[&e.Answer.Calls[j]] = uses.of(e.Answer.Calls[j], e.Started)
			}
		}
	}
	for i := range s.Exchanges {
		e := &s.Exchanges[i]
		for _, use := range uses.before(e.Started) {
			steps = append(steps, use.step())
		}
		steps = append(steps, e.step())
		if !e.Turn() {
			continue
		}
		for j, c := range e.Answer.Calls {
			r, told := results[c.ID]
			step := callStep(c, r, told)
			if use := matched[&e.Answer.Calls[j]]; use != nil {
				use.fill(&step)
			}
			steps = append(steps, step)
		}
	}
	return steps, uses
}

// step is the exchange itself.
func (e *Exchange) step() trial.Step {
	step := trial.Step{
		Action: RefusedAction, Model: valid(e.model()), Error: valid(e.Problem),
		DurationSeconds: trial.Some(e.Duration.Seconds()),
	}
	step.AddEvents(e.events...)
	if !e.Turn() {
		return step
	}
	a, u := &e.Answer, e.Answer.Usage
	step.Action = trial.Respond
	if len(a.Calls) > 0 {
		step.Action = trial.Reason
	}
	if a.Text != "" || len(a.Calls) == 0 && a.Ended && !e.unread {
		step.Output = trial.RawString(valid(a.Text))
	}
	step.InputTokens, step.OutputTokens, step.CachedTokens, step.CacheWrites = u.Input, u.Output, u.Cached, u.Written
	step.CostUSD = e.CostUSD
	extra := func(name string, value string) {
		step.Extra = append(step.Extra, trial.Member{Name: name, Value: trial.Raw(value)})
	}
	if e.CutOff { // a sum of what came until then would look like a total
		step.OutputTokens = trial.Optional[int64]{}
		extra("cut_off", "true")
		if u.Output.Known {
			extra("output_tokens_at_least", strconv.FormatInt(u.Output.Value, 10))
		}
	}
	if u.Reasoning.Known {
		extra("reasoning_tokens", strconv.FormatInt(u.Reasoning.Value, 10))
	}
	if e.FirstByte > 0 {
		extra("first_byte_s", strconv.FormatFloat(e.FirstByte.Seconds(), 'f', -1, 64))
	}
	switch a.Finish {
	case "", "stop", "tool_calls", "end_turn", "tool_use", "STOP", "completed":
	default:
		extra("finish", string(trial.RawString(valid(a.Finish))))
	}
	return step
}

// callStep is a call of a tool, with what the agent told the model of it in a later request.
func callStep(c Call, r Result, told bool) trial.Step {
	step := trial.Step{Action: trial.CallTool, Tool: valid(c.Name), Arguments: rawOf(c.Arguments)}
	switch {
	case told && r.Failed:
		step.Error = valid(r.Output)
		if step.Error == "" {
			step.Error = "the tool failed"
		}
	case told:
		step.Output = trial.RawString(valid(r.Output))
	}
	return step
}

// rawOf is JSON as it is, and any other text as a JSON string.
func rawOf(text string) trial.Raw {
	text = valid(text)
	if json.Valid([]byte(text)) {
		return trial.Raw(text)
	}
	return trial.RawString(text)
}

// valid is a text as UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
