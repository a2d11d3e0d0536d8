package gate

import (
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/trial"
)

// Two of the three paths of a graph were tried: a minimum is compared with 2/3, which is counted and needs no limit.
func TestGateOfAGraph(t *testing.T) {
	call := func(tool string, to ...string) graph.Node {
		return graph.Node{Name: tool, Steps: []graph.Step{{Tool: tool}}, To: to}
	}
	c, err := coverage.NewCollector(coverage.Declaration{
		Graph: &graph.Graph{Start: []string{"a", "b", "c"}, Nodes: []graph.Node{call("a"), call("b"), call("c")},
			MaxDepth: 1},
		Weights: map[coverage.Dimension]float64{"tool": 0, "state": 0, "boundary": 0, "model": 0},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range []string{"a", "b"} {
		c.Add(&trial.Trial{Outcome: trial.Pass, Steps: []trial.Step{{Action: trial.CallTool, Tool: tool}}})
	}
	for _, x := range []struct {
		minimum  float64
		decision Decision
		says     string
	}{
		{0.66, Deploy, "overall coverage 66.7%; at least 66% is needed"},
		{0.67, Review, "overall coverage is below the minimum of 67%: 66.7%; the weakest dimension is path; " +
			"add a scenario that leads the agent along c"},
	} {
		g, err := Judge(t.Context(), gated(t, strings.Repeat("P", 20)), Options{Minimum: &x.minimum, Coverage: c.Measure()})
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		for _, rule := range g.Rules {
			if rule.Name == ruleCoverage {
				found = rule.Evidence
			}
		}
		if g.Decision != x.decision || found != x.says {
			t.Errorf("minimum %v: %s, %s\nwant %s", x.minimum, g.Decision, found, x.says)
		}
	}
}
