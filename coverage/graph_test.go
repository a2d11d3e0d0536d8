package coverage

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// refunds is a graph with six paths of at most three steps: f, sf, sr; ssf, ssr, sss. Answers end none.
func refunds() *graph.Graph {
	call := func(tool string, to ...string) graph.Node {
		return graph.Node{Name: tool, Steps: []graph.Step{{Tool: tool}}, To: to}
	}
	return &graph.Graph{Start: []string{"search", "fly"}, Nodes: []graph.Node{
		call("search", "search", "refund", "fly"), call("refund"), call("fly"),
	}, MaxDepth: 3}
}

// along is a trial that calls these tools, and answers.
func along(tools ...string) *trial.Trial {
	x := &trial.Trial{Scenario: "s", Outcome: trial.Pass, Steps: []trial.Step{}}
	for _, tool := range tools {
		x.Steps = append(x.Steps, trial.Step{Action: trial.CallTool, Tool: tool})
	}
	x.Steps = append(x.Steps, trial.Step{Action: trial.Respond})
	return x
}

// Six trials, of which three took two paths of the six, and three left the graph in two ways.
func TestGraphByHand(t *testing.T) {
	r := collect(t, Declaration{Graph: refunds(), Minimum: trial.Some(0.3)},
		along("search", "refund"), along("search", "refund"), along("search", "search", "search", "search", "fly"),
		along("refund"), along("refund"), along("search", "search"))
	m, p := r.Dimensions[1], r.Paths
	if m.Value == nil || math.Abs(*m.Value-2.0/6) > 1e-15 || *m.Low != *m.Value || m.Covered != 2 || *m.Of != 6 {
		t.Errorf("%+v", m)
	}
	// It was declared: so there is an overall value, which is counted and no estimate.
	if r.Overall == nil || math.Abs(*r.Overall-2.0/6) > 1e-12 || *r.Low != *r.Overall || !*r.Met ||
		r.Weakest != PathDimension {
		t.Errorf("overall %v, at least %v, %v, weakest %s", r.Overall, r.Low, r.Met, r.Weakest)
	}
	// What is estimated stands beside it: four paths, two of them taken once.
	if p.Distinct != 4 || p.Once != 2 || p.Low == nil || p.Completeness != nil {
		t.Errorf("%+v", p)
	}
	text := func(walks []graph.Walk) (list []string) {
		for _, w := range walks {
			list = append(list, w.String())
		}
		return list
	}
	want := []string{"refund (refund is no next step there)", "search > search (no end there)"}
	if diff := cmp.Diff(want, text(p.Graph.Outside)); diff != "" || p.Graph.OutsideTrials != 3 {
		t.Error(diff, p.Graph.OutsideTrials)
	}
	var untried []string
	for _, steps := range p.Graph.Untried {
		untried = append(untried, graph.Brief(steps))
	}
	want = []string{"fly", "search > fly", "search > search > refund", "search > search > fly"}
	if diff := cmp.Diff(want, untried); diff != "" {
		t.Error(diff)
	}
	if want := "add a scenario that leads the agent along fly; search > fly; search > search > refund; or 1 more"; r.Advice != want {
		t.Error(r.Advice)
	}
	i := slices.IndexFunc(r.Warnings, func(w Warning) bool { return w.Code == outsideGraph })
	if i < 0 || !strings.HasPrefix(r.Warnings[i].Text,
		"3 trials took 2 paths that the graph does not have, such as refund (refund is") {
		t.Errorf("%+v", r.Warnings)
	}
	// What was saved says the same.
	before, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var saved Result
	if err := json.Unmarshal(before, &saved); err != nil {
		t.Fatal(err)
	}
	if err := saved.Counts.Validate(); err != nil {
		t.Error(err)
	}
	after, _ := json.Marshal(saved.Counts.Measure())
	if diff := cmp.Diff(string(before), string(after)); diff != "" {
		t.Error(diff)
	}
}

// A graph is declared, and counts also where the recordings do not show it; without trials nothing does.
func TestGraphOfNothing(t *testing.T) {
	d := Declaration{Graph: refunds()}
	r := collect(t, d, &trial.Trial{Scenario: "s", Outcome: trial.Pass})
	if m := r.Dimensions[1]; m.Value == nil || *m.Value != 0 || r.Paths.Completeness != nil || *r.Overall != 0 {
		t.Errorf("%+v", m)
	}
	if r := collect(t, d); r.Dimensions[1].Value != nil || r.Overall != nil {
		t.Errorf("%+v", r.Dimensions[1])
	}
	all := collect(t, d, along("fly"), along("search", "fly"), along("search", "refund"), along("search", "search", "fly"),
		along("search", "search", "refund"), along("search", "search", "search", "fly"))
	if *all.Dimensions[1].Value != 1 || all.Weakest != "" || all.Paths.Graph.Untried != nil {
		t.Errorf("%+v %+v", all.Dimensions[1], all.Paths.Graph)
	}
}

func TestGraphIsRefused(t *testing.T) {
	broken := refunds()
	broken.Nodes[0].To = []string{"refund"}
	unlisted := Declaration{Graph: refunds(), Tools: []string{"search", "fly"}}
	for _, c := range []struct {
		d    Declaration
		want string
	}{
		{Declaration{Graph: &graph.Graph{}}, "graph: max_depth 0 must be from 1 to 100"},
		{unlisted, "coverage: graph refund is none of the tools"},
	} {
		if _, err := NewCollector(c.d); err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	// The collector keeps a graph of its own.
	d := Declaration{Graph: refunds()}
	c, err := NewCollector(d)
	if err != nil {
		t.Fatal(err)
	}
	d.Graph.Nodes[0].To[0] = "nowhere"
	if c.Add(along("fly")); c.Counts().Validate() != nil || c.Measure().Paths.Graph.Paths != 6 {
		t.Error("it changed")
	}
}

func TestWalksRefuse(t *testing.T) {
	for name, spoil := range map[string]func(c *Counts){
		"no graph":       func(c *Counts) { c.Graph = nil },
		"a bad graph":    func(c *Counts) { c.Graph.MaxDepth = 0 },
		"deeper":         func(c *Counts) { c.Graph.MaxDepth = 1 },
		"another step":   func(c *Counts) { c.Walks[2].Steps[0].Tool = "refund" },
		"another way":    func(c *Counts) { c.Walks[0].Leaves = graph.ByEnding },
		"no way":         func(c *Counts) { c.Walks[0].Leaves = "x" },
		"twice":          func(c *Counts) { c.Walks[1] = c.Walks[0] },
		"trials":         func(c *Counts) { c.Walks[0].Trials++ },
		"none":           func(c *Counts) { c.Walks[0].Trials, c.Walks[1].Trials = 0, 2 },
		"huge":           func(c *Counts) { c.Walks[0].Trials = math.MaxInt },
		"none at all":    func(c *Counts) { c.Walks = nil },
		"fewer paths":    func(c *Counts) { c.Paths = []PathCount{{Trials: 3, Paths: 1}} },
		"all of no step": func(c *Counts) { c.Walks[0].Steps = nil },
	} {
		x, err := NewCollector(Declaration{Graph: refunds()})
		if err != nil {
			t.Fatal(err)
		}
		for _, tools := range [][]string{{"fly"}, {"refund"}, {"search", "fly"}} {
			x.Add(along(tools...))
		}
		c := x.Counts()
		if err := c.Validate(); err != nil {
			t.Fatal(err)
		}
		spoil(c)
		if c.Validate() == nil {
			t.Errorf("%s: counts that cannot be are valid", name)
		}
		c.Measure() // does not panic
	}
}

// With a graph the dimension of paths never falls (Theorem 4.1), and is the share of the distinct paths.
func TestGraphNeverFalls(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		c, err := NewCollector(Declaration{Graph: refunds()})
		if err != nil {
			t.Fatal(err)
		}
		before := 0.0
		seen := map[string]bool{}
		paths := []string{"f", "sf", "sr", "ssf", "ssr", "sss"}
		tools := map[rune]string{'f': "fly", 's': "search", 'r': "refund"}
		for _, letters := range rapid.SliceOfN(rapid.StringMatching(`[sfr]{0,5}`), 1, 20).Draw(t, "trials") {
			var calls []string
			for _, l := range letters {
				calls = append(calls, tools[l])
			}
			c.Add(along(calls...))
			// The graph is the expression s*(f|sr), or f: all of it.
			whole := strings.TrimLeft(letters, "s")
			if whole == "f" || whole == "r" && letters != "r" {
				seen[letters[:min(len(letters), 3)]] = true
			}
			r := c.Measure()
			now := *r.Dimensions[1].Value
			if now < before || math.Abs(now-float64(len(seen))/float64(len(paths))) > 1e-15 {
				t.Fatalf("%v after %v, %d paths were tried", now, before, len(seen))
			}
			before = now
		}
	})
}
