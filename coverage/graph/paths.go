package graph

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Paths are the paths of a graph. They may be used by one goroutine at a time.
type Paths struct {
	states  *states
	depth   int
	total   int
	actions map[trial.Action]bool // that the graph has
}

// Compile counts the paths of a graph. It returns an [Error] for one that cannot be used: a name that leads
// nowhere, a node that no path goes through, or more than [mostPaths] paths.
//
// They are counted by dynamic programming over states and depths, so that it takes no time that grows with
// their number.
func Compile(g *Graph) (*Paths, error) {
	index, err := g.check()
	if err != nil {
		return nil, err
	}
	p := &Paths{states: newStates(g, index), depth: g.MaxDepth, actions: make(map[trial.Action]bool)}
	for _, step := range p.states.steps {
		p.actions[step.Action] = true
	}
	return p, p.count()
}

// count sets the total: the paths that end before the largest depth, and those that have come so far.
func (p *Paths) count() error {
	alive, ended := map[int]int{0: 1}, 0 // sequences of steps, by the state that they lead to
	for depth := range p.depth {
		next, going := make(map[int]int), 0
		for s, n := range alive {
			if p.states.all[s].ends {
				ended += n
			}
			for _, a := range p.states.arcs(s) {
				next[a.to] += n
				going += n
				if ended+going > mostPaths {
					return tooMany(p.depth, depth)
				}
			}
			if len(p.states.all) > mostStates {
				return &Error{Field: "nodes", Problem: "show the same steps in too many ways",
					Advice: "leave out nodes of the same tool, or lower max_depth"}
			}
		}
		alive = next
		// Paths that ended stay; each of the others is at least one path.
		p.total = ended + going
		if going == 0 {
			break
		}
	}
	return nil
}

// tooMany is the error where so many steps are the most that can be counted.
func tooMany(asked, most int) error {
	e := &Error{Field: "max_depth", Problem: fmt.Sprintf("%d makes more than %d paths of the graph", asked, mostPaths)}
	e.Advice = fmt.Sprintf("no trials try so many: lower it to %d or less, or leave out edges", most)
	return e
}

// Total is the number of paths, from 1 to [mostPaths].
func (p *Paths) Total() int { return p.total }

// Leaves says how a trial left the graph.
type Leaves string

// The ways to leave a graph.
const (
	Stays    Leaves = ""     // it does not
	byStep   Leaves = "step" // its last step is none that the graph has there
	ByEnding Leaves = "end"  // it ends where the graph does not
)

// Walk is what trials took of a graph.
type Walk struct {
	// Steps are those of the path of the graph, at most as many as its largest depth; of a trial that left the
	// graph all until then, that by which it left among them.
	Steps  []Step `json:"steps"`
	Leaves Leaves `json:"leaves,omitempty"` // how the trials left the graph; "": they did not
	Trials int    `json:"trials"`           // that took it, from 1
}

// String returns such as "search > refund > (respond)", for a person; see [Brief].
func (w Walk) String() string {
	text := Brief(w.Steps)
	switch {
	case w.Leaves == byStep && len(w.Steps) > 0:
		return text + " (" + prose.Excerpt(w.Steps[len(w.Steps)-1].String()) + " is no next step there)"
	case w.Leaves == ByEnding:
		return text + " (no end there)"
	}
	return text
}

// Steps of a path that is shown: so many from its beginning, and so many from its end.
const firstShown, lastShown = 4, 4

// Brief joins the steps of a path for a person: names are printable, and of a long path the middle is left out.
func Brief(steps []Step) string {
	if len(steps) == 0 {
		return "(no step)"
	}
	var texts []string
	for i, s := range steps {
		if left := len(steps) - firstShown - lastShown; left > 1 && i >= firstShown && i < firstShown+left {
			if i == firstShown {
				texts = append(texts, fmt.Sprintf("(%d steps)", left))
			}
			continue
		}
		texts = append(texts, prose.Excerpt(s.String()))
	}
	return strings.Join(texts, " > ")
}

// Follow returns what a trial of these steps took of the graph, in the memory of the steps. Actions that no
// node has are left out: a graph of tools says nothing of what is said in between.
func (p *Paths) Follow(steps []Step) (walk []Step, leaves Leaves) {
	walk = steps[:0]
	at, ok := 0, true
	for _, step := range steps {
		if !p.actions[step.Action] {
			continue
		}
		walk = append(walk, step)
		if at, ok = p.states.step(at, step); !ok {
			return walk, byStep
		}
	}
	if !p.states.all[at].ends {
		return walk, ByEnding
	}
	return walk[:min(len(walk), p.depth)], Stays
}

// Check returns an error for a walk that [Paths.Follow] does not return for any trial.
func (p *Paths) Check(w Walk) error {
	at, ok := 0, true
	for i, step := range w.Steps {
		if at, ok = p.states.step(at, step); !ok && (w.Leaves != byStep || i < len(w.Steps)-1 || !p.actions[step.Action]) {
			return &Error{Field: "walks", Problem: "has a step that the graph has not: " + Brief(w.Steps)}
		}
	}
	switch {
	case w.Leaves == byStep && ok, w.Leaves == byStep && len(w.Steps) == 0,
		w.Leaves == ByEnding && p.states.all[at].ends,
		// A path that goes on after the largest depth has all of its steps here.
		w.Leaves == Stays && (len(w.Steps) > p.depth || len(w.Steps) < p.depth && !p.states.all[at].ends):
		return &Error{Field: "walks", Problem: "leaves the graph in another way: " + Brief(w.Steps)}
	case w.Leaves != Stays && w.Leaves != byStep && w.Leaves != ByEnding:
		return &Error{Field: "walks", Problem: "leaves the graph by no known way: " + Brief(w.Steps)}
	}
	return nil
}
