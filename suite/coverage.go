package suite

import (
	"cmp"
	"maps"
	"slices"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
	"github.com/tribunal-dev/tribunal/trial"
)

// Coverage is what a suite declares of its agent, so that it can be told what its
// trials do not try. What is not declared is not measured.
type Coverage struct {
	// Minimum is the least overall coverage that is good enough, in [0,1]; unknown: any is.
	Minimum trial.Optional[float64]
	Tools   []string // that the agent may call, by name
	// ToolsFile is a list of tools, from the folder of the suite, in place of Tools; see
	// [coverage.ReadTools].
	ToolsFile  string
	Models     []string                              // that it should run with
	Boundaries map[string]map[string]coverage.Domain // what values may be, by tool and parameter
	Weights    map[coverage.Dimension]float64        // of dimensions; 1 for those that are not named
	// Targets are what dimensions are to reach, in (0,1]; 1 for those that are not named.
	Targets         map[coverage.Dimension]float64
	Lambda          float64 // number of distinct states to expect; 0: not declared
	DefaultExtremes bool    // what is extreme of parameters without limits is a boundary
	// Graph is what the orchestration of the agent allows, with MaxDepth; nil: not declared, or in GraphFile.
	Graph     *graph.Graph
	GraphFile string // from the folder of the suite, holds the graph in place of Graph; "" is none
	MaxDepth  int    // steps up to which paths of the graph count; 0 without one
}

// Declared returns what the suite declares for [coverage.NewCollector], with the tools
// and the graph of its files and the capabilities of its scenarios. A scenario passes with the pass
// rate that its test has for threshold. The error is that of reading a file, or
// [Errors].
func (s *Suite) Declared() (coverage.Declaration, error) {
	c := s.Coverage
	d := coverage.Declaration{
		Tools: slices.Clone(c.Tools), Models: slices.Clone(c.Models), Boundaries: c.Boundaries,
		Lambda: c.Lambda, Weights: maps.Clone(c.Weights), Minimum: c.Minimum,
		Capabilities: slices.Clone(s.Capabilities), Graph: c.Graph,
		DefaultExtremes: c.DefaultExtremes,
	}
	if c.GraphFile != "" {
		var err error
		if d.Graph, err = s.loadGraph(); err != nil {
			return d, err
		}
		if tool := unlisted(d.Graph, c.Tools); tool != "" {
			return d, s.refuseTool("coverage.graph_file", "calls", tool, "tools", c.Tools)
		}
	}
	for _, scenario := range s.Scenarios {
		d.Scenarios = append(d.Scenarios, coverage.Scenario{
			Name: scenario.Name, Capabilities: slices.Clone(scenario.Capabilities),
			// A test against a baseline alone has no threshold; the floor is the rate that is good enough.
			Threshold: cmp.Or(scenario.Test.Threshold, scenario.Floor.MinPassRate.Value),
		})
	}
	if c.ToolsFile == "" {
		return d, nil
	}
	list, err := coverage.LoadToolsContext(s.reading(), s.Resolve(c.ToolsFile))
	if err != nil {
		return d, err
	}
	// Only now the tools of the file are known, against which boundaries can be checked. Tools that are
	// listed in the suite itself were checked when it was read.
	names := list.Names()
	for _, tool := range slices.Sorted(maps.Keys(c.Boundaries)) {
		if !slices.Contains(names, tool) {
			return d, s.refuseTool("coverage.boundaries", "names the tool", tool, c.ToolsFile, names)
		}
	}
	if d.Graph != nil {
		if tool := unlisted(d.Graph, names); tool != "" {
			return d, s.refuseTool("coverage.graph", "calls", tool, c.ToolsFile, names)
		}
	}
	d.Use(list)
	return d, nil
}

// refuseTool is the error of a tool that a list of tools has not.
func (s *Suite) refuseTool(field, what, tool, list string, tools []string) error {
	problem := what + " " + yamlnode.Shown(tool) + ", which " + prose.Excerpt(list) + " does not list"
	return s.refuse(field, problem, prose.DidYouMean(tool, firstFew(tools)))
}

// firstFew keeps a hint short that may list all the words.
// Twenty are enough for a person; a file may list thousands.
func firstFew(names []string) []string { return names[:min(len(names), 20)] }
