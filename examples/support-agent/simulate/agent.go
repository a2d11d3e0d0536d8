package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// trialsPerScenario is how often each agent meets each scenario.
const trialsPerScenario = 15

// agent is a version of the support agent.
type agent struct {
	variant string
	file    string
	model   string
	// drop lowers the pass rate on scenarios that touch money.
	drop float64
	// searches is the mean number of further look-ups before an answer.
	searches float64
	// price is in USD per thousand tokens, in and out alike.
	price float64
}

var agents = []agent{
	{variant: "baseline", file: "baseline.jsonl", model: "small-1", searches: 1, price: 0.0004},
	{variant: "new-prompt", file: "worse.jsonl", model: "small-1", drop: 0.35, searches: 1, price: 0.0004},
	{variant: "large-model", file: "dearer.jsonl", model: "large-1", searches: 4, price: 0.0012},
}

// scenario is a request of a customer and how often the baseline handles it.
type scenario struct {
	name    string
	request string
	tools   []string
	passes  float64 // the baseline's pass rate
	money   bool    // a refund or a charge is involved
}

var scenarios = []scenario{
	{"address-change", "Please send order 1007 to my new address.", []string{"find_customer", "get_order", "update_address"}, 0.97, false},
	{"cancel-order", "Cancel order 1012, I ordered it twice.", []string{"find_customer", "get_order", "cancel_order"}, 0.95, false},
	{"damaged-item", "The lamp arrived broken.", []string{"find_customer", "get_order", "create_return"}, 0.92, false},
	{"double-charge", "You charged me twice in March.", []string{"find_customer", "list_payments", "refund"}, 0.90, true},
	{"late-delivery", "Where is my parcel?", []string{"find_customer", "get_order", "track_parcel"}, 0.98, false},
	{"login-problem", "I cannot log in any more.", []string{"find_customer", "reset_password"}, 0.98, false},
	{"partial-refund", "One of three chairs was missing. I want money back for it.", []string{"find_customer", "get_order", "refund"}, 0.88, true},
	{"price-match", "The same phone costs less elsewhere.", []string{"find_product", "get_policy"}, 0.93, false},
	{"refund-policy", "Can I return a swimsuit?", []string{"get_policy"}, 0.99, false},
	{"voucher", "My voucher is not accepted.", []string{"find_customer", "get_voucher", "refund"}, 0.92, true},
}

// trials returns what the agent did, scenario after scenario within each round, as
// a runner would launch them.
func (a agent) trials() []*trial.Trial {
	clock := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var list []*trial.Trial
	for round := range trialsPerScenario {
		for _, s := range scenarios {
			t := a.try(s, round, random(a.variant, s.name, round))
			t.StartedAt = trial.Timestamp(clock.Format(time.RFC3339))
			clock = clock.Add(time.Duration(t.DurationSeconds.Value * float64(time.Second)))
			list = append(list, t)
		}
	}
	return list
}

// random returns a source of its own for every trial, so that adding a scenario
// changes no other.
func random(variant, scenario string, round int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s/%s/%d", variant, scenario, round)
	return rand.New(rand.NewPCG(h.Sum64(), 2026))
}

// try plays one trial.
func (a agent) try(s scenario, round int, r *rand.Rand) *trial.Trial {
	t := &trial.Trial{
		Scenario: s.name, Index: trial.Some(round), Variant: a.variant, Model: a.model,
		Input: object("text", s.request),
		Steps: []trial.Step{},
	}
	p := s.passes
	if s.money {
		p -= a.drop
	}
	passed := r.Float64() < p
	for _, tool := range s.tools {
		a.step(t, r, trial.CallTool, tool)
	}
	for range poisson(r, a.searches) {
		a.step(t, r, trial.CallTool, "search_help")
	}
	a.step(t, r, trial.Respond, "")
	t.Outcome = trial.Pass
	t.Output = trial.RawString("Done: " + s.name)
	if !passed {
		t.Outcome = trial.Fail
		t.Output = trial.RawString("I am sorry, I cannot help with that.")
	}
	a.total(t)
	return t
}

// step adds one thought of the model and the action that follows from it.
func (a agent) step(t *trial.Trial, r *rand.Rand, action trial.Action, tool string) {
	in, out := int64(600+200*len(t.Steps)+r.IntN(200)), int64(20+r.IntN(60))
	step := trial.Step{
		Action: trial.Reason, InputTokens: trial.Some(in), OutputTokens: trial.Some(out),
		CostUSD:         trial.Some(round(a.price*float64(in+out)/1000, 6)),
		DurationSeconds: trial.Some(round(0.4+r.ExpFloat64()*0.4, 2)),
	}
	if action == trial.Respond {
		step.Action = trial.Respond
		t.Steps = append(t.Steps, step)
		return
	}
	call := trial.Step{Action: trial.CallTool, Tool: tool, Arguments: object("customer", fmt.Sprint(1000+r.IntN(9000))),
		DurationSeconds: trial.Some(round(0.05+r.ExpFloat64()*0.1, 2))}
	if r.Float64() < 0.03 {
		call.Error = "timeout"
	}
	t.Steps = append(t.Steps, step, call)
}

// total sums the steps up.
func (a agent) total(t *trial.Trial) {
	var cost, seconds float64
	var in, out int64
	for _, s := range t.Steps {
		cost += s.CostUSD.Value
		seconds += s.DurationSeconds.Value
		in += s.InputTokens.Value
		out += s.OutputTokens.Value
	}
	t.CostUSD, t.DurationSeconds = trial.Some(round(cost, 6)), trial.Some(round(seconds, 2))
	t.InputTokens, t.OutputTokens = trial.Some(in), trial.Some(out)
}

func object(name, value string) trial.Raw {
	text, _ := json.Marshal(map[string]string{name: value}) // strings always marshal
	return text
}

func round(x float64, digits int) float64 {
	scale := math.Pow10(digits)
	return math.Round(x*scale) / scale
}

// poisson draws a count with the given mean, by Knuth's product of uniforms.
func poisson(r *rand.Rand, mean float64) int {
	limit, product := math.Exp(-mean), r.Float64()
	count := 0
	for product > limit {
		product *= r.Float64()
		count++
	}
	return count
}
