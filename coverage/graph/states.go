package graph

import (
	"encoding/binary"
	"maps"
	"slices"
)

// Several nodes may show the same step, and then a sequence of steps may go through the graph in several
// ways. States are sets of nodes, as in the subset construction (Rabin and Scott 1959): each sequence of
// steps leads to one of them, so that paths are counted once.

// states are what sequences of steps lead to; the first is that without a step. A state is made when
// something leads to it, and where it leads to is found out when that is asked.
type states struct {
	steps   []Step       // those of the graph, each once
	numbers map[Step]int // their places
	nodes   [][]int      // the steps of each node, by number
	after   []place      // where it goes from each node
	all     []state
	places  map[string]int // states by their place
}

// state is a place with the ways out of it.
type state struct {
	place
	known bool // the arcs are
	arcs  []arc
}

// arc leads to a state by a step.
type arc struct{ step, to int }

// place is where a path is between two steps: the nodes of which one takes the next step, and whether the
// path may end.
type place struct {
	next set
	ends bool
}

// set is a set of small numbers.
type set []uint64

func (s set) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s set) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

// join adds another place to this one.
func (p *place) join(other place) {
	for i, word := range other.next {
		p.next[i] |= word
	}
	p.ends = p.ends || other.ends
}

// key is the same for equal places alone.
func (p place) key() string {
	var b []byte
	for _, word := range p.next {
		b = binary.LittleEndian.AppendUint64(b, word)
	}
	if p.ends {
		b = append(b, 1)
	}
	return string(b)
}

// newStates returns the states of a graph that was checked, with the first.
func newStates(g *Graph, index map[string]int) *states {
	s := &states{numbers: make(map[Step]int), places: make(map[string]int)}
	for _, n := range g.Nodes {
		var numbers []int
		for _, step := range n.Steps {
			number, ok := s.numbers[step]
			if !ok {
				number = len(s.steps)
				s.numbers[step] = number
				s.steps = append(s.steps, step)
			}
			numbers = append(numbers, number)
		}
		s.nodes = append(s.nodes, numbers)
	}
	for _, n := range g.Nodes {
		at := g.entered(index, n.To)
		at.ends = at.ends || n.End || len(n.To) == 0
		s.after = append(s.after, at)
	}
	s.state(g.entered(index, g.Start))
	return s
}

// entered is the place before one of the nodes. One without a step is gone through.
func (g *Graph) entered(index map[string]int, names []string) place {
	at := place{next: make(set, (len(g.Nodes)+63)/64)}
	through := make(map[string]bool)
	for stack := slices.Clone(names); len(stack) > 0; {
		name := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := &g.Nodes[index[name]]
		switch {
		case len(n.Steps) > 0:
			at.next.add(index[name])
		case !through[name]:
			through[name] = true
			at.ends = at.ends || n.End || len(n.To) == 0
			stack = append(stack, n.To...)
		}
	}
	return at
}

// state returns the number of the state of a place.
func (s *states) state(at place) int {
	key := at.key()
	number, ok := s.places[key]
	if !ok {
		number = len(s.all)
		s.places[key] = number
		s.all = append(s.all, state{place: at})
	}
	return number
}

// arcs are the ways out of a state, by the numbers of their steps.
func (s *states) arcs(number int) []arc {
	if s.all[number].known {
		return s.all[number].arcs
	}
	from := s.all[number].next
	to := make(map[int]*place)
	for node, steps := range s.nodes {
		if !from.has(node) {
			continue
		}
		for _, step := range steps {
			if to[step] == nil {
				to[step] = &place{next: make(set, len(from))}
			}
			to[step].join(s.after[node])
		}
	}
	var arcs []arc
	for _, step := range slices.Sorted(maps.Keys(to)) {
		arcs = append(arcs, arc{step, s.state(*to[step])})
	}
	s.all[number].known, s.all[number].arcs = true, arcs
	return arcs
}

// step returns the state that a step leads to; false where the graph does not have it there.
func (s *states) step(number int, step Step) (int, bool) {
	label, ok := s.numbers[step]
	if !ok {
		return 0, false
	}
	for _, a := range s.arcs(number) {
		if a.step == label {
			return a.to, true
		}
	}
	return 0, false
}
