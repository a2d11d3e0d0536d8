package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// paths proposes inputs of trials that went nearly where none went: with a graph along its paths that were not tried,
// without one where trials parted and few took one of the ways.
func (f *finding) paths() {
	if f.Coverage.Paths != nil && f.Coverage.Paths.Graph != nil {
		f.graphPaths()
		return
	}
	f.branches()
}

// graphPaths proposes the paths of the graph that were not tried, the shortest first, each by the input of the trial
// whose steps are the fewest edits away.
func (f *finding) graphPaths() {
	counts := f.Coverage.Counts
	paths, err := graph.Compile(counts.Graph)
	if err != nil {
		return
	}
	var tried [][]graph.Step
	for _, w := range counts.Walks {
		if w.Leaves == graph.Stays {
			tried = append(tried, w.Steps)
		}
	}
	known := map[graph.Step]bool{}
	for _, n := range counts.Graph.Nodes {
		for _, s := range n.Steps {
			known[s] = true
		}
	}
	for _, steps := range paths.Untried(tried, max(f.Count, 5)) {
		f.Missing = append(f.Missing, graph.Brief(steps))
		if f.full() {
			continue
		}
		var nearest *Sample
		best := 0
		for _, s := range f.Samples.list {
			took := slices.DeleteFunc(slices.Clone(s.steps), func(s graph.Step) bool { return !known[s] })
			if off := edits(took, steps); nearest == nil || off < best {
				nearest, best = s, off
			}
		}
		why := "no trial took this path of the graph"
		var input any
		if nearest != nil {
			input = nearest.input
			why += fmt.Sprintf("; one of %s took one that %s away: a sentence asks for the rest",
				quoted(nearest.Scenario), prose.Count(best, "step")+prose.Form(best, " is", " are"))
		}
		tools := toolsOf(steps)
		f.scenario(coverage.PathDimension, graph.Brief(steps), why, nearest, also(input, takes(tools)), inOrder(tools))
	}
}

// toolsOf are the tools that steps call, in their order.
func toolsOf(steps []graph.Step) (tools []string) {
	for _, s := range steps {
		if s.Action == "" {
			tools = append(tools, s.Tool)
		}
	}
	return tools
}

// takes is a sentence that asks for tools in an order.
func takes(tools []string) string {
	if len(tools) == 0 {
		return "Answer at once, without any tool."
	}
	return "It takes " + strings.Join(tools, ", then ") + "."
}

// inOrder is the evaluator of tools in an order; nil where there are none.
func inOrder(tools []string) map[string]any {
	if len(tools) == 0 {
		return nil
	}
	return map[string]any{"tool-order": tools}
}

// edits is the number of steps to insert, leave out or replace that turn one sequence into the other (Levenshtein).
func edits(a, b []graph.Step) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0]++
		for j := range b {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// longestBegin is how many steps of a beginning are told apart; chosen.
const longestBegin = 12

// branch is a way that trials took behind the same beginning.
type branch struct {
	begin []graph.Step
	next  graph.Step
	taken int // trials
	total int // that had the beginning, and went on
}

// share is that of the trials with the beginning that took the branch.
func (b branch) share() float64 { return float64(b.taken) / float64(b.total) }

// branches proposes the ways that the fewest trials took of those with the same beginning, each by the input of a
// trial that took the usual way there.
func (f *finding) branches() {
	const most = 100 // that are listed
	all := f.underRepresented()
	for _, b := range all[:min(len(all), most)] {
		steps := append(slices.Clone(b.begin), b.next)
		aim := graph.Brief(steps)
		f.Missing = append(f.Missing, aim)
		if f.full() {
			continue
		}
		nearest := f.otherWay(b)
		if nearest == nil {
			continue
		}
		why := fmt.Sprintf("%d of %s that began so went on like that; one of %s went another way, and is asked to",
			b.taken, prose.Count(b.total, "trial"), quoted(nearest.Scenario))
		tools := toolsOf(steps)
		f.scenario(coverage.PathDimension, aim, why, nearest, also(nearest.input, takes(tools)), inOrder(tools))
	}
}

// underRepresented are the branches that less than half of the trials took, and that call a tool: the rarest first, and
// of equally rare ones the shorter beginning.
func (f *finding) underRepresented() []branch {
	found := map[string]*branch{}
	going := map[string]int{}
	for _, s := range f.Samples.list {
		var begin strings.Builder
		for i, step := range s.steps[:min(len(s.steps), longestBegin)] {
			going[begin.String()]++
			key := begin.String() + "\x00" + step.String()
			if found[key] == nil {
				found[key] = &branch{begin: s.steps[:i], next: step}
			}
			found[key].taken++
			begin.WriteString("\x00" + step.String())
		}
	}
	var list []branch
	for key, b := range found {
		b.total = going[strings.TrimSuffix(key, "\x00"+b.next.String())]
		if b.next.Action == "" && 2*b.taken < b.total {
			list = append(list, *b)
		}
	}
	slices.SortFunc(list, func(a, b branch) int {
		return cmp.Or(cmp.Compare(a.share(), b.share()), len(a.begin)-len(b.begin),
			cmp.Compare(graph.Brief(append(slices.Clone(a.begin), a.next)), graph.Brief(append(slices.Clone(b.begin), b.next))))
	})
	return list
}

// otherWay is a trial with the beginning of a branch that took another way, and whose input is known.
func (f *finding) otherWay(b branch) (nearest *Sample) {
	for _, s := range f.Samples.list {
		if len(s.steps) <= len(b.begin) || !slices.Equal(s.steps[:len(b.begin)], b.begin) || s.steps[len(b.begin)] == b.next {
			continue
		}
		if s.input != nil && (nearest == nil || s.Passed && !nearest.Passed) {
			nearest = s
		}
	}
	return nearest
}
