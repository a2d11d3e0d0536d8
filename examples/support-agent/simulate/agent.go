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
	variant string // its name in the trials
	file    string // that its trials are written to
	model   string // its name in the trials
	// drop lowers the pass rate on scenarios that touch money.
	drop float64
	// searches is the mean number of further look-ups before an answer.
	searches float64
	// price is in USD per thousand tokens, in and out alike.
	price float64
}

// agents are the baseline and two candidates: one that fails more often, and one that
// works differently and costs more.
var agents = []agent{
	{variant: "baseline", file: "baseline.jsonl", model: "small-1", searches: 1, price: 0.0004},
	{variant: "new-prompt", file: "worse.jsonl", model: "small-1", drop: 0.35, searches: 1, price: 0.0004},
	{variant: "large-model", file: "dearer.jsonl", model: "large-1", searches: 4, price: 0.0012},
}

// scenario is a request of a customer and how often the baseline handles it.
type scenario struct {
	name    string
	request string   // what the customer writes
	tools   []string // that it takes, in their order
	passes  float64  // the baseline's pass rate
	money   bool     // a refund or a charge is involved
}

// scenarios are what customers ask for, by name. Every rate is the author's choice.
var scenarios = []scenario{
	{
		name: "address-change", request: "Please send order 1007 to my new address.",
		tools: []string{"find_customer", "get_order", "update_address"}, passes: 0.97,
	},
	{
		name: "cancel-order", request: "Cancel order 1012, I ordered it twice.",
		tools: []string{"find_customer", "get_order", "cancel_order"}, passes: 0.95,
	},
	{
		name: "damaged-item", request: "The lamp arrived broken.",
		tools: []string{"find_customer", "get_order", "create_return"}, passes: 0.92,
	},
	{
		name: "double-charge", request: "You charged me twice in March.",
		tools: []string{"find_customer", "list_payments", "refund"}, passes: 0.90, money: true,
	},
	{
		name: "late-delivery", request: "Where is my parcel?",
		tools: []string{"find_customer", "get_order", "track_parcel"}, passes: 0.98,
	},
	{
		name: "login-problem", request: "I cannot log in any more.",
		tools: []string{"find_customer", "reset_password"}, passes: 0.98,
	},
	{
		name: "partial-refund", request: "One of three chairs was missing. I want money back for it.",
		tools: []string{"find_customer", "get_order", "refund"}, passes: 0.88, money: true,
	},
	{
		name: "price-match", request: "The same phone costs less elsewhere.",
		tools: []string{"find_product", "get_policy"}, passes: 0.93,
	},
	{
		name: "refund-policy", request: "Can I return a swimsuit?",
		tools: []string{"get_policy"}, passes: 0.99,
	},
	{
		name: "voucher", request: "My voucher is not accepted.",
		tools: []string{"find_customer", "get_voucher", "refund"}, passes: 0.92, money: true,
	},
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
	// The conversation so far is read again at every step.
	in := int64(600 + 200*len(t.Steps) + r.IntN(200))
	out := int64(20 + r.IntN(60))
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
	call := trial.Step{
		Action: trial.CallTool, Tool: tool,
		Arguments:       object("customer", fmt.Sprint(1000+r.IntN(9000))),
		DurationSeconds: trial.Some(round(0.05+r.ExpFloat64()*0.1, 2)),
	}
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
	t.CostUSD = trial.Some(round(cost, 6))
	t.DurationSeconds = trial.Some(round(seconds, 2))
	t.InputTokens = trial.Some(in)
	t.OutputTokens = trial.Some(out)
}

// object is a JSON object with one text in it.
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
