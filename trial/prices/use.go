package prices

import (
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Use is what a model was asked and answered: in one request, or in several together.
type Use struct {
	Model         string
	Input, Output int64                 // tokens; input with cached ones
	Cached        trial.Optional[int64] // of the input, read from a cache
	CacheWrites   trial.Optional[int64] // of the input, written to one
	Single        bool                  // it is of one request
}

// Line is a number of tokens at one price.
type Line struct {
	Kind   Kind    `json:"kind"`
	Tokens int64   `json:"tokens"`
	Rate   float64 `json:"usd_per_mtok"` // in US dollars for a million tokens
}

// USD is what the tokens cost, in US dollars.
func (l Line) USD() float64 { return float64(l.Tokens) * l.Rate / 1e6 }

// Kind says what tokens are.
type Kind string

// The kinds of tokens.
const (
	Input      Kind = "input"       // neither read from a cache nor written to one, or not known to be
	cached     Kind = "cached"      // read from a cache
	cacheWrite Kind = "cache_write" // written to one
	Output     Kind = "output"      // written by the model
)

// Bill is what a use costs by a row. It is an upper bound where what is not told could only make it less: how many of
// the input tokens came from a cache, how long each of several requests was, or at what hour it was made.
type Bill struct {
	Lines    []Line
	AtMost   bool
	LeastUSD float64 // a lower bound, in US dollars: what it costs where it is none
}

// USD is the sum of the lines, in US dollars.
func (b Bill) USD() (sum float64) {
	for _, l := range b.Lines {
		sum += l.USD()
	}
	return sum
}

// Bill prices a use by the row. It is false where the numbers contradict each other: more tokens of the input have to
// do with a cache than there are.
func (r Row) Bill(u Use) (Bill, bool) {
	if u.Input < 0 || u.Output < 0 || u.Cached.Value < 0 || u.CacheWrites.Value < 0 {
		return Bill{}, false
	}
	rest := u.Input - u.Cached.Value - u.CacheWrites.Value
	if rest < 0 {
		return Bill{}, false
	}
	rates, bill := r.Rates, Bill{AtMost: r.Highest}
	least := rates
	if r.Above > 0 && u.Input > r.Above {
		rates, least = r.Long, r.Long
		if !u.Single { // some of the requests may have been short
			rates, least, bill.AtMost = highest(r.Rates, r.Long), lowest(r.Rates, r.Long), true
		}
	}
	rate := rates.Input
	if rest > 0 && !u.CacheWrites.Known && rates.cacheWrite() > rate {
		rate, bill.AtMost = rates.cacheWrite(), true
	}
	if rest > 0 && !u.Cached.Known && rates.cached() < rate {
		bill.AtMost = true
	}
	for _, line := range []Line{
		{Input, rest, rate},
		{cached, u.Cached.Value, rates.cached()},
		{cacheWrite, u.CacheWrites.Value, rates.cacheWrite()},
		{Output, u.Output, rates.Output},
	} {
		if line.Tokens > 0 {
			bill.Lines = append(bill.Lines, line)
		}
	}
	switch {
	case r.Highest: // nobody knows how much less it was
	case bill.AtMost:
		bill.LeastUSD = least.leastOf(u, rest)
	default:
		bill.LeastUSD = bill.USD()
	}
	return bill, true
}

// leastOf is what a use costs at least, in US dollars: the rest of its input, of which it is not told whether a cache
// has to do with it, at the lowest rate that it may have.
func (r Rates) leastOf(u Use, rest int64) float64 {
	rate := r.Input
	if !u.Cached.Known {
		rate = min(rate, r.cached())
	}
	if !u.CacheWrites.Known {
		rate = min(rate, r.cacheWrite())
	}
	return (float64(rest)*rate + float64(u.Cached.Value)*r.cached() + float64(u.CacheWrites.Value)*r.cacheWrite() +
		float64(u.Output)*r.Output) / 1e6
}

// highest is the higher one of each rate.
func highest(a, b Rates) Rates { return each(a, b, func(x, y float64) float64 { return max(x, y) }) }

// lowest is the lower one of each rate.
func lowest(a, b Rates) Rates { return each(a, b, func(x, y float64) float64 { return min(x, y) }) }

// each has one of each rate.
func each(a, b Rates, one func(x, y float64) float64) Rates {
	return Rates{
		Input: one(a.Input, b.Input), Output: one(a.Output, b.Output),
		Cached:     trial.Some(one(a.cached(), b.cached())),
		CacheWrite: trial.Some(one(a.cacheWrite(), b.cacheWrite())),
	}
}

// Estimate is what a trial cost by its tokens.
type Estimate struct {
	USD    float64 // in US dollars
	AtMost bool    // an upper bound; see [Bill]
	Least  float64 // a lower bound, in US dollars
	Bills  []ModelBill
}

// ModelBill is the bill of a use.
type ModelBill struct {
	Use  Use
	Row  Row
	Bill Bill
}

// Estimate prices the tokens of a trial. Where it cannot, why says what is missing, as in "no tokens are told".
//
// Steps are priced one by one where each that is not a call of a tool tells its model and its tokens, and they add up
// to those of the trial. Otherwise what each model took is, by the same condition, or the tokens of the trial, where
// there is one model.
func (t *Table) Estimate(record *trial.Trial) (e Estimate, why string) {
	uses, why := UsesOf(record)
	if why != "" {
		return Estimate{}, why
	}
	for _, u := range uses {
		row, _, found := t.Find(u.Model)
		if !found {
			return Estimate{}, fmt.Sprintf("no price of the model %s is known", prose.Quote(u.Model))
		}
		bill, ok := row.Bill(u)
		if !ok {
			return Estimate{}, "more tokens have to do with a cache than were put in"
		}
		e.Bills = append(e.Bills, ModelBill{u, row, bill})
		e.USD += bill.USD()
		e.Least += bill.LeastUSD
		e.AtMost = e.AtMost || bill.AtMost
	}
	if e.USD > trial.MaxAmount || math.IsNaN(e.USD) {
		return Estimate{}, "the cost is too large for any trial"
	}
	return e, ""
}

// Request is the bill of a request; false where the model has no price, or the numbers contradict each other.
func (t *Table) Request(u Use) (Bill, bool) {
	if t == nil {
		return Bill{}, false
	}
	row, _, found := t.Find(u.Model)
	if !found {
		return Bill{}, false
	}
	u.Single = true
	return row.Bill(u)
}

// Basis is what the sum of the bill rests on.
func (b Bill) Basis() trial.CostBasis {
	if b.AtMost {
		return trial.CostAtMost
	}
	return trial.EstimatedCost
}

// UsesOf returns what the models of a trial were asked: each request where the steps tell it, or else what each model
// took, or the whole of the trial as one use. Where neither is told, why says what is missing.
func UsesOf(t *trial.Trial) (uses []Use, why string) {
	if uses, whole := usesOfSteps(t); whole {
		return uses, ""
	}
	if uses, whole := usesOfModels(t); whole {
		return uses, ""
	}
	input, output := t.TotalInputTokens(), t.TotalOutputTokens()
	model, why := modelOf(t)
	switch {
	case !input.Known && !output.Known:
		return nil, "no tokens are told"
	case !input.Known:
		return nil, "the input tokens are not told"
	case !output.Known:
		return nil, "the output tokens are not told"
	case why != "":
		return nil, why
	}
	u := Use{
		Model: model, Input: input.Value, Output: output.Value, Cached: t.CachedTokens, CacheWrites: t.CacheWrites,
		Single: answers(t) == 1 || len(t.Steps) == 0 && t.Turns == trial.Some(1),
	}
	return []Use{u}, ""
}

// usesOfSteps are the requests that the steps tell; false where one of them lacks something, or they are not all that
// the trial used.
func usesOfSteps(t *trial.Trial) (uses []Use, whole bool) {
	var input, output int64
	for i := range t.Steps {
		s := &t.Steps[i]
		if !asks(s) {
			continue
		}
		model := s.Model
		if model == "" {
			model = t.Model
		}
		if model == "" || !s.InputTokens.Known || !s.OutputTokens.Known {
			return nil, false
		}
		uses = append(uses, Use{
			Model: model, Input: s.InputTokens.Value, Output: s.OutputTokens.Value, Cached: s.CachedTokens,
			CacheWrites: s.CacheWrites, Single: true,
		})
		input, output = trial.Plus(input, s.InputTokens.Value), trial.Plus(output, s.OutputTokens.Value)
	}
	return uses, len(uses) > 0 && agrees(t.InputTokens, input) && agrees(t.OutputTokens, output)
}

// agrees reports whether a trial tells nothing else than the sum.
func agrees(total trial.Optional[int64], sum int64) bool { return !total.Known || total.Value == sum }

// usesOfModels are what the trial itself tells by model; false where that lacks something, or is not all.
func usesOfModels(t *trial.Trial) (uses []Use, whole bool) {
	var input, output int64
	for _, m := range t.ModelUsage {
		if !m.InputTokens.Known || !m.OutputTokens.Known {
			return nil, false
		}
		uses = append(uses, Use{
			Model: m.Model, Input: m.InputTokens.Value, Output: m.OutputTokens.Value, Cached: m.CachedTokens,
			CacheWrites: m.CacheWrites,
		})
		input, output = trial.Plus(input, m.InputTokens.Value), trial.Plus(output, m.OutputTokens.Value)
	}
	return uses, len(uses) > 0 && agrees(t.InputTokens, input) && agrees(t.OutputTokens, output)
}

// modelOf is the one model of a trial.
func modelOf(t *trial.Trial) (model, why string) {
	model = t.Model
	for i := range t.Steps {
		s := &t.Steps[i]
		switch {
		case s.Model == "" && s.Action == trial.CallTool, s.Model == "" && t.Model != "", s.Model == model:
		case s.Model == "":
			return "", "no model is told"
		case model == "":
			model = s.Model
		default:
			return "", "several models answered, and which used how many tokens is not recorded"
		}
	}
	if model == "" {
		return "", "no model is told"
	}
	return model, ""
}

// answers counts the answers of a model.
func answers(t *trial.Trial) (n int) {
	for i := range t.Steps {
		if a := t.Steps[i].Action; a == trial.Reason || a == trial.Respond {
			n++
		}
	}
	return n
}

// Complete gives a trial without a cost the estimate of its tokens, and reports whether there is one. A cost that is
// known stays, whatever it is.
func (t *Table) Complete(record *trial.Trial) bool {
	if t == nil || record.TotalCostUSD().Known {
		return false
	}
	e, why := t.Estimate(record)
	if why != "" {
		return false
	}
	record.CostUSD, record.CostBasis = trial.Some(e.USD), trial.EstimatedCost
	shareOut(record, e.Bills)
	if e.AtMost {
		record.CostBasis, record.CostAtLeast = trial.CostAtMost, trial.Some(e.Least)
	}
	return true
}

// shareOut gives the steps of a trial the costs of their requests, or its models theirs, where the trial was priced by
// them and they are of several models: so it stays known what each of them cost.
func shareOut(record *trial.Trial, bills []ModelBill) {
	if !slices.ContainsFunc(bills, func(b ModelBill) bool { return b.Use.Model != bills[0].Use.Model }) {
		return
	}
	if _, whole := usesOfSteps(record); !whole {
		for i := range record.ModelUsage {
			record.ModelUsage[i].CostUSD = trial.Some(bills[i].Bill.USD())
		}
		return
	}
	for i := range record.Steps {
		s := &record.Steps[i]
		if asks(s) && len(bills) > 0 {
			s.CostUSD, bills = trial.Some(bills[0].Bill.USD()), bills[1:]
		}
	}
}

// asks reports whether a step is a request to a model: each is but a call of a tool that tells no tokens.
func asks(s *trial.Step) bool {
	return s.Action != trial.CallTool || s.InputTokens.Known || s.OutputTokens.Known
}
