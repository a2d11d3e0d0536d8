package graph

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// tool is a node of a tool of its name.
func tool(name string, to ...string) Node {
	return Node{Name: name, Steps: []Step{{Tool: name}}, To: to}
}

func compiled(t *testing.T, g *Graph) *Paths {
	t.Helper()
	p, err := Compile(g)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// texts are paths as a set, sorted.
func texts(paths [][]Step) (list []string) {
	for _, p := range paths {
		list = append(list, Brief(p))
	}
	slices.Sort(list)
	return list
}

// The paths of a small graph, written down by hand. The second node of search shows the same steps, and
// makes no path of its own.
func TestPathsByHand(t *testing.T) {
	g := &Graph{
		Start: []string{"plan"},
		Nodes: []Node{
			{Name: "plan", To: []string{"search", "again", "answer"}},
			tool("search", "refund", "answer"),
			{Name: "again", Steps: []Step{{Tool: "search"}}, To: []string{"answer", "plan"}},
			{Name: "refund", Steps: []Step{{Tool: "refund"}, {Tool: "close"}}, To: []string{"answer"}},
			{Name: "answer", Steps: []Step{{Action: trial.Respond}}},
		},
		MaxDepth: 3,
	}
	p := compiled(t, g)
	want := []string{
		"(respond)", "search > (respond)",
		"search > close > (respond)", "search > refund > (respond)", "search > search > (respond)",
		// They go on, and count as far as they come.
		"search > search > close", "search > search > refund", "search > search > search",
	}
	if diff := cmp.Diff(want, texts(p.Untried(nil, 100))); diff != "" || p.Total() != len(want) {
		t.Errorf("%d paths (-want +got):\n%s", p.Total(), diff)
	}
	first := p.Untried([][]Step{{{Action: trial.Respond}}}, 2)
	if first[0] = first[0][:2]; Brief(first[0]) != "search > (respond)" || len(first[1]) != 3 {
		t.Errorf("the first are %v: the shortest that are untried come first", first)
	}
	for _, c := range []struct {
		steps, want string
		leaves      Leaves
	}{
		{"search,refund,(respond)", "search > refund > (respond)", Stays},
		{"(reason),search,(reason),(respond)", "search > (respond)", Stays}, // no node reasons
		{"search,search,search,search,(respond)", "search > search > search", Stays},
		{"search,refund,refund,(respond)", "search > refund > refund (refund is no next step there)", byStep},
		{"search,search,search,close,search,(respond)",
			"search > search > search > close > search (search is no next step there)", byStep},
		{"fly,search", "fly (fly is no next step there)", byStep},
		{"search,refund", "search > refund (no end there)", ByEnding},
		{"search,search,search", "search > search > search (no end there)", ByEnding},
		{"search,search,search,search,refund,search,search,search,search,search",
			"search > search > search > search > refund > search (search is no next step there)", byStep},
		{strings.Repeat("search,", 12) + "fly",
			"search > search > search > search > (5 steps) > search > search > search > fly (fly is no next step there)",
			byStep},
		{"", "(no step) (no end there)", ByEnding},
		{"(reason)", "(no step) (no end there)", ByEnding},
		{"(respond),(respond)", "(respond) > (respond) ((respond) is no next step there)", byStep},
	} {
		walk, leaves := p.Follow(steps(c.steps))
		w := Walk{Steps: walk, Leaves: leaves, Trials: 1}
		if w.String() != c.want || leaves != c.leaves {
			t.Errorf("%s: %s, %q", c.steps, w, leaves)
		}
		if err := p.Check(w); err != nil {
			t.Errorf("%s: %v", c.steps, err)
		}
	}
}

// steps are those of a text such as "search,(respond)".
func steps(text string) (list []Step) {
	for _, word := range strings.Split(text, ",") {
		switch {
		case strings.HasPrefix(word, "("):
			list = append(list, Step{Action: trial.Action(strings.Trim(word, "()"))})
		case word != "":
			list = append(list, Step{Tool: word})
		}
	}
	return list
}

// Closed forms. Of k tools that may follow each other in any order, and end anywhere, k^1 + ... + k^n paths
// have at most n steps; where an answer ends it, k^d end after d of them, and those of n tools go on.
func TestPathsByClosedForms(t *testing.T) {
	for k := 1; k <= 4; k++ {
		var all []string
		for i := range k {
			all = append(all, fmt.Sprint("t", i))
		}
		free := &Graph{Start: all}
		for _, name := range all {
			n := tool(name, all...)
			n.End = true
			free.Nodes = append(free.Nodes, n)
		}
		react := &Graph{
			Start: []string{"agent"},
			Nodes: []Node{
				{Name: "agent", To: []string{"tools", "answer"}},
				{Name: "tools", To: []string{"agent"}},
				{Name: "answer", Steps: []Step{{Action: trial.Respond}}},
			},
		}
		for _, name := range all {
			react.Nodes[1].Steps = append(react.Nodes[1].Steps, Step{Tool: name})
		}
		powers := 0
		for depth := 1; depth <= 7; depth++ {
			power := int(math.Pow(float64(k), float64(depth)))
			powers += power
			free.MaxDepth, react.MaxDepth = depth, depth
			if got := compiled(t, free).Total(); got != powers {
				t.Errorf("%d tools to depth %d: %d paths, want %d", k, depth, got, powers)
			}
			// d tools and the answer for d from 0 to depth-1; depth tools that go on.
			if got, want := compiled(t, react).Total(), 1+powers-power+power; got != want {
				t.Errorf("%d tools and an answer to depth %d: %d paths, want %d", k, depth, got, want)
			}
		}
	}
}

// brute enumerates the ways through a graph node by node, and keeps what they show: all sequences that end
// in fewer steps than depth, and the beginnings of others.
func brute(g *Graph, depth int) map[string][]Step {
	found := make(map[string][]Step)
	nodes := make(map[string]Node)
	for _, n := range g.Nodes {
		nodes[n.Name] = n
	}
	var enter func(name string, so []Step, silent int)
	leave := func(n Node, so []Step, silent int) {
		if len(so) == depth {
			found[Brief(so)] = slices.Clone(so)
			return
		}
		if n.End || len(n.To) == 0 {
			found[Brief(so)] = slices.Clone(so)
		}
		for _, to := range n.To {
			enter(to, so, silent)
		}
	}
	enter = func(name string, so []Step, silent int) {
		n := nodes[name]
		if len(n.Steps) == 0 {
			if silent < len(g.Nodes) { // more in a row are a circle
				leave(n, so, silent+1)
			}
			return
		}
		for _, s := range n.Steps {
			leave(n, append(slices.Clone(so), s), 0)
		}
	}
	for _, name := range g.Start {
		enter(name, nil, 0)
	}
	return found
}

// anyGraph is a small one whose nodes share steps.
func anyGraph(t *rapid.T) *Graph {
	count := rapid.IntRange(1, 5).Draw(t, "nodes")
	g := &Graph{MaxDepth: rapid.IntRange(1, 5).Draw(t, "depth")}
	name := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("n", rapid.IntRange(0, count-1).Draw(t, "n")) })
	step := rapid.SampledFrom([]Step{{Tool: "a"}, {Tool: "b"}, {Action: trial.Respond}})
	g.Start = rapid.SliceOfNDistinct(name, 1, min(2, count), rapid.ID).Draw(t, "start")
	for i := range count {
		g.Nodes = append(g.Nodes, Node{
			Name:  fmt.Sprint("n", i),
			Steps: rapid.SliceOfNDistinct(step, 0, 2, rapid.ID[Step]).Draw(t, "steps"),
			To:    rapid.SliceOfNDistinct(name, 0, min(3, count), rapid.ID).Draw(t, "to"),
			End:   rapid.IntRange(0, 3).Draw(t, "end") == 0,
		})
	}
	return g
}

// Counted, listed and followed paths are those of a brute force enumeration, in small graphs of any form.
func TestPathsByBruteForce(t *testing.T) {
	counted := 0
	thorough.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		p, err := Compile(g)
		if err != nil {
			return
		}
		counted++
		want := brute(g, g.MaxDepth)
		if p.Total() != len(want) {
			t.Fatalf("%d paths, want %d: %+v", p.Total(), len(want), g)
		}
		listed := p.Untried(nil, len(want)+1)
		if len(listed) != len(want) || !slices.IsSortedFunc(listed, func(a, b []Step) int { return len(a) - len(b) }) {
			t.Fatalf("%d are listed of %d", len(listed), len(want))
		}
		var tried [][]Step
		untried := 0
		for _, path := range listed {
			if _, ok := want[Brief(path)]; !ok {
				t.Fatalf("%s is no path", Brief(path))
			}
			if rapid.Bool().Draw(t, "tried") {
				tried = append(tried, path)
			} else {
				untried++
			}
		}
		if got := p.Untried(tried, len(want)); len(got) != untried {
			t.Fatalf("%d are untried, want %d", len(got), untried)
		}
		// A trial keeps to the graph where its steps are one of the sequences that end, of any length.
		walk := rapid.SliceOfN(rapid.SampledFrom([]Step{{Tool: "a"}, {Tool: "b"}, {Action: trial.Respond}}), 0, 6).Draw(t,
			"trial")
		var seen []Step
		for _, s := range walk {
			if p.actions[s.Action] {
				seen = append(seen, s)
			}
		}
		_, stays := brute(g, len(seen)+1)[Brief(seen)]
		got, leaves := p.Follow(slices.Clone(walk))
		if stays != (leaves == Stays) {
			t.Fatalf("%s leaves by %q, and is a path: %v", Brief(walk), leaves, stays)
		}
		if _, ok := want[Brief(got)]; stays && !ok {
			t.Fatalf("%s is none of the paths", Brief(got))
		}
		// It leaves by its last step: what comes before begins a path, and with it nothing does.
		if leaves == byStep && (!begins(g, got[:len(got)-1]) || begins(g, got)) {
			t.Fatalf("%s: not by its last step", Brief(got))
		}
		if err := p.Check(Walk{Steps: got, Leaves: leaves, Trials: 1}); err != nil {
			t.Fatal(err)
		}
		for _, other := range []Leaves{Stays, byStep, ByEnding, "otherwise"} {
			if other != leaves && len(got) != g.MaxDepth && p.Check(Walk{Steps: got, Leaves: other, Trials: 1}) == nil {
				t.Fatalf("%s leaves by %q and by %q", Brief(got), leaves, other)
			}
		}
	})
	// A third of them or so can be.
	if counted == 0 {
		t.Errorf("only %d graphs could be counted", counted)
	}
}

// begins reports whether some path begins with the steps.
func begins(g *Graph, so []Step) bool {
	if len(so) == 0 {
		return true
	}
	_, ok := brute(g, len(so))[Brief(so)]
	return ok
}

func TestBadGraphs(t *testing.T) {
	good := func() *Graph {
		return &Graph{Start: []string{"search"}, Nodes: []Node{tool("search", "refund"), tool("refund")}, MaxDepth: 3}
	}
	var wide []string
	for i := range 11 {
		wide = append(wide, fmt.Sprint("w", i))
	}
	for _, c := range []struct {
		change     func(g *Graph)
		want, hint string
	}{
		{func(g *Graph) { g.MaxDepth = 0 }, "graph: max_depth 0 must be from 1 to 100", ""},
		{func(g *Graph) { g.MaxDepth = 101 }, "graph: max_depth 101 must be from 1 to 100", ""},
		{func(g *Graph) { g.Nodes = nil }, "graph: nodes must not be empty", ""},
		{func(g *Graph) { g.Start = nil }, "graph: start must not be empty", ""},
		{func(g *Graph) { g.Nodes = make([]Node, 1001) }, "graph: nodes are more than 1000", ""},
		{func(g *Graph) { g.Nodes[1].Name = "search" }, `graph: nodes have the name "search" twice, or one without a name`,
			""},
		{func(g *Graph) { g.Nodes[1].Name = "" }, `graph: nodes have the name "" twice, or one without a name`, ""},
		{func(g *Graph) { g.Nodes[1].Steps = make([]Step, 10_000) }, "graph: nodes have more than 10000 steps", ""},
		{func(g *Graph) { g.Nodes[1].Steps[0] = Step{} }, "graph: nodes.refund has a step without an action and a tool", ""},
		{func(g *Graph) { g.Nodes[0].Steps, g.Nodes[1].Steps = nil, nil }, "graph: nodes have no step",
			"without one there is one path, the empty one"},
		{func(g *Graph) { g.Start = []string{"serch"} }, `graph: start leads to "serch", which is no node`,
			`did you mean "search"?`},
		{func(g *Graph) { g.Nodes[0].To = []string{"refnd"} }, `graph: nodes.search.to leads to "refnd", which is no node`,
			`did you mean "refund"?`},
		{func(g *Graph) { g.Start = []string{"refund"} }, "graph: nodes.search is not reached from the start",
			"which node leads to it?"},
		{func(g *Graph) { g.Nodes[1].To = []string{"refund"} }, "graph: nodes.search leads to no end",
			"write end: true at a node where a trial may end"},
		// 11 tools in any order: 11 + ... + 11^5 is 177155, 11^6 more is 1948716.
		{func(g *Graph) {
			*g = Graph{Start: wide, MaxDepth: 50}
			for _, name := range wide {
				n := tool(name, wide...)
				n.End = true
				g.Nodes = append(g.Nodes, n)
			}
		}, "graph: max_depth 50 makes more than 1000000 paths of the graph",
			"no trials try so many: lower it to 5 or less, or leave out edges"},
		// Which of the last steps were a is told apart by as many states as 2^14, whatever the paths do.
		{func(g *Graph) {
			any := []Step{{Tool: "a"}, {Tool: "b"}}
			*g = Graph{Start: []string{"s"}, Nodes: []Node{{Name: "s", Steps: any, To: []string{"s", "n0"}}}, MaxDepth: 18}
			for i := range 16 {
				n := Node{Name: fmt.Sprint("n", i), Steps: any, To: []string{fmt.Sprint("n", i+1)}}
				if i == 0 {
					n.Steps = any[:1]
				}
				g.Nodes = append(g.Nodes, n)
			}
			g.Nodes = append(g.Nodes, tool("n16"))
		}, "graph: nodes show the same steps in too many ways", "leave out nodes of the same tool, or lower max_depth"},
	} {
		g := good()
		c.change(g)
		_, err := Compile(g)
		refused, _ := errors.AsType[*Error](err)
		if refused == nil || refused.Error() != c.want || refused.Hint() != c.hint || refused.ExitCode() != 65 {
			t.Errorf("gives %v (%+v)\nwant  %s; %s", err, refused, c.want, c.hint)
		}
	}
	// The largest number that a graph may have, in one step less.
	g := &Graph{Start: wide, MaxDepth: 5}
	for _, name := range wide {
		n := tool(name, wide...)
		n.End = true
		g.Nodes = append(g.Nodes, n)
	}
	if p := compiled(t, g); p.Total() != 177155 || len(p.Untried(nil, 5)) != 5 {
		t.Error(p.Total())
	}
}
