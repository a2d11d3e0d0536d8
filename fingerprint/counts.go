package fingerprint

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// Counts is all that a [Sample] keeps of its trials, in a form that can be saved: a
// sample that is made of it again compares as it did. Every series but those of calls
// and actions has a number for each trial.
type Counts struct {
	Errors    int          `json:"errors"` // trials that were left out
	Scenarios []string     `json:"scenarios"`
	Tools     []string     `json:"tools"`
	Actions   []string     `json:"actions"`
	Scenario  trial.Series `json:"scenario,omitempty"` // by its place among the scenarios
	Steps     trial.Series `json:"steps,omitempty"`    // not known where they were not recorded

	// How many tools and actions a trial used, and of one trial after the other which
	// they are, by their places, and in how many steps.
	ToolsUsed   trial.Series `json:"tools_used,omitempty"`
	Tool        trial.Series `json:"tool,omitempty"`
	ToolSteps   trial.Series `json:"tool_steps,omitempty"`
	ActionsUsed trial.Series `json:"actions_used,omitempty"`
	Action      trial.Series `json:"action,omitempty"`
	ActionSteps trial.Series `json:"action_steps,omitempty"`

	Branches     trial.Series `json:"branches,omitempty"`
	Failed       trial.Series `json:"failed_steps,omitempty"`
	Recovered    trial.Series `json:"recovered_steps,omitempty"`
	Depth        trial.Series `json:"depth,omitempty"`
	OutputTokens trial.Series `json:"output_tokens,omitempty"`
	Complexity   trial.Series `json:"output_complexity,omitempty"`
	CostUSD      trial.Series `json:"cost_usd,omitempty"`
	Duration     trial.Series `json:"duration_s,omitempty"`
}

// Counts returns what the sample keeps. The result shares no memory with it.
func (s *Sample) Counts() *Counts {
	c := &Counts{
		Errors:    s.errors,
		Scenarios: append([]string{}, s.scenarios.words...), Tools: append([]string{}, s.tools.words...), Actions: append([]string{}, s.actions.words...),
	}
	for i := range s.trials {
		c.add(&s.trials[i])
	}
	used := func(counts []count, names, steps *trial.Series) {
		for _, x := range counts {
			*names, *steps = append(*names, trial.Some(float64(x.name))), append(*steps, trial.Some(float64(x.steps)))
		}
	}
	used(s.toolCounts, &c.Tool, &c.ToolSteps)
	used(s.actionCounts, &c.Action, &c.ActionSteps)
	for _, series := range []*trial.Series{&c.Steps, &c.Depth, &c.OutputTokens, &c.Complexity, &c.CostUSD, &c.Duration} {
		*series = series.Anything()
	}
	return c
}

func (c *Counts) add(r *record) {
	whole := func(n int) trial.Optional[float64] { return trial.Some(float64(n)) }
	steps := trial.Optional[float64]{}
	if r.recorded {
		steps = whole(r.steps)
	}
	for _, x := range []struct {
		to    *trial.Series
		value trial.Optional[float64]
	}{
		{&c.Scenario, whole(r.scenario)}, {&c.Steps, steps}, {&c.ToolsUsed, whole(r.tools.to - r.tools.from)}, {&c.ActionsUsed, whole(r.actions.to - r.actions.from)},
		{&c.Branches, whole(r.branches)}, {&c.Failed, whole(r.failed)}, {&c.Recovered, whole(r.recovered)},
		{&c.Depth, r.value(MaxDepth)}, {&c.OutputTokens, r.value(OutputTokens)}, {&c.Complexity, r.complexity}, {&c.CostUSD, r.cost}, {&c.Duration, r.duration},
	} {
		*x.to = append(*x.to, x.value)
	}
}

// Numbers returns how many numbers the counts hold.
func (c *Counts) Numbers() int {
	n := 0
	for _, s := range c.series() {
		n += len(*s.series)
	}
	return n + 2*(len(c.Tool)+len(c.Action))
}

// countSeries is a series with a number for each trial.
type countSeries struct {
	name   string
	series *trial.Series
	sparse bool // it may be absent, and numbers may not be known
}

func (c *Counts) series() []countSeries {
	return []countSeries{
		{"scenario", &c.Scenario, false}, {"steps", &c.Steps, true}, {"tools_used", &c.ToolsUsed, false}, {"actions_used", &c.ActionsUsed, false},
		{"branches", &c.Branches, false}, {"failed_steps", &c.Failed, false}, {"recovered_steps", &c.Recovered, false},
		{"depth", &c.Depth, true}, {"output_tokens", &c.OutputTokens, true}, {"output_complexity", &c.Complexity, true},
		{"cost_usd", &c.CostUSD, true}, {"duration_s", &c.Duration, true},
	}
}

// mostCounted bounds what is counted of a trial: whole numbers up to it are exact.
const mostCounted = 1 << 53

// Sample makes the sample of the counts. It returns an [stats.ArgumentError] for counts that
// no trials could have.
func (c *Counts) Sample() (*Sample, error) {
	s := &Sample{errors: c.Errors}
	if c.Errors < 0 {
		return nil, argumentError("errors", c.Errors, "must not be negative")
	}
	for _, list := range []struct {
		name  string
		to    *names
		words []string
	}{{"scenarios", &s.scenarios, c.Scenarios}, {"tools", &s.tools, c.Tools}, {"actions", &s.actions, c.Actions}} {
		for i, word := range list.words {
			if list.to.of(word) != i {
				return nil, argumentError(list.name, word, "is there twice")
			}
		}
	}
	for _, x := range c.series() {
		if n := len(*x.series); n != len(c.Scenario) && !(x.sparse && n == 0) {
			return nil, argumentError(x.name, fmt.Sprintf("of %d trials", n), fmt.Sprintf("is not of %d", len(c.Scenario)))
		}
	}
	var err error
	if s.toolCounts, err = counted("tool", c.Tool, c.ToolSteps, len(c.Tools)); err != nil {
		return nil, err
	}
	if s.actionCounts, err = counted("action", c.Action, c.ActionSteps, len(c.Actions)); err != nil {
		return nil, err
	}
	tools, actions := 0, 0
	for i := range c.Scenario {
		r, err := c.record(i, tools, actions, s)
		if err != nil {
			return nil, err
		}
		tools, actions = r.tools.to, r.actions.to
		s.trials = append(s.trials, r)
	}
	if tools != len(s.toolCounts) || actions != len(s.actionCounts) {
		return nil, argumentError("tool and action", fmt.Sprintf("of %d and %d uses", len(s.toolCounts), len(s.actionCounts)), fmt.Sprintf("are not of %d and %d", tools, actions))
	}
	return s, nil
}

// counted pairs names with numbers of steps.
func counted(what string, name, steps trial.Series, names int) ([]count, error) {
	if len(name) != len(steps) {
		return nil, argumentError(what, fmt.Sprintf("of %d uses", len(name)), fmt.Sprintf("is not of %d", len(steps)))
	}
	list := make([]count, len(name))
	for i := range name {
		n, ok := name.Whole(i, names-1)
		times, whole := steps.Whole(i, math.MaxInt32)
		if !ok || !whole || times == 0 {
			return nil, argumentError(what, i, "is no use of one")
		}
		list[i] = count{n, times}
	}
	return list, nil
}

// record is one trial, whose uses of tools and actions begin at those places.
func (c *Counts) record(i, tools, actions int, s *Sample) (r record, err error) {
	whole := func(name string, series trial.Series, most int) int {
		n, ok := series.Whole(i, most)
		if !ok && err == nil {
			err = argumentError(name, fmt.Sprintf("of trial %d", i), "is no number of it")
		}
		return n
	}
	at := func(series trial.Series) (x trial.Optional[float64]) {
		if i < len(series) {
			x = series[i]
		}
		return x
	}
	r.scenario = whole("scenario", c.Scenario, len(c.Scenarios)-1)
	r.tools = span{tools, tools + whole("tools_used", c.ToolsUsed, len(s.toolCounts)-tools)}
	r.actions = span{actions, actions + whole("actions_used", c.ActionsUsed, len(s.actionCounts)-actions)}
	if steps := at(c.Steps); steps.Known {
		r.recorded, r.steps = true, whole("steps", c.Steps, math.MaxInt32)
	}
	r.branches = whole("branches", c.Branches, r.steps)
	r.failed = whole("failed_steps", c.Failed, r.steps)
	r.recovered = whole("recovered_steps", c.Recovered, r.failed)
	if at(c.Depth).Known {
		r.depth = trial.Some(whole("depth", c.Depth, math.MaxInt32))
	}
	if tokens := at(c.OutputTokens); tokens.Known {
		r.outputTokens = trial.Some(int64(tokens.Value))
		if float64(r.outputTokens.Value) != tokens.Value || math.Abs(tokens.Value) > mostCounted {
			err = argumentError("output_tokens", tokens.Value, "is no number of tokens")
		}
	}
	r.complexity, r.cost, r.duration = at(c.Complexity), at(c.CostUSD), at(c.Duration)
	if err != nil {
		return r, err
	}
	if n := total(s.actionCounts[r.actions.from:r.actions.to]); n != r.steps {
		return r, argumentError("action_steps", n, fmt.Sprintf("are not the steps of trial %d", i))
	}
	if n := total(s.toolCounts[r.tools.from:r.tools.to]); n > r.steps {
		return r, argumentError("tool_steps", n, fmt.Sprintf("are more than the steps of trial %d", i))
	}
	return r, nil
}

func total(counts []count) (steps int) {
	for _, c := range counts {
		steps += c.steps
	}
	return steps
}
