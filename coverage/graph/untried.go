package graph

import "encoding/binary"

// Untried returns the first paths, at most so many, that are none of those that were tried: the shortest
// first, and those of one length in the order of the graph's steps.
func (p *Paths) Untried(tried [][]Step, most int) [][]Step {
	u := &pathSearch{Paths: p, tried: make(map[string]bool, len(tried)), most: most, ahead: make(map[lookahead]bool)}
	for _, steps := range tried {
		var key []byte
		for _, step := range steps {
			key = binary.AppendUvarint(key, uint64(p.states.numbers[step]))
		}
		u.tried[string(key)] = true
	}
	for length := 0; length <= p.depth && len(u.found) < most; length++ {
		u.from(0, length, nil, nil)
	}
	return u.found
}

// pathSearch looks for paths that were not tried.
type pathSearch struct {
	*Paths
	tried map[string]bool // by the numbers of their steps
	most  int
	found [][]Step
	ahead map[lookahead]bool
}

// lookahead is a question: does a path go on from a state for so many steps and end there?
type lookahead struct{ state, steps int }

// from adds the paths of one length that begin with these steps and have so many left. It goes only where
// there is one, so that it takes no longer than the paths that were tried and those that are found.
func (u *pathSearch) from(state, left int, steps []Step, key []byte) {
	if len(u.found) >= u.most || !u.goesOn(state, left, len(steps)+left == u.depth) {
		return
	}
	if left == 0 {
		if !u.tried[string(key)] {
			u.found = append(u.found, append([]Step{}, steps...))
		}
		return
	}
	for _, a := range u.states.arcs(state) {
		u.from(a.to, left-1, append(steps, u.states.steps[a.step]), binary.AppendUvarint(key, uint64(a.step)))
	}
}

// goesOn answers [lookahead]. A path of the largest depth need not end: it stands for those that go on.
func (u *pathSearch) goesOn(state, left int, deepest bool) bool {
	if left == 0 {
		return deepest || u.states.all[state].ends
	}
	question := lookahead{state, left}
	if deepest {
		question.steps = -left
	}
	answer, known := u.ahead[question]
	if !known {
		for _, a := range u.states.arcs(state) {
			if u.goesOn(a.to, left-1, deepest) {
				answer = true
				break
			}
		}
		u.ahead[question] = answer
	}
	return answer
}
