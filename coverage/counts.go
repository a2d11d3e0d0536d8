package coverage

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/tribunal-dev/tribunal/coverage/graph"
)

// Counts is what a [Collector] counted and what was declared: all that coverage is
// computed from, in a form that can be saved. Lists of names are sorted, but for those
// that were declared.
type Counts struct {
	Edition Edition `json:"edition,omitempty"` // of the measuring

	Trials    int `json:"trials"`     // that were measured
	Errors    int `json:"errors"`     // trials without a verdict, left out
	Unjudged  int `json:"unjudged"`   // of the trials
	Recorded  int `json:"recorded"`   // of the trials, those that record their steps
	WithModel int `json:"with_model"` // of the trials, those that name a model

	Tools  []string    `json:"tools,omitempty"`  // declared
	Called []string    `json:"called,omitempty"` // tools, declared or not
	Models []string    `json:"models,omitempty"` // declared
	Ran    []string    `json:"ran,omitempty"`    // models that trials ran on, declared or not
	Paths  []PathCount `json:"paths,omitempty"`  // by the number of trials, rising
	// Graph is what was declared of the orchestration, whose paths are those that there are; nil: nothing.
	Graph  *graph.Graph `json:"graph,omitempty"`
	Walks  []graph.Walk `json:"walks,omitempty"`  // what trials that record their steps took of the graph
	States int          `json:"states"`           // distinct
	Lambda float64      `json:"lambda,omitempty"` // states to expect; 0: not declared
	// Visited are the states by the number of trials that were in them, rising, where λ is fitted to them; else nil.
	Visited []StateCount   `json:"visited,omitzero"`
	Limits  []CountedLimit `json:"limits,omitempty"` // that were declared, tool by tool
	Silent  []string       `json:"silent,omitempty"` // tools with limits, of which no call records its arguments

	Weights      map[Dimension]float64 `json:"weights"`                // of all dimensions in the mean, from 0
	PathsAsked   bool                  `json:"paths_asked,omitempty"`  // a weight of paths was given
	Minimum      *float64              `json:"minimum,omitempty"`      // overall coverage to reach, from 0 to 1
	Capabilities []string              `json:"capabilities,omitempty"` // declared
	Scenarios    []CountedScenario     `json:"scenarios,omitempty"`    // what covers the capabilities
}

// Edition says how counts are measured, where that has changed. Counts that do not say it are of the first.
type Edition uint8

// The editions of the measuring.
const (
	// firstEdition takes the share of the paths that are estimated to exist for the coverage of paths, has
	// no limits, and a mean also where nothing is declared.
	firstEdition Edition = iota
	// secondEdition measures the share of trials that take a path seen already, with a limit.
	secondEdition
)

// PathCount says how many paths were taken by so many trials each.
type PathCount struct {
	Trials int `json:"trials"` // from 1
	Paths  int `json:"paths"`  // from 1
}

// StateCount says how many states were visited by so many trials each.
type StateCount struct {
	Trials int `json:"trials"` // from 1
	States int `json:"states"` // from 1
}

// CountedLimit is a limit of a parameter, and whether an argument touched it.
type CountedLimit struct {
	Boundary
	Touched bool `json:"touched"` // an argument was at the limit or near it
}

// CountedScenario is a [Scenario] with its trials.
type CountedScenario struct {
	Name         string   `json:"name"`             // of the scenario
	Capabilities []string `json:"capabilities"`     // that it exercises
	Threshold    float64  `json:"threshold"`        // pass rate to reach, 0 to 1
	Passed       *bool    `json:"passed,omitempty"` // the verdict that decides in place of the rate; nil: there is none
	Passes       int      `json:"passes"`           // of the judged trials
	Judged       int      `json:"judged"`           // trials that passed or failed
}

// Counts returns what was counted so far. The result shares no memory with the
// collector but that of values of limits, which stay as they are.
func (c *Collector) Counts() *Counts {
	d := c.declared
	counts := &Counts{
		Edition: secondEdition, PathsAsked: c.weighsPaths,
		Trials: c.trials, Errors: c.errors, Unjudged: c.unjudged, Recorded: c.recorded, WithModel: c.withModel,
		Tools: slices.Clone(d.Tools), Called: sortedKeys(c.tools),
		Models: slices.Clone(d.Models), Ran: sortedKeys(c.ran),
		States: len(c.states), Lambda: d.Lambda, Silent: c.silent(),
		Weights: maps.Clone(d.Weights), Capabilities: slices.Clone(d.Capabilities),
	}
	// The collector counts the trials of each path; what the estimate needs is how many paths have as many
	// trials.
	taken := map[int]int{} // paths by the number of trials that took them
	for _, trials := range c.paths {
		taken[trials]++
	}
	for _, trials := range slices.Sorted(maps.Keys(taken)) {
		counts.Paths = append(counts.Paths, PathCount{Trials: trials, Paths: taken[trials]})
	}
	if d.Graph != nil {
		counts.Graph = d.Graph.Clone()
		for _, key := range sortedKeys(c.walks) {
			walk := *c.walks[key]
			walk.Steps = slices.Clone(walk.Steps)
			counts.Walks = append(counts.Walks, walk)
		}
		slices.SortStableFunc(counts.Walks, func(a, b graph.Walk) int { return len(a.Steps) - len(b.Steps) })
	}
	if d.FitLambda {
		counts.Lambda, counts.Visited = 0, c.visited()
	}
	for _, l := range c.limits {
		counts.Limits = append(counts.Limits, CountedLimit{Boundary: l.Boundary, Touched: l.touched})
	}
	if d.Minimum.Known {
		counts.Minimum = &d.Minimum.Value
	}
	for _, s := range d.Scenarios {
		n := c.scenarios[s.Name]
		counted := CountedScenario{
			Name: s.Name, Capabilities: slices.Clone(s.Capabilities), Threshold: s.Threshold,
			Passes: n.passes, Judged: n.judged,
		}
		if s.Passed.Known {
			counted.Passed = &s.Passed.Value
		}
		counts.Scenarios = append(counts.Scenarios, counted)
	}
	return counts
}

// visited counts the states by their trials; it is not nil.
func (c *Collector) visited() []StateCount {
	states := map[int]int{}
	for _, been := range c.states {
		states[been.trials]++
	}
	list := []StateCount{}
	for _, trials := range slices.Sorted(maps.Keys(states)) {
		list = append(list, StateCount{Trials: trials, States: states[trials]})
	}
	return list
}

// Validate returns an error for counts that no trials could have.
//
// Counts may come from a file that was edited. What is checked is what the numbers say of each other: a
// path is taken by trials that record their steps, a judged trial is one that was counted.
func (c *Counts) Validate() error {
	if c.Edition > secondEdition {
		return &DeclarationError{"counts.edition", c.Edition, fmt.Sprintf("must be at most %d", secondEdition)}
	}
	for _, n := range []struct {
		name          string
		n, least, all int
	}{
		{"errors", c.Errors, 0, c.Errors},
		{"trials", c.Trials, 0, c.Trials},
		{"unjudged", c.Unjudged, 0, c.Trials},
		{"recorded", c.Recorded, 0, c.Trials},
		{"with_model", c.WithModel, min(len(c.Ran), 1), c.Trials},
		{"states", c.States, min(len(c.Paths), 1), c.States},
	} {
		if n.n < n.least || n.n > n.all {
			problem := fmt.Sprintf("must be from %d to %d", n.least, max(n.least, n.all))
			return &DeclarationError{"counts." + n.name, n.n, problem}
		}
	}
	// Every trial that records its steps has taken exactly one path.
	trials := 0
	for _, p := range c.Paths {
		if p.Trials < 1 || p.Paths < 1 || p.Trials > c.Recorded || p.Paths > c.Recorded {
			return &DeclarationError{"counts.paths", p.Trials, "is no number of trials that took a path"}
		}
		trials += p.Trials * p.Paths
	}
	if trials != c.Recorded {
		problem := fmt.Sprintf("trials took a path, and the paths have %d", trials)
		return &DeclarationError{"counts.recorded", c.Recorded, problem}
	}
	if err := c.checkVisited(); err != nil {
		return err
	}
	if err := c.checkWalks(); err != nil {
		return err
	}
	// Trials of scenarios that were not declared are judged too and stand nowhere here: hence at most, not
	// equal.
	judged := 0
	for _, s := range c.Scenarios {
		if s.Passes < 0 || s.Passes > s.Judged {
			problem := fmt.Sprintf("passes must be from 0 to %d", s.Judged)
			return &DeclarationError{"counts.scenarios." + s.Name, s.Passes, problem}
		}
		judged += s.Judged
	}
	if judged > c.Trials-c.Unjudged {
		problem := fmt.Sprintf("are judged, of %d trials", c.Trials-c.Unjudged)
		return &DeclarationError{"counts.scenarios", judged, problem}
	}
	return nil
}

// checkVisited compares the trials of states with how many there are of both.
func (c *Counts) checkVisited() error {
	if c.Visited == nil {
		return nil
	}
	states := 0
	for _, v := range c.Visited {
		if v.Trials < 1 || v.States < 1 || v.Trials > c.Recorded || v.States > c.States {
			return &DeclarationError{"counts.visited", v.Trials, "is no number of trials that were in a state"}
		}
		states += v.States
	}
	if states != c.States || c.Lambda != 0 {
		problem := fmt.Sprintf("states, of %d, and no lambda beside them", c.States)
		return &DeclarationError{"counts.visited", states, problem}
	}
	return nil
}

// checkWalks compares the walks with the graph, with each other, and with the trials that took a path: each of
// those took one walk, and trials of the same path the same.
func (c *Counts) checkWalks() error {
	if c.Graph == nil {
		if c.Walks != nil {
			return &DeclarationError{"counts.walks", len(c.Walks), "are there, and no graph"}
		}
		return nil
	}
	paths, err := graph.Compile(c.Graph)
	if err != nil {
		return err
	}
	trials, most := 0, 0
	for _, p := range c.Paths {
		most += p.Paths
	}
	seen := make(map[string]bool, len(c.Walks))
	for _, w := range c.Walks {
		if err := paths.Check(w); err != nil {
			return err
		}
		key, err := json.Marshal(graph.Walk{Steps: w.Steps, Leaves: w.Leaves})
		if err != nil || seen[string(key)] {
			return &DeclarationError{"counts.walks", w, "is there twice"}
		}
		seen[string(key)] = true
		if w.Trials < 1 || w.Trials > c.Recorded {
			return &DeclarationError{"counts.walks", w.Trials, "is no number of trials that took a walk"}
		}
		trials += w.Trials
	}
	if trials != c.Recorded || len(c.Walks) > most {
		problem := fmt.Sprintf("of %d trials, and %d trials took %d paths", trials, c.Recorded, most)
		return &DeclarationError{"counts.walks", len(c.Walks), problem}
	}
	return nil
}

// compact is the boundary with its value on one line, as it may have been read from
// an indented document. A value that is no JSON stays as it is.
func (l CountedLimit) compact() Boundary {
	var value bytes.Buffer
	if json.Compact(&value, l.Value) == nil {
		l.Value = value.Bytes()
	}
	return l.Boundary
}

// setOf returns the words as a set.
func setOf(words []string) names {
	set := make(names, len(words))
	for _, word := range words {
		set.add(word)
	}
	return set
}
