package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/trial/oracle/score"
)

// OfflineRule is a rule of a suite, and whether trials that were recorded can answer it.
type OfflineRule struct {
	Rule      string   `json:"rule"`                // such as "contains", "max_turns" or "agent.timeout"
	Spec      string   `json:"spec,omitempty"`      // what the suite says of it, shortened
	Scenarios []string `json:"scenarios,omitempty"` // whose trials it judges; none: it is about the run
	// Answer is yes, no, or some: of trials, or of the parts of a combination.
	Answer string `json:"answer"`
	Why    string `json:"why"` // what it is answered from, or what is missing
	// Of the trials that were looked at; both 0 where there were none.
	Trials   int `json:"trials,omitempty"`   // of its scenarios
	Answered int `json:"answered,omitempty"` // for which it passes or fails
}

// The answers of an [OfflineRule].
const (
	AnswerYes  = "yes"
	AnswerSome = "some"
	AnswerNo   = "no"
)

// Offline says which rules of a suite can be answered by trials that were recorded, in the order of the suite. With
// trials each rule that starts no program is asked of them, so that the answer is what judging them would find; without
// any it is what the rule asks of a record. Trials that ended in an error are not judged, and not asked.
func Offline(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, trials []*trial.Trial,
) ([]OfflineRule, error) {
	o := &offlineRules{at: map[string]int{}, trials: map[string][]*trial.Trial{}, any: len(trials) > 0}
	expected := map[string]oracle.Expectation{}
	for _, c := range scenarios {
		expected[c.Name] = c.Expect
	}
	for _, t := range trials {
		if expected[t.Scenario].Admits(t) { // else it is not judged
			o.trials[t.Scenario] = append(o.trials[t.Scenario], t)
		}
	}
	for _, c := range scenarios {
		o.end(ctx, c)
		for _, e := range c.Evaluate {
			o.evaluation(ctx, c.Name, e)
		}
		if len(c.Evaluate) == 0 && !c.Expect.Asked() {
			o.own(c.Name)
		}
		o.limits(c)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	for i := range o.rules {
		o.rules[i].conclude(o.any)
	}
	return append(o.rules, aboutRuns(s, scenarios)...), nil
}

// offlineRules collects rules; those that are alike in several scenarios are one.
type offlineRules struct {
	rules  []OfflineRule
	at     map[string]int // by name and what the suite says
	trials map[string][]*trial.Trial
	any    bool
}

// rule finds or adds a rule, and notes that it is one of the scenario.
func (o *offlineRules) rule(scenario, name, spec string, needs suite.Needs) *OfflineRule {
	key := name + "\x00" + spec
	i, known := o.at[key]
	if !known {
		i = len(o.rules)
		o.at[key] = i
		o.rules = append(o.rules, OfflineRule{
			Rule: name, Spec: prose.Excerpt(spec), Answer: needs.Answer, Why: needs.Why,
		})
	}
	r := &o.rules[i]
	if !slices.Contains(r.Scenarios, scenario) {
		r.Scenarios = append(r.Scenarios, scenario)
	}
	return r
}

// evaluation asks an evaluator of all trials of its scenario, unless it starts a program: that may cost money.
func (o *offlineRules) evaluation(ctx context.Context, scenario string, e suite.Evaluation) {
	needs := e.Needs()
	r := o.rule(scenario, e.Name, string(e.Spec), needs)
	for _, t := range o.trials[scenario] {
		r.Trials++
		if needs.Asks {
			r.Answered++
			continue
		}
		r.found(e.Evaluator.Evaluate(ctx, oracle.Evidence{Trial: t}))
	}
}

// end asks how the trials of a scenario ended, where it says how they are to.
func (o *offlineRules) end(ctx context.Context, c suite.Scenario) {
	if !c.Expect.Asked() {
		return
	}
	spec, needs := string(c.Expect.Status), suite.Needs{
		Answer: AnswerYes, Why: "the error or outcome that it states; without any it completed",
	}
	if c.Expect.Within > 0 {
		spec += fmt.Sprintf(" within %v", c.Expect.Within)
		needs.Why += "; and its duration"
	}
	if c.Expect.AsksSteps() {
		spec += ", on a way that is declared too"
		needs.Why += "; and its steps"
	}
	r := o.rule(c.Name, oracle.ExpectName, spec, needs)
	for _, t := range o.trials[c.Name] {
		r.Trials++
		r.found(c.Expect.Evaluator().Evaluate(ctx, oracle.Evidence{Trial: t}))
	}
}

// found counts an answer, and keeps the first reason why there is none.
func (r *OfflineRule) found(result oracle.Result) {
	if result.Outcome != trial.Error {
		r.Answered++
		return
	}
	if r.Answered == r.Trials-1 {
		r.Why = prose.Excerpt(result.Text)
	}
}

// own is the rule of a scenario without evaluators.
func (o *offlineRules) own(scenario string) {
	r := o.rule(scenario, "outcome", "", suite.Needs{Answer: AnswerYes, Why: "the outcome that the trial states"})
	for _, t := range o.trials[scenario] {
		r.Trials++
		if t.Outcome != trial.Unjudged {
			r.Answered++
		}
	}
}

// limits checks those of a scenario.
func (o *offlineRules) limits(c suite.Scenario) {
	add := func(name string, value float64, from string) {
		o.rule(c.Name, name, limitText(value), suite.Needs{Answer: AnswerYes, Why: from})
	}
	if l := c.Limits.MaxTurns; l.Known {
		add(oracle.TurnLimit, float64(l.Value), "the turns that the trial states, or its steps")
	}
	if l := c.Limits.MaxCostUSD; l.Known {
		add(oracle.CostLimit, l.Value, "the cost of the trial or of its steps")
	}
	if l := c.Limits.MaxTokens; l.Known {
		add(oracle.TokenLimit, float64(l.Value), "the tokens of the trial or of its steps")
	}
	for _, t := range o.trials[c.Name] {
		// Who was to be cut off need not tell: a limit that it does not tell of is kept.
		if c.Expect.Asked() && c.Expect.Status != oracle.Completed {
			o.untold(c.Limits, t)
		}
		for _, l := range c.Expect.Limits(c.Limits).Check(oracle.Evidence{Trial: t}) {
			r := &o.rules[o.at[l.Name+"\x00"+limitText(l.Max)]]
			r.Trials++
			text, _, _ := strings.Cut(strings.TrimPrefix(l.String(), l.Name+": "), ";")
			r.found(oracle.Result{Outcome: l.Outcome, Text: text})
		}
	}
}

// limitText is a limit as it tells rules apart, and as it is shown.
func limitText(most float64) string { return strconv.FormatFloat(most, 'f', -1, 64) }

// untold counts the limits that nothing of a trial is held to, which are answered by that.
func (o *offlineRules) untold(asked oracle.Limits, t *trial.Trial) {
	for _, l := range asked.Check(oracle.Evidence{Trial: t}) {
		if l.Actual.Known {
			continue
		}
		r := &o.rules[o.at[l.Name+"\x00"+limitText(l.Max)]]
		r.Trials++
		r.Answered++
	}
}

// conclude makes the answer of what was counted.
func (r *OfflineRule) conclude(any bool) {
	switch {
	case !any:
	case r.Trials == 0:
		r.Answer, r.Why = AnswerNo, "there is no trial of its scenario"
	case r.Answered == r.Trials:
		r.Answer = AnswerYes
	case r.Answered == 0:
		r.Answer = AnswerNo
	default:
		r.Answer = AnswerSome
	}
}

// aboutRuns are the rules of a suite that are about how trials are run, or about all of them together.
func aboutRuns(s *suite.Suite, scenarios []suite.Scenario) (rules []OfflineRule) {
	add := func(rule, spec, answer, why string) {
		rules = append(rules, OfflineRule{Rule: rule, Spec: spec, Answer: answer, Why: why})
	}
	switch {
	case s.Test.Against.SideBySide:
		add("test", "side by side", AnswerNo, "both agents run in turns, and a recording is of one")
	default:
		add("test", "", AnswerYes, "the outcomes in their order: tribunal gate --results FILE")
	}
	if c := s.Coverage; len(c.Tools) > 0 || len(c.Models) > 0 || c.ToolsFile != "" || c.GraphFile != "" || c.Graph != nil {
		add("coverage", "", AnswerYes, "the steps: tribunal check coverage --suite")
	}
	for _, a := range s.Score {
		answer, why := axisNeeds(a)
		add("score."+a.Name, fmt.Sprintf("%g points", a.Points), answer, why)
	}
	add("agent.timeout", s.Agent.Timeout.String(), AnswerNo,
		"the agent ran without it; wall-time judges how long it took")
	if len(s.Agent.Infrastructure) > 0 {
		add("agent.infrastructure", "", AnswerNo, "what ended a program is known only while it runs")
	}
	if b := s.Budget; b.MaxCostUSD.Known || b.MaxTokens.Known || b.MaxDuration > 0 || b.MaxTrials.Known {
		text, _ := json.Marshal(strings.Join(budgetNames(b), ", "))
		add("budget", strings.Trim(string(text), `"`), AnswerNo, "it stops a run, and these trials have run")
	}
	return rules
}

// axisNeeds says whether trials that were recorded can be scored on an axis.
func axisNeeds(a score.Axis) (answer, why string) {
	switch {
	case len(a.Left()) > 0:
		return AnswerNo, "no record has what the agent left in its folder"
	case a.Judged():
		return AnswerYes, "its judge, which is asked for each trial"
	case a.From == score.Limits:
		return AnswerYes, "the limits, where the trial tells what they bound"
	case a.From != "":
		return AnswerYes, fmt.Sprintf("the %s, where they can judge the trial", a.From)
	}
	return AnswerYes, "the output"
}

// budgetNames are the keys that a budget has.
func budgetNames(b suite.Budget) (names []string) {
	for _, x := range []struct {
		name string
		set  bool
	}{
		{"max_cost_usd", b.MaxCostUSD.Known}, {"max_tokens", b.MaxTokens.Known}, {"max_duration", b.MaxDuration > 0},
		{"max_trials", b.MaxTrials.Known},
	} {
		if x.set {
			names = append(names, x.name)
		}
	}
	return names
}
