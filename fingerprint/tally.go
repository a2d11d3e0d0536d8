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
	pairs      map[[2]int]bool    // of tools called one after the other
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
		t.pairs = make(map[[2]int]bool)
		t.succeeded = make(map[performer]bool)
	}
	r.tools.from = len(s.toolCounts)
	clear(t.place)
	clear(t.pairs)
	// The number of the tool called last; steps without a tool between two calls do not part them.
	last := -1
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
		if last >= 0 {
			t.pairs[[2]int{last, tool}] = true
		}
		last = tool
	}
	r.tools.to = len(s.toolCounts)
	r.branches = len(t.pairs)

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

// increment counts one more step of a tool or an action. The count of a name is appended when the trial
// uses it for the first time.
func (t *tally) increment(counts []count, name int) []count {
	place, ok := t.place[name]
	if !ok {
		place = len(counts)
		t.place[name] = place
		counts = append(counts, count{name: name})
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
