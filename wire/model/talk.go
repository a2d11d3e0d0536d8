package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
)

// Talk is a conversation with a model that may call tools: it is asked, its calls are answered, and it is asked again
// until it answers without a call.
type Talk struct {
	System, Prompt string
	Mocks          []Mock
	Seed           trial.Optional[int64]
	MaxTurns       int       // answers of the model; 0 is any number
	Until          time.Time // ends the waiting; zero: each request has the timeout of the settings
	Price          *Price    // nil: what it costs is not known
	Limits         oracle.Limits
	// Estimate is what an answer cost at most and at least where no price is known, for the limit alone; 0 is unknown,
	// and nil estimates nothing.
	Estimate func(model string, u Usage) (most, least float64)
}

// Conversation is a conversation, as far as it went.
type Conversation struct {
	Steps     []trial.Step // a step for each answer and each call
	Text      string       // of the last answer
	Turns     int          // answers
	ToolCalls int
	Usage     Usage // unknown where one answer does not tell
	CostUSD   trial.Optional[float64]
	Model     string  // that answered; "" is not told, or several
	LeastUSD  float64 // a lower bound of the cost, as far as answers tell it
	Body      []byte  // of the last answer

	estimated float64 // what is known of the cost, in US dollars, where no price is
	tokens    int64   // what is known of them, in and out
}

// LimitError says that a model was not asked again although it would have gone on.
type LimitError struct {
	Limit   string // such as max_turns
	Problem string
	Unsure  bool // an upper bound reached it, and whether the conversation has is not known
}

// Error returns the problem.
func (e *LimitError) Error() string { return e.Problem }

// Talk has a conversation. What is said is never nil; the error is a [LimitError], an [endpoint.Error], or a
// [ReplyError]. Of the first request alone it is left to the caller to make it again where the model was not reached,
// or turned it away, which then is unbegun.
func (c *Client) Talk(ctx context.Context, t Talk) (*Conversation, error) {
	said := &Conversation{Steps: []trial.Step{}}
	r := t.First()
	tools := mocks{t.Mocks, map[*MockAnswer]int{}}
	for {
		r.LeaveRefused = said.Turns == 0
		reply, err := c.Ask(ctx, r)
		if err != nil {
			return said, begun(err, said.Turns)
		}
		numbered(reply, said.ToolCalls)
		said.heard(reply, t.Price)
		if t.Price == nil && t.Estimate != nil {
			most, least := t.Estimate(reply.Model, reply.Usage)
			said.estimated, said.LeastUSD = said.estimated+most, said.LeastUSD+least
		}
		if len(reply.Calls) == 0 {
			return said, nil
		}
		if err := t.further(said); err != nil {
			return said, err
		}
		r.Messages = append(r.Messages, Message{Role: assistant, Text: reply.Text, Calls: reply.Calls})
		for _, call := range reply.Calls {
			r.Messages = append(r.Messages, said.called(&tools, call))
		}
	}
}

// First is the first request.
func (t *Talk) First() Request {
	r := Request{System: t.System, Messages: []Message{{Role: User, Text: t.Prompt}}, Seed: t.Seed, Until: t.Until}
	for _, m := range t.Mocks {
		r.Tools = append(r.Tools, m.Tool)
	}
	return r
}

// begun gives an error of a later request to a conversation that had begun.
func begun(err error, turns int) error {
	var why *endpoint.Error
	if turns == 0 || !errors.As(err, &why) {
		return err
	}
	later := *why
	later.Unbegun = false
	later.Problem = fmt.Sprintf("%s, after %d turns", why.Problem, turns)
	if turns == 1 {
		later.Problem = why.Problem + ", after 1 turn"
	}
	return &later
}

// numbered gives calls without a number one, by which their results are told apart.
func numbered(reply *Reply, before int) {
	for i := range reply.Calls {
		if reply.Calls[i].ID == "" {
			reply.Calls[i].ID = "call_" + strconv.Itoa(before+i+1)
		}
	}
}

// further refuses another turn that would break a limit. What it will cost is not known before, but it is more than
// nothing.
func (t *Talk) further(said *Conversation) error {
	limit := t.Limits.MaxTurns
	switch {
	case t.MaxTurns > 0 && said.Turns >= t.MaxTurns && (!limit.Known || t.MaxTurns <= limit.Value):
		return &LimitError{Limit: oracle.TurnLimit, Problem: fmt.Sprintf(
			"max_turns of the model: it still calls tools after %d, and is not asked again", said.Turns)}
	case limit.Known && said.Turns >= limit.Value:
		return &LimitError{Limit: oracle.TurnLimit, Problem: fmt.Sprintf(
			"max_turns: the model still calls tools after %d, and the limit is %d", said.Turns, limit.Value)}
	}
	if most := t.Limits.MaxTokens; most.Known && said.tokens >= most.Value {
		return &LimitError{Limit: oracle.TokenLimit, Problem: fmt.Sprintf(
			"max_tokens: the model still calls tools after %d tokens, and the limit is %d", said.tokens, most.Value)}
	}
	cost := max(said.CostUSD.Value, said.estimated)
	if most := t.Limits.MaxCostUSD; most.Known && cost > 0 && cost >= most.Value {
		if said.LeastUSD < most.Value {
			return &LimitError{Limit: oracle.CostLimit, Unsure: true, Problem: fmt.Sprintf("max_cost_usd: the model still "+
				"calls tools after at most $%s and at least $%s, and the limit is $%s: what came from a cache is not told",
				amount(cost), amount(said.LeastUSD), amount(most.Value))}
		}
		return &LimitError{Limit: oracle.CostLimit, Problem: fmt.Sprintf(
			"max_cost_usd: the model still calls tools after $%s, and the limit is $%s", amount(cost),
			amount(most.Value))}
	}
	return nil
}

// amount writes dollars.
func amount(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// heard adds an answer.
func (s *Conversation) heard(reply *Reply, price *Price) {
	u := reply.Usage
	step := trial.Step{
		Action: trial.Respond, Model: reply.Model, DurationSeconds: trial.Some(reply.Duration.Seconds()),
		InputTokens: u.Input, OutputTokens: u.Output, CachedTokens: u.Cached, CacheWrites: u.Written,
		CostUSD: price.Of(u),
	}
	s.LeastUSD += price.leastOf(u)
	if len(reply.Calls) > 0 {
		step.Action = trial.Reason
	}
	if reply.Text != "" || len(reply.Calls) == 0 {
		step.Output = trial.RawString(reply.Text)
	}
	if u.Reasoning.Known {
		step.Extra = append(step.Extra, trial.Member{
			Name: "reasoning_tokens", Value: trial.Raw(strconv.FormatInt(u.Reasoning.Value, 10)),
		})
	}
	if reply.Refused || !slices.Contains([]string{"", "stop", "tool_calls", "end_turn", "tool_use"}, reply.Finish) {
		step.Extra = append(step.Extra, trial.Member{Name: "finish", Value: trial.RawString(reply.Finish)})
	}
	s.Steps = append(s.Steps, step)
	if s.Turns == 0 {
		s.Usage, s.CostUSD, s.Model = u, step.CostUSD, reply.Model
	} else {
		s.Usage = s.Usage.Plus(u)
		s.CostUSD = trial.Optional[float64]{
			Value: s.CostUSD.Value + step.CostUSD.Value, Known: s.CostUSD.Known && step.CostUSD.Known,
		}
		if s.Model != reply.Model {
			s.Model = ""
		}
	}
	s.tokens = trial.Plus(s.tokens, trial.Plus(u.Input.Value, u.Output.Value))
	s.Turns++
	s.Text, s.Body = reply.Text, reply.Body
}

// called has a call answered, and returns the message with the result.
func (s *Conversation) called(tools *mocks, call Call) Message {
	arguments, result, problem := tools.call(call)
	s.ToolCalls++
	s.Steps = append(s.Steps, trial.Step{
		Action: trial.CallTool, Tool: call.Name, Arguments: arguments, Output: result, Error: problem,
		DurationSeconds: trial.Some(0.0), // a mock takes no time
	})
	if problem != "" {
		return Message{Role: Result, CallID: call.ID, Text: "error: " + problem, Failed: true}
	}
	return Message{Role: Result, CallID: call.ID, Text: result.Text()}
}

// Price is what tokens cost, in US dollars for a million.
type Price struct {
	Input, Output float64
	Cached        trial.Optional[float64] // of input read from a cache; unknown is as other input
}

// Of returns what tokens cost, in US dollars. It is unknown where the tokens or the price are; nil knows no price. That
// nothing is told of a cache means that all of the input cost the whole price.
func (p *Price) Of(u Usage) trial.Optional[float64] {
	if p == nil || !u.Input.Known || !u.Output.Known {
		return trial.Optional[float64]{}
	}
	cached := min(u.Cached.Value, u.Input.Value)
	const each = 1e6
	input := float64(u.Input.Value-cached)*p.Input + float64(cached)*p.Cached.Or(p.Input)
	return trial.Some((input + float64(u.Output.Value)*p.Output) / each)
}

// leastOf is what tokens cost at least: where nothing is told of a cache, all of the input may have come from one.
func (p *Price) leastOf(u Usage) float64 {
	if p != nil && p.Cached.Known && !u.Cached.Known {
		u.Cached = u.Input
	}
	return min(p.Of(u).Value, p.Of(Usage{Input: u.Input, Output: u.Output}).Value)
}

// MarshalJSON leaves out what is not known.
func (p Price) MarshalJSON() ([]byte, error) {
	form := struct {
		Input  float64
		Output float64
		Cached *float64 `json:",omitempty"`
	}{p.Input, p.Output, nil}
	if p.Cached.Known {
		form.Cached = &p.Cached.Value
	}
	return json.Marshal(form)
}
