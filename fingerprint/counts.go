package fingerprint

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/trial"
)

// Counts is all that a [Sample] keeps of its trials, in a form that can be saved: a
// sample that is made of it again compares as it did.
//
// A series has a number for each trial, in the order in which the trials were added;
// those of calls and of actions are described at their fields. A series that may be
// absent is so where its number is known of no trial.
type Counts struct {
	Errors    int      `json:"errors"`    // trials that ended in an error and were left out
	Scenarios []string `json:"scenarios"` // names, each once, in the order of their first trial
	Tools     []string `json:"tools"`     // names, each once, in the order of their first call
	Actions   []string `json:"actions"`   // names, each once, in the order of their first step

	// Inputs are digests of the inputs, each once, in the order of their first trial, and Pairs
	// the names of pairs of tools called one after the other.
	Inputs []string `json:"inputs,omitempty"`
	Pairs  []string `json:"pairs,omitempty"` // "search -> book"

	Stopped bool       `json:"stopped,omitempty"`     // by a sequential test: see [Sample]
	First   *time.Time `json:"first_start,omitempty"` // when the first trial began; nil where none says so
	Last    *time.Time `json:"last_start,omitempty"`  // when the last one did

	// Scenario is the place of the trial's scenario among Scenarios, from 0.
	Scenario trial.Series `json:"scenario,omitempty"`
	// Input is the place of the trial's input among Inputs, from 0; it may be absent.
	Input trial.Series `json:"input,omitempty"`
	// Outcome is 1 for a pass and 0 for a fail; it may be absent.
	Outcome trial.Series `json:"outcome,omitempty"`
	// Steps is the number of steps, unknown where none were recorded; it may be absent.
	Steps trial.Series `json:"steps,omitempty"`

	// ToolsUsed is how many different tools the trial called, from 0.
	ToolsUsed trial.Series `json:"tools_used,omitempty"`
	// Tool and ToolSteps have, of one trial after the other, a number for each of those
	// tools: its place among Tools, from 0, and in how many steps it was called, from 1.
	Tool      trial.Series `json:"tool,omitempty"`
	ToolSteps trial.Series `json:"tool_steps,omitempty"` // steps that called the tool
	// ActionsUsed is how many different actions the trial took, from 0.
	ActionsUsed trial.Series `json:"actions_used,omitempty"`
	// Action and ActionSteps have, of one trial after the other, a number for each of those
	// actions: its place among Actions, from 0, and how many steps took it, from 1.
	Action      trial.Series `json:"action,omitempty"`
	ActionSteps trial.Series `json:"action_steps,omitempty"` // steps that took the action

	// PairsUsed is how many different pairs of tools were called one after the other, from 0;
	// it may be absent.
	PairsUsed trial.Series `json:"pairs_used,omitempty"`
	// Pair and PairSteps have, of one trial after the other, a number for each of those
	// pairs: its place among Pairs, from 0, and how often it came, from 1.
	Pair      trial.Series `json:"pair,omitempty"`
	PairSteps trial.Series `json:"pair_steps,omitempty"` // how often the pair came

	Branches  trial.Series `json:"branches,omitempty"`        // distinct pairs of tools called one after the other
	Failed    trial.Series `json:"failed_steps,omitempty"`    // steps that failed
	Recovered trial.Series `json:"recovered_steps,omitempty"` // failed steps that a success of the same tool follows

	// The following may be unknown of some trials, and absent.
	Depth        trial.Series `json:"depth,omitempty"`             // largest depth of a step, from 0
	OutputTokens trial.Series `json:"output_tokens,omitempty"`     // of the whole trial
	Complexity   trial.Series `json:"output_complexity,omitempty"` // Lempel-Ziv phrases per byte of the output, 0 to 1
	CostUSD      trial.Series `json:"cost_usd,omitempty"`          // of the whole trial
	Duration     trial.Series `json:"duration_s,omitempty"`        // wall time in seconds
}

// Counts returns what the sample keeps. The result shares no memory with it.
func (s *Sample) Counts() *Counts {
	c := &Counts{
		Errors:    s.errors,
		Scenarios: append([]string{}, s.scenarios.words...),
		Tools:     append([]string{}, s.tools.words...),
		Actions:   append([]string{}, s.actions.words...),
		Inputs:    slices.Clone(s.inputs.words),
		Pairs:     slices.Clone(s.pairs.words),
		Stopped:   s.Stopped,
	}
	if !s.first.IsZero() {
		c.First, c.Last = new(s.first.UTC()), new(s.last.UTC())
	}
	for i := range s.trials {
		c.add(&s.trials[i])
	}
	// Uses of tools, and of actions, of all trials one after the other: ToolsUsed and ActionsUsed part
	// them.
	uses := func(counts []count, names, steps *trial.Series) {
		for _, x := range counts {
			*names = append(*names, trial.Some(float64(x.name)))
			*steps = append(*steps, trial.Some(float64(x.steps)))
		}
	}
	uses(s.toolCounts, &c.Tool, &c.ToolSteps)
	uses(s.actionCounts, &c.Action, &c.ActionSteps)
	uses(s.pairCounts, &c.Pair, &c.PairSteps)
	// A series that knows nothing is left out of the file.
	for _, x := range c.series() {
		if x.sparse {
			*x.numbers = x.numbers.Anything()
		}
	}
	return c
}

// add appends the numbers of a trial. Series grow alike: each trial adds one number to every series, known
// or not.
func (c *Counts) add(r *record) {
	whole := func(n int) trial.Optional[float64] { return trial.Some(float64(n)) }
	var steps trial.Optional[float64]
	if r.recorded {
		steps = whole(r.steps)
	}
	var input, outcome, pairs trial.Optional[float64]
	if r.input > 0 {
		input = whole(r.input - 1)
	}
	switch r.outcome {
	case trial.Pass:
		outcome = whole(1)
	case trial.Fail:
		outcome = whole(0)
	}
	if r.paired {
		pairs = whole(r.pairs.to - r.pairs.from)
	}
	for _, x := range []struct {
		to    *trial.Series
		value trial.Optional[float64]
	}{
		{&c.Scenario, whole(r.scenario)},
		{&c.Input, input},
		{&c.Outcome, outcome},
		{&c.Steps, steps},
		{&c.ToolsUsed, whole(r.tools.to - r.tools.from)},
		{&c.ActionsUsed, whole(r.actions.to - r.actions.from)},
		{&c.PairsUsed, pairs},
		{&c.Branches, whole(r.branches)},
		{&c.Failed, whole(r.failed)},
		{&c.Recovered, whole(r.recovered)},
		{&c.Depth, r.value(maxDepth)},
		{&c.OutputTokens, r.value(outputTokens)},
		{&c.Complexity, r.complexity},
		{&c.CostUSD, r.cost},
		{&c.Duration, r.duration},
	} {
		*x.to = append(*x.to, x.value)
	}
}

// Numbers returns how many numbers the counts hold.
func (c *Counts) Numbers() int {
	n := 0
	for _, x := range c.series() {
		n += len(*x.numbers)
	}
	// Tool, Action and Pair have a series of names and one of steps each.
	return n + 2*(len(c.Tool)+len(c.Action)+len(c.Pair))
}

// trialSeries is a series with a number for each trial.
type trialSeries struct {
	name    string // its key in JSON
	numbers *trial.Series
	sparse  bool // it may be absent, and numbers may not be known
}

// series lists the series that have a number for each trial, with their keys: what is written, checked and
// counted goes through this one list.
func (c *Counts) series() []trialSeries {
	return []trialSeries{
		{"scenario", &c.Scenario, false},
		{"input", &c.Input, true},
		{"outcome", &c.Outcome, true},
		{"steps", &c.Steps, true},
		{"tools_used", &c.ToolsUsed, false},
		{"actions_used", &c.ActionsUsed, false},
		{"pairs_used", &c.PairsUsed, true},
		{"branches", &c.Branches, false},
		{"failed_steps", &c.Failed, false},
		{"recovered_steps", &c.Recovered, false},
		{"depth", &c.Depth, true},
		{"output_tokens", &c.OutputTokens, true},
		{"output_complexity", &c.Complexity, true},
		{"cost_usd", &c.CostUSD, true},
		{"duration_s", &c.Duration, true},
	}
}

// mostCounted bounds what is counted of a trial: whole numbers up to it are exact.
const mostCounted = 1 << 53

// Sample makes the sample of the counts. It returns an [stats.ArgumentError] for counts that
// no trials could have.
//
// The counts may come from a file that anybody wrote. Everything that later code indexes by is checked
// here: places among names, spans of uses, steps that uses add up to.
func (c *Counts) Sample() (*Sample, error) {
	s := &Sample{errors: c.Errors, Stopped: c.Stopped}
	if c.Errors < 0 {
		return nil, argument.Wrong("errors", c.Errors, "must not be negative")
	}
	if c.First != nil && c.Last != nil {
		s.first, s.last = *c.First, *c.Last
	}
	for _, list := range []struct {
		name  string
		to    *names
		words []string
	}{
		{"scenarios", &s.scenarios, c.Scenarios},
		{"tools", &s.tools, c.Tools},
		{"actions", &s.actions, c.Actions},
		{"inputs", &s.inputs, c.Inputs},
		{"pairs", &s.pairs, c.Pairs},
	} {
		// A name that is there twice would be given its first place.
		for i, word := range list.words {
			if list.to.index(word) != i {
				return nil, argument.Wrong(list.name, word, "is there twice")
			}
		}
	}
	for _, word := range c.Pairs {
		if !s.tools.pair(word) {
			return nil, argument.Wrong("pairs", word, "is not of two tools")
		}
	}
	trials := len(c.Scenario)
	for _, x := range c.series() {
		if n := len(*x.numbers); n != trials && !(x.sparse && n == 0) {
			return nil, argument.Wrong(x.name, fmt.Sprintf("of %d trials", n), fmt.Sprintf("is not of %d", trials))
		}
	}
	var err error
	s.toolCounts, err = pairs("tool", c.Tool, c.ToolSteps, len(c.Tools))
	if err != nil {
		return nil, err
	}
	s.actionCounts, err = pairs("action", c.Action, c.ActionSteps, len(c.Actions))
	if err != nil {
		return nil, err
	}
	s.pairCounts, err = pairs("pair", c.Pair, c.PairSteps, len(c.Pairs))
	if err != nil {
		return nil, err
	}
	// Where the uses of the next trial begin; in the end they must have used up all lists.
	var last record
	for i := range c.Scenario {
		last, err = c.record(i, last, s)
		if err != nil {
			return nil, err
		}
		s.trials = append(s.trials, last)
	}
	if last.tools.to != len(s.toolCounts) || last.actions.to != len(s.actionCounts) ||
		last.pairs.to != len(s.pairCounts) {
		return nil, argument.Wrong("tool, action and pair",
			fmt.Sprintf("of %d, %d and %d uses", len(s.toolCounts), len(s.actionCounts), len(s.pairCounts)),
			fmt.Sprintf("are not of %d, %d and %d", last.tools.to, last.actions.to, last.pairs.to))
	}
	return s, nil
}

// pair reports whether a word is that of two of the names.
func (n *names) pair(word string) bool {
	// A name may hold the arrow itself.
	for at := strings.Index(word, pairArrow); at >= 0; {
		_, first := n.number[word[:at]]
		_, second := n.number[word[at+len(pairArrow):]]
		if first && second {
			return true
		}
		next := strings.Index(word[at+1:], pairArrow)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return false
}

// pairs joins the names of tools or actions, by their places, with numbers of steps.
func pairs(what string, name, steps trial.Series, names int) ([]count, error) {
	if len(name) != len(steps) {
		return nil, argument.Wrong(what, fmt.Sprintf("of %d uses", len(name)), fmt.Sprintf("is not of %d", len(steps)))
	}
	list := make([]count, len(name))
	for i := range name {
		n, ok := name.Whole(i, names-1)
		times, whole := steps.Whole(i, math.MaxInt32)
		if !ok || !whole || times == 0 {
			return nil, argument.Wrong(what, i, "is no use of one")
		}
		list[i] = count{int32(n), int32(times)}
	}
	return list, nil
}

// record returns the i-th trial, whose uses of tools, actions and pairs begin in the sample's
// counts where those of the trial before end.
//
// It keeps the first error of whole and goes on, so that all fields are read in one place.
func (c *Counts) record(i int, before record, s *Sample) (r record, err error) {
	whole := func(name string, series trial.Series, most int) int {
		n, ok := series.Whole(i, most)
		if !ok && err == nil {
			err = argument.Wrong(name, fmt.Sprintf("of trial %d", i), "is no number of it")
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
	after := func(before span, name string, series trial.Series, counts []count) span {
		return span{before.to, before.to + whole(name, series, len(counts)-before.to)}
	}
	r.tools = after(before.tools, "tools_used", c.ToolsUsed, s.toolCounts)
	r.actions = after(before.actions, "actions_used", c.ActionsUsed, s.actionCounts)
	r.pairs = span{before.pairs.to, before.pairs.to}
	if at(c.PairsUsed).Known {
		r.paired = true
		r.pairs = after(before.pairs, "pairs_used", c.PairsUsed, s.pairCounts)
	}
	if at(c.Input).Known {
		r.input = 1 + whole("input", c.Input, len(c.Inputs)-1)
	}
	if at(c.Outcome).Known {
		r.outcome = [...]trial.Outcome{trial.Fail, trial.Pass}[whole("outcome", c.Outcome, 1)]
	}
	if steps := at(c.Steps); steps.Known {
		r.recorded = true
		r.steps = whole("steps", c.Steps, math.MaxInt32)
	}
	r.branches = whole("branches", c.Branches, r.steps)
	r.failed = whole("failed_steps", c.Failed, r.steps)
	r.recovered = whole("recovered_steps", c.Recovered, r.failed)
	if at(c.Depth).Known {
		r.depth = trial.Some(whole("depth", c.Depth, math.MaxInt32))
	}
	if tokens := at(c.OutputTokens); tokens.Known {
		r.outputTokens = trial.Some(int64(tokens.Value))
		// Fractions, and whole numbers beyond those that a float64 holds exactly, are no counts.
		if float64(r.outputTokens.Value) != tokens.Value || math.Abs(tokens.Value) > mostCounted {
			err = argument.Wrong("output_tokens", tokens.Value, "is no number of tokens")
		}
	}
	r.complexity = at(c.Complexity)
	r.cost = at(c.CostUSD)
	r.duration = at(c.Duration)
	if err != nil {
		return r, err
	}
	// Every step has an action, and not every one a tool: hence equal here and at most below.
	if n := total(s.actionCounts[r.actions.from:r.actions.to]); n != r.steps {
		return r, argument.Wrong("action_steps", n, fmt.Sprintf("are not the steps of trial %d", i))
	}
	if n := total(s.toolCounts[r.tools.from:r.tools.to]); n > r.steps {
		return r, argument.Wrong("tool_steps", n, fmt.Sprintf("are more than the steps of trial %d", i))
	}
	n := total(s.pairCounts[r.pairs.from:r.pairs.to])
	if r.paired && (n > r.steps || r.branches != r.pairs.to-r.pairs.from) {
		return r, argument.Wrong("pair_steps", n, fmt.Sprintf("are not pairs of calls of trial %d", i))
	}
	return r, nil
}

// total adds up the steps of counts.
func total(counts []count) (steps int) {
	for _, c := range counts {
		steps += int(c.steps)
	}
	return steps
}
