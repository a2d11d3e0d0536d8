package fingerprint

import "github.com/tribunal-dev/tribunal/trial"

// tally is the memory that counting the steps of a trial takes; it is used again
// for the next one.
//
// A trial uses few of the names of its sample: counts of a trial stand one after the other in the sample's
// list, and place says where in it, so that nothing is as long as all names.
type tally struct {
	complexity complexity
	place      map[int]int        // number of a name -> its place among the counts of the trial
	pairs      map[[2]int]int     // number of a pair of tools called one after the other
	calls      []int              // the tools of the trial, call by call
	succeeded  map[performer]bool // who has a successful step further on
}

// performer is who performs a step: failing and succeeding are those of the same
// tool, or of the same action where there is no tool.
type performer struct {
	action trial.Action
	tool   string
}

// countSteps counts tools, actions, branches and failures of a trial's steps. It fills in the spans of the
// record, in which the sample's lists hold the trial's counts; the number of steps is the caller's.
func (s *Sample) countSteps(steps []trial.Step, r *record) {
	t := &s.tally
	// Made once for a sample: clearing a map is cheaper than making one for every trial.
	if t.place == nil {
		t.place = make(map[int]int)
		t.pairs = make(map[[2]int]int)
		t.succeeded = make(map[performer]bool)
	}
	r.tools.from = len(s.toolCounts)
	clear(t.place)
	t.calls = t.calls[:0]
	for i := range steps {
		step := &steps[i]
		if step.Depth.Known && (!r.depth.Known || step.Depth.Value > r.depth.Value) {
			r.depth = step.Depth
		}
		if step.Error != "" {
			r.failed++
		}
		if step.Tool == "" {
			continue
		}
		tool := s.tools.index(step.Tool)
		s.toolCounts = t.increment(s.toolCounts, tool)
		t.calls = append(t.calls, tool)
	}
	r.tools.to = len(s.toolCounts)
	s.countPairs(r)

	// Actions are counted after the tools, with the same map: numbers of both begin at 0.
	r.actions.from = len(s.actionCounts)
	clear(t.place)
	for i := range steps {
		s.actionCounts = t.increment(s.actionCounts, s.actions.index(string(steps[i].Action)))
	}
	r.actions.to = len(s.actionCounts)
	if r.failed > 0 {
		r.recovered = t.recovered(steps)
	}
}

// countPairs counts the pairs of tools called one after the other; steps without a tool between two calls
// do not part them. Numbers of pairs are looked up by those of their tools, which no name can imitate.
func (s *Sample) countPairs(r *record) {
	t := &s.tally
	clear(t.place)
	r.pairs.from = len(s.pairCounts)
	for i := 1; i < len(t.calls); i++ {
		key := [2]int{t.calls[i-1], t.calls[i]}
		pair, ok := t.pairs[key]
		if !ok {
			pair = s.pairs.index(s.tools.words[key[0]] + pairArrow + s.tools.words[key[1]])
			t.pairs[key] = pair
		}
		s.pairCounts = t.increment(s.pairCounts, pair)
	}
	r.pairs.to = len(s.pairCounts)
	r.branches = r.pairs.to - r.pairs.from
}

// pairArrow stands between the tools in the name of a pair.
const pairArrow = " -> "

// increment counts one more step of a tool or an action. The count of a name is appended when the trial
// uses it for the first time.
func (t *tally) increment(counts []count, name int) []count {
	place, ok := t.place[name]
	if !ok {
		place = len(counts)
		t.place[name] = place
		counts = append(counts, count{name: int32(name)})
	}
	counts[place].steps++
	return counts
}

// recovered counts the failed steps that a success of the same performer follows. It goes backwards, so
// that what succeeded further on is known at each failed step.
func (t *tally) recovered(steps []trial.Step) (n int) {
	clear(t.succeeded)
	for i := len(steps) - 1; i >= 0; i-- {
		who := performer{steps[i].Action, steps[i].Tool}
		switch {
		case steps[i].Error == "":
			t.succeeded[who] = true
		case t.succeeded[who]:
			n++
		}
	}
	return n
}
