package coverage

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/trial"
)

// Collector measures coverage over a stream of trials. It keeps names, one hash for
// each distinct path, with a graph its steps, a few numbers for each distinct state, and nothing
// of a trial itself. It may be used by one goroutine at a time.
type Collector struct {
	declared Declaration
	limits   []*limit               // of all tools, in the order of their names
	byTool   map[string]*parameters // of the tools that have limits
	// weighsPaths says that the declaration gives paths a weight.
	weighsPaths bool

	trials    int // that were measured
	errors    int // trials that ended in an error, and were not
	unjudged  int // of the trials
	recorded  int // of the trials, those that record their steps
	withModel int // of the trials, those that name a model

	tools, ran names             // tools that were called, models that were run on
	pairs      map[pair]int      // their numbers
	paths      map[[16]byte]int  // trials that took a path, by its hash
	states     map[state]visits  // distinct, with depth and failure
	scenarios  map[string]*tally // those that were declared
	path       []byte            // memory for the path of a trial, used again for the next one

	graph *graph.Paths           // nil: no graph is declared
	walks map[string]*graph.Walk // that trials took of it, by all that they are
	walk  []graph.Step           // memory, as that of the path
}

// pair is an action and the tool that it calls (AgentAssay, Definition 4.3).
type pair struct {
	action trial.Action
	tool   string
}

// state is the abstract state that an agent is in after a step: π of Definition 4.6.
// Where it is, is the step's action and tool and its depth; the variables are whether
// the step failed; the history is the two steps before. That keeps the number of
// states finite whatever the texts are.
type state struct {
	steps  [window]int // numbers of pairs, the last first; 0 before the first step
	depth  int
	failed bool // the last step did
}

// visits are the trials that were in a state, and the number of the last of them, from 1.
type visits struct{ trials, last int }

// window is how many steps a state remembers, its own among them. With more of them
// hardly two trials would share a state, and the number of states would say nothing.
const window = 3

// tally counts the trials of a scenario that have a verdict.
type tally struct{ passes, judged int }

// names are words in a set.
type names map[string]struct{}

// has reports whether the word is in the set.
func (n names) has(word string) bool {
	_, ok := n[word]
	return ok
}

// add puts a word into the set.
func (n *names) add(name string) {
	if *n == nil {
		*n = make(names)
	}
	(*n)[name] = struct{}{}
}

// NewCollector returns a collector without trials. It returns a [DeclarationError]
// for a declaration that cannot be used, and keeps no reference to its maps.
func NewCollector(d Declaration) (c *Collector, err error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	c = &Collector{
		declared:  d,
		byTool:    make(map[string]*parameters),
		pairs:     make(map[pair]int),
		paths:     make(map[[16]byte]int),
		states:    make(map[state]visits),
		scenarios: make(map[string]*tally),
		walks:     make(map[string]*graph.Walk),
	}
	if d.Graph != nil {
		c.declared.Graph = d.Graph.Clone()
		if c.graph, err = graph.Compile(c.declared.Graph); err != nil {
			return nil, err
		}
	}
	c.declared.Tools = slices.Clone(d.Tools)
	c.declared.Models = slices.Clone(d.Models)
	c.declared.Capabilities = slices.Clone(d.Capabilities)
	c.declared.Scenarios = slices.Clone(d.Scenarios)
	// Every dimension gets a weight, so that counts say it without knowing the default.
	c.declared.Weights = make(map[Dimension]float64)
	for _, dimension := range Dimensions() {
		c.declared.Weights[dimension] = 1
		if weight, given := d.Weights[dimension]; given {
			c.declared.Weights[dimension] = weight
			c.weighsPaths = c.weighsPaths || dimension == PathDimension && weight > 0
		}
	}
	for _, tool := range sortedKeys(d.Boundaries) {
		parameters, limits := newParameters(tool, d.Boundaries[tool], d.DefaultExtremes)
		if len(limits) > 0 {
			c.byTool[tool] = parameters
			c.limits = append(c.limits, limits...)
		}
	}
	c.declared.Boundaries = nil // the limits say it all
	for _, s := range d.Scenarios {
		c.scenarios[s.Name] = &tally{}
	}
	return c, nil
}

// Add adds a trial, which may be unjudged. A trial whose outcome is [trial.Error] was
// cut off at some point that says nothing of the agent: it is counted, and left out.
// The reader needs trial.StepFields, and trial.ContentFields for the boundaries.
func (c *Collector) Add(t *trial.Trial) {
	switch t.Outcome {
	case trial.Error:
		c.errors++
		return
	case trial.Unjudged:
		c.unjudged++
	}
	c.trials++
	c.tally(t)
	model := t.Model != ""
	if model {
		c.ran.add(t.Model)
	}
	for i := range t.Steps {
		if name := t.Steps[i].Model; name != "" {
			c.ran.add(name)
			model = true
		}
	}
	if model {
		c.withModel++
	}
	if t.Steps == nil {
		return // not recorded: it is not known what was called
	}
	c.recorded++
	c.addSteps(t.Steps)
}

// tally counts the outcome for the scenario of the trial, if that was declared.
func (c *Collector) tally(t *trial.Trial) {
	counts := c.scenarios[t.Scenario]
	if counts == nil || t.Outcome == trial.Unjudged {
		return
	}
	counts.judged++
	if t.Outcome == trial.Pass {
		counts.passes++
	}
}

// addSteps notes tools, limits, states and the path of a trial. A trial without a step has
// taken a path too, the empty one.
func (c *Collector) addSteps(steps []trial.Step) {
	var now state
	c.path = c.path[:0]
	for i := range steps {
		s := &steps[i]
		if s.Action == trial.CallTool && s.Tool != "" {
			c.tools.add(s.Tool)
			if p := c.byTool[s.Tool]; p != nil {
				p.addCall(s.Arguments)
			}
		}
		number := c.number(pair{s.Action, s.Tool})
		c.path = binary.AppendUvarint(c.path, uint64(number))
		// The window moves by one step: the oldest is forgotten.
		copy(now.steps[1:], now.steps[:window-1])
		now.steps[0] = number
		now.depth = s.Depth.Value
		now.failed = s.Error != ""
		if been := c.states[now]; been.last != c.recorded {
			c.states[now] = visits{been.trials + 1, c.recorded}
		}
	}
	// The hash stands for the path: half of SHA-256 never collides, and is always 16 bytes.
	sum := sha256.Sum256(c.path)
	c.paths[[16]byte(sum[:16])]++
	if c.graph != nil {
		c.addWalk(steps)
	}
}

// addWalk notes what a trial took of the graph. What it took is kept in full: it is to be named, and a result
// that was saved is to be measured again.
func (c *Collector) addWalk(steps []trial.Step) {
	c.walk = c.walk[:0]
	for i := range steps {
		c.walk = append(c.walk, graph.StepOf(&steps[i]))
	}
	walk, leaves := c.graph.Follow(c.walk)
	c.path = append(c.path[:0], leaves...)
	for _, s := range walk {
		for _, word := range []string{string(s.Action), s.Tool} {
			c.path = binary.AppendUvarint(c.path, uint64(len(word)))
			c.path = append(c.path, word...)
		}
	}
	taken := c.walks[string(c.path)]
	if taken == nil {
		taken = &graph.Walk{Steps: slices.Clone(walk), Leaves: leaves}
		c.walks[string(c.path)] = taken
	}
	taken.Trials++
}

// number numbers pairs from 1, in the order of their first use. A path is the sequence of
// these numbers; 0 is the step before the first one of a state.
func (c *Collector) number(p pair) int {
	n, ok := c.pairs[p]
	if !ok {
		n = len(c.pairs) + 1
		c.pairs[p] = n
	}
	return n
}
