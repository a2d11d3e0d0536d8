package graph

import (
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Graph is what the orchestration of an agent allows.
type Graph struct {
	Start    []string `json:"start"`     // the nodes of which one comes first
	Nodes    []Node   `json:"nodes"`     // each with a name of its own
	MaxDepth int      `json:"max_depth"` // steps of the longest path, from 1 to [DeepestPath]
}

// Node is a place in the graph.
type Node struct {
	Name string `json:"name"` // by which other nodes lead here
	// Steps are those of which the agent takes one here; nil: none, as where it only chooses where to go.
	Steps []Step   `json:"steps,omitempty"`
	To    []string `json:"to,omitempty"`  // the nodes of which one comes next
	End   bool     `json:"end,omitempty"` // a path may end here, which it always may where To is empty
}

// Step is an action with its tool, as trials record it.
type Step struct {
	Action trial.Action `json:"action,omitempty"` // "" is [trial.CallTool]
	Tool   string       `json:"tool,omitempty"`   // of a call
}

// StepOf is the step of a trial as graphs have it: of a tool that is called the tool, and else the action.
func StepOf(s *trial.Step) Step {
	if s.Action == trial.CallTool {
		return Step{Tool: s.Tool}
	}
	return Step{Action: s.Action}
}

// String returns the tool that is called, or the action in parentheses, such as "(respond)".
func (s Step) String() string {
	switch {
	case s.Action != "":
		return "(" + string(s.Action) + ")"
	case s.Tool == "":
		return "(" + string(trial.CallTool) + ")"
	}
	return s.Tool
}

// Clone returns a graph that shares no memory with this one.
func (g *Graph) Clone() *Graph {
	c := &Graph{Start: slices.Clone(g.Start), Nodes: slices.Clone(g.Nodes), MaxDepth: g.MaxDepth}
	for i := range c.Nodes {
		n := &c.Nodes[i]
		n.Steps, n.To = slices.Clone(n.Steps), slices.Clone(n.To)
	}
	return c
}

// Tools returns the tools that the graph calls, each once, in its order.
func (g *Graph) Tools() (tools []string) {
	for _, n := range g.Nodes {
		for _, s := range n.Steps {
			if s.Action == "" && !slices.Contains(tools, s.Tool) {
				tools = append(tools, s.Tool)
			}
		}
	}
	return tools
}

// What is taken at most. All of them are chosen.
const (
	DeepestPath = 100       // steps
	mostPaths   = 1_000_000 // more are never tried: the coverage would be 0 whatever is done
	mostNodes   = 1000
	mostSteps   = 10_000 // of all nodes
	mostStates  = 10_000
)

// Error says what of a graph cannot be used.
type Error struct {
	Node    string // "" is none in particular
	Field   string // such as "to" of a node, or "max_depth"
	Problem string // such as `leads to "serch", which is no node`
	Advice  string // "" is none
}

// Error returns such as `graph: nodes.search.to leads to "serch", which is no node`.
func (e *Error) Error() string {
	at := e.Field
	if e.Node != "" {
		at = "nodes." + prose.Excerpt(e.Node)
		if e.Field != "" {
			at += "." + e.Field
		}
	}
	return "graph: " + at + " " + e.Problem
}

// Hint says what may be done.
func (e *Error) Hint() string { return e.Advice }

// ExitCode is that of input that cannot be used.
func (e *Error) ExitCode() int { return exit.Input }

// check refuses what is no graph: names that lead nowhere, nodes that no path has.
func (g *Graph) check() (index map[string]int, err error) {
	switch {
	case g.MaxDepth < 1 || g.MaxDepth > DeepestPath:
		return nil, &Error{Field: "max_depth", Problem: fmt.Sprintf("%d must be from 1 to %d", g.MaxDepth, DeepestPath)}
	case len(g.Nodes) == 0:
		return nil, &Error{Field: "nodes", Problem: "must not be empty"}
	case len(g.Nodes) > mostNodes:
		return nil, &Error{Field: "nodes", Problem: fmt.Sprintf("are more than %d", mostNodes)}
	case len(g.Start) == 0:
		return nil, &Error{Field: "start", Problem: "must not be empty"}
	}
	index = make(map[string]int, len(g.Nodes))
	var names []string
	steps := 0
	for i, n := range g.Nodes {
		if _, twice := index[n.Name]; twice || n.Name == "" {
			return nil, &Error{Field: "nodes", Problem: "have the name " + prose.Quote(n.Name) + " twice, or one without a name"}
		}
		index[n.Name] = i
		names = append(names, n.Name)
		if steps += len(n.Steps); steps > mostSteps {
			return nil, &Error{Field: "nodes", Problem: fmt.Sprintf("have more than %d steps", mostSteps)}
		}
		if slices.Contains(n.Steps, Step{}) {
			return nil, &Error{Node: n.Name, Problem: "has a step without an action and a tool"}
		}
	}
	if steps == 0 {
		return nil, &Error{Field: "nodes", Problem: "have no step", Advice: "without one there is one path, the empty one"}
	}
	known := func(node, field string, to []string) error {
		for _, name := range to {
			if _, ok := index[name]; !ok {
				problem := "leads to " + prose.Quote(name) + ", which is no node"
				advice := prose.DidYouMean(name, names[:min(len(names), 20)])
				return &Error{Node: node, Field: field, Problem: problem, Advice: advice}
			}
		}
		return nil
	}
	if err := known("", "start", g.Start); err != nil {
		return nil, err
	}
	for _, n := range g.Nodes {
		if err := known(n.Name, "to", n.To); err != nil {
			return nil, err
		}
	}
	return index, g.checkWays(index)
}

// checkWays refuses nodes that no path from the start to an end goes through: one of the edges is missing.
func (g *Graph) checkWays(index map[string]int) error {
	forwards, backwards := make([][]int, len(g.Nodes)), make([][]int, len(g.Nodes))
	var starts, ends []int
	for i, n := range g.Nodes {
		for _, name := range n.To {
			forwards[i] = append(forwards[i], index[name])
			backwards[index[name]] = append(backwards[index[name]], i)
		}
		if n.End || len(n.To) == 0 {
			ends = append(ends, i)
		}
	}
	for _, name := range g.Start {
		starts = append(starts, index[name])
	}
	begun, ended := reached(starts, forwards), reached(ends, backwards)
	for i, n := range g.Nodes {
		switch {
		case !begun[i]:
			return &Error{Node: n.Name, Problem: "is not reached from the start", Advice: "which node leads to it?"}
		case !ended[i]:
			return &Error{Node: n.Name, Problem: "leads to no end", Advice: "write end: true at a node where a trial may end"}
		}
	}
	return nil
}

// reached says which nodes the edges lead to from those.
func reached(from []int, edges [][]int) []bool {
	met := make([]bool, len(edges))
	for stack := slices.Clone(from); len(stack) > 0; {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if !met[v] {
			met[v] = true
			stack = append(stack, edges[v]...)
		}
	}
	return met
}
