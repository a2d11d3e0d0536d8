package wire

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/prices"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// The parts of an [Exchange].
type (
	ParsedRequest = dialect.ParsedRequest // what a model was asked
	Answer        = dialect.Answer        // what it answered
	Call          = dialect.Call          // its call of a tool
	Result        = dialect.Result        // what came of one, as the agent tells it
)

// bound is what a request allows of its answer.
type bound = dialect.Bound

// Exchange is a request to a model, and what came of it.
type Exchange struct {
	Number    int // [Request.Number]
	Provider  Provider
	Dialect   string // in which form, such as openai/chat
	Started   time.Time
	FirstByte time.Duration // until the answer began; 0: none did
	Duration  time.Duration // until it had ended
	Status    int           // of HTTP; 0: no answer came
	Asked     ParsedRequest
	Answer    Answer
	CostUSD   trial.Optional[float64] // by [Options].Prices
	CostBasis trial.CostBasis
	Problem   string // why there is no answer, or none that is whole

	// LeastUSD is a lower bound of its cost: what is not told of its tokens counts nothing, or as what costs least.
	LeastUSD float64
	// CutOff says that the answer did not come to its end: Answer has what came until then, and its tokens are at least
	// those that it tells.
	CutOff bool

	done    bool
	unread  bool     // a model answered, with more than is read, or with what is not passed on
	gone    bool     // the agent did not wait for what it asked a server
	events  []string // what acts did with it, such as "fault: rate-limit"
	length  int64    // of the request, in bytes
	bound   bound
	attempt int    // of the route
	place   *place // in the queue of its route; nil: nothing is bounded
	share   *place // in that of the budget
	budget  *Budget
}

// Turn reports whether a model answered, be it in part, with more than is read, with what is not passed on, or with
// what was not waited for.
func (e *Exchange) Turn() bool {
	if e.Status != 0 && (e.Status < 200 || e.Status > 299) {
		return false
	}
	a := e.Answer
	return e.gone || e.unread || a.Ended || a.Text != "" || len(a.Calls) > 0 || a.Usage.Output.Value > 0
}

// Left reports whether the agent did not wait for the end of what a server was asked.
func (e *Exchange) Left() bool { return e.gone }

// withhold notes that a model answered with a status, and why nothing of it was passed on.
func (e *Exchange) withhold(status int, why error) {
	e.Status, e.unread, e.Problem = status, true, why.Error()
}

// counts reports whether the exchange counts toward limits. Whatever a server was asked may have been paid for: an
// answer that cannot be read, or that nobody waited for, is no way around them.
func (e *Exchange) counts() bool {
	answered := e.Status >= 200 && e.Status <= 299 && e.Answer.Failure == ""
	return answered || e.Turn()
}

// whole reports whether all of its tokens are told.
func (e *Exchange) whole() bool {
	return e.Answer.Usage.Input.Known && e.Answer.Usage.Output.Known && !e.CutOff
}

// price says what the exchange cost, as far as its tokens tell. Of an answer that was cut off, what its request allows
// is an upper bound.
func (e *Exchange) price(table *prices.Table) {
	u := e.Answer.Usage
	use := prices.Use{
		Model: e.model(), Input: u.Input.Value, Output: u.Output.Value, Cached: u.Cached, CacheWrites: u.Written,
	}
	bill, priced := table.Request(use)
	if !priced || !e.Turn() {
		return
	}
	e.LeastUSD = bill.LeastUSD
	most := e.bound.Tokens
	switch {
	case e.whole():
		e.CostUSD, e.CostBasis = trial.Some(bill.USD()), bill.Basis()
	case e.CutOff && u.Input.Known && most.Known && u.Output.Value <= most.Value:
		use.Output = most.Value
		if bill, priced = table.Request(use); priced {
			e.CostUSD, e.CostBasis = trial.Some(bill.USD()), trial.CostAtMost
		}
	}
}

// taken is what an exchange that counts took. What it does not tell is what was reserved for it.
func (e *Exchange) taken(table *prices.Table, reserved reservation) BudgetUse {
	u := e.Answer.Usage
	t := BudgetUse{Turns: 1, InputTokens: u.Input.Value, OutputTokens: u.Output.Value, CostUSD: e.CostUSD.Value}
	if !u.Input.Known {
		t.InputTokens = reserved.input
	}
	if !e.whole() {
		t.OutputTokens = max(u.Output.Value, reserved.output)
	}
	if !e.CostUSD.Known {
		bill, priced := table.Request(prices.Use{Model: e.model(), Input: t.InputTokens, Output: t.OutputTokens})
		if t.CostUSD = bill.USD(); !priced {
			t.Unpriced = 1
		}
	}
	if !u.Input.Known && !u.Output.Known && t.Tokens() == 0 {
		t.Untold = 1
	}
	return t
}

// leastTokens are those that it tells.
func (e *Exchange) leastTokens() int64 {
	return trial.Plus(e.Answer.Usage.Input.Value, e.Answer.Usage.Output.Value)
}

// model is that which answered, or the one that was asked.
func (e *Exchange) model() string {
	if e.Answer.Model != "" {
		return e.Answer.Model
	}
	return e.Asked.Model
}

// untold are the results that no earlier request told: a conversation is told again with each of its requests, and what
// it tells counts the first time. The lock is held.
func (r *Route) untold(a ParsedRequest) (kept []Result) {
	for _, result := range a.Results {
		key := result.CallID + "\x00" + a.Number(result.CallID)
		if result.CallID == "" || !r.told[key] {
			kept = append(kept, result)
		}
		r.told[key] = true
	}
	return kept
}
