package wire

import (
	"time"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// The parts of an [Exchange].
type (
	Asked  = dialect.Asked  // what a model was asked
	Answer = dialect.Answer // what it answered
	Call   = dialect.Call   // its call of a tool
	Result = dialect.Result // what came of one, as the agent tells it
	Usage  = dialect.Usage  // tokens
)

// Exchange is a request to a model, and what came of it.
type Exchange struct {
	Number    int // [Request.Number]
	Provider  Provider
	Dialect   string // in which form, such as openai/chat
	Started   time.Time
	FirstByte time.Duration // until the answer began; 0: none did
	Duration  time.Duration // until it had ended
	Status    int           // of HTTP; 0: no answer came
	Asked     Asked
	Answer    Answer
	CostUSD   trial.Optional[float64] // by [Options].Prices
	CostBasis trial.CostBasis
	Problem   string // why there is no answer, or none that is whole

	done   bool
	unread bool     // a model answered, with more than is read, or with what is not passed on
	budget *Budget  // of the run
	gone   bool     // the agent did not wait for what it asked a server
	events []string // what acts did with it, such as "fault: rate-limit"
}

// Turn reports whether a model answered, be it in part, with more than is read, or with what is not passed on.
func (e *Exchange) Turn() bool {
	if e.Status < 200 || e.Status > 299 {
		return false
	}
	a := e.Answer
	return e.unread || a.Ended || a.Text != "" || len(a.Calls) > 0 || a.Usage.Output.Value > 0
}

// withhold notes that a model answered with a status, and why nothing of it was passed on.
func (e *Exchange) withhold(status int, why error) {
	e.Status, e.unread, e.Problem = status, true, why.Error()
}

// counts reports whether the exchange counts toward limits. Whatever a server was asked may have been paid for: an
// answer that cannot be read, or that nobody waited for, is no way around them.
func (e *Exchange) counts() bool {
	answered := e.Status >= 200 && e.Status <= 299 && e.Answer.Failure == ""
	return answered || e.gone || e.Turn()
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
func (r *Route) untold(a Asked) (kept []Result) {
	for _, result := range a.Results {
		key := result.CallID + "\x00" + a.Number(result.CallID)
		if result.CallID == "" || !r.told[key] {
			kept = append(kept, result)
		}
		r.told[key] = true
	}
	return kept
}
