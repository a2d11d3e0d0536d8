package suggest

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
)

// move is from one step to the next.
type move [2]graph.Step

// states proposes tasks that lead to states nobody has seen: three steps in a row of which trials took the first two
// and the last two, and never all three. Each is the input of a trial with the first two, and behind it that of one
// with the last two.
func (f *finding) states() {
	moves, seen := map[move]int{}, map[[3]graph.Step]bool{}
	by := map[move][]*Sample{}
	for _, s := range f.Samples.list {
		for i := range s.steps {
			if i >= 1 {
				m := move{s.steps[i-1], s.steps[i]}
				moves[m]++
				if s.input != nil {
					by[m] = withSample(by[m], s)
				}
			}
			if i >= 2 {
				seen[[3]graph.Step(s.steps[i-2:i+1])] = true
			}
		}
	}
	var novel [][3]graph.Step
	for a := range moves {
		for b := range moves {
			if three := [3]graph.Step{a[0], a[1], b[1]}; a[1] == b[0] && !seen[three] && by[a] != nil && by[b] != nil {
				novel = append(novel, three)
			}
		}
	}
	// What both parts did often is the likeliest to be done.
	often := func(s [3]graph.Step) int { return min(moves[move{s[0], s[1]}], moves[move{s[1], s[2]}]) }
	slices.SortFunc(novel, func(a, b [3]graph.Step) int {
		return cmp.Or(often(b)-often(a), cmp.Compare(graph.Brief(a[:]), graph.Brief(b[:])))
	})
	const most = 100 // that are listed
	for _, three := range novel[:min(len(novel), most)] {
		aim := graph.Brief(three[:])
		f.Missing = append(f.Missing, aim)
		if f.full() {
			continue
		}
		one, other := twoOf(by[move{three[0], three[1]}], by[move{three[1], three[2]}])
		why := fmt.Sprintf("no trial went through these steps; what %s asks is followed by what %s asks",
			quoted(one.Scenario), quoted(other.Scenario))
		then := takes(toolsOf(three[:]))
		if _, text, ok := textOf(other.input); ok {
			then = "Then: " + text
		}
		f.scenario(coverage.StateDimension, aim, why, one, also(one.input, then), inOrder(toolsOf(three[:])))
	}
	if len(novel) == 0 {
		f.note("no three steps are new whose parts were taken: only other tools, deeper agents and tools that fail " +
			"lead to more states")
	}
}

// withSample adds a trial to those of a move, of which one of each scenario is kept, that passed if any did, and of
// some scenarios alone.
func withSample(list []*Sample, s *Sample) []*Sample {
	const most = 8
	for i, other := range list {
		if other.Scenario == s.Scenario {
			if s.Passed && !other.Passed {
				list[i] = s
			}
			return list
		}
	}
	if len(list) == most {
		return list
	}
	return append(list, s)
}

// twoOf are trials of two moves, of different scenarios where there are such.
func twoOf(a, b []*Sample) (one, other *Sample) {
	for _, one := range a {
		for _, other := range b {
			if one.Scenario != other.Scenario {
				return one, other
			}
		}
	}
	return a[0], b[0]
}
