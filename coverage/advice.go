package coverage

import (
	"fmt"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// advise names the lowest of the dimensions that weigh, and the kind of scenario that
// would raise it (AgentAssay, Algorithm 1). Of dimensions that are equally low the first one counts, in the
// order of the result.
func (c *Counts) advise(r *Result) {
	lowest := 1.0 // what is covered as a whole needs no advice
	for _, m := range r.Dimensions {
		if m.Value != nil && m.Weight > 0 && *m.Value < lowest {
			lowest = *m.Value
			r.Weakest = m.Dimension
		}
	}
	// There is no case for "": where all that weighs is covered, or nothing is measured, there is no
	// advice.
	switch r.Weakest {
	case ToolDimension:
		r.Advice = "add a scenario whose task cannot be done without " + firstFew(r.Tools.Uncalled)
	case PathDimension:
		if g := r.Paths.Graph; g != nil {
			r.Advice = "add a scenario that leads the agent along " + g.some()
			break
		}
		r.Advice = fmt.Sprintf("run more trials, or add scenarios that lead the agent off its usual path: "+
			"%d of %d paths were taken once", r.Paths.Once, r.Paths.Distinct)
	case StateDimension:
		r.Advice = "add scenarios that take the agent somewhere new: " +
			"other orders of tools, tools that fail, longer tasks"
	case BoundaryDimension:
		var untouched []string
		for _, b := range r.Boundaries.Untouched {
			untouched = append(untouched, b.String())
		}
		r.Advice = "add a scenario that leads to extreme arguments: " + firstFew(untouched)
	case ModelDimension:
		r.Advice = "run the same scenarios on " + firstFew(r.Models.NotRun)
	}
}

// some names the first paths that were not tried, and says how many more there are.
func (g *GraphCoverage) some() string {
	const most = 3
	var texts []string
	for _, steps := range g.Untried[:min(len(g.Untried), most)] {
		texts = append(texts, graph.Brief(steps))
	}
	text := strings.Join(texts, "; ")
	if more := g.Paths - g.Tried - len(texts); more > 0 {
		text += fmt.Sprintf("; or %d more", more)
	}
	return text
}

// firstFew lists the first names, and says how many more there are.
func firstFew(names []string) string { return prose.Some(names, 3) }

// addWarnings says what a reader of the result should know before relying on it.
func (c *Counts) addWarnings(r *Result) {
	// Without trials every dimension would warn of the same.
	if c.Trials == 0 {
		r.warn(noTrials, "there are no trials to measure")
	}
	if c.Errors > 0 {
		r.warn(errorTrials, "%s without a verdict left out", prose.Count(c.Errors, "trial"))
	}
	if c.Trials == 0 {
		return
	}
	for _, m := range r.Dimensions {
		if m.Value == nil {
			r.warn(NotMeasured, "%s coverage is not measured and left out of the mean: %s", m.Dimension, m.Reason)
		}
	}
	if r.Low == nil && c.Edition > firstEdition {
		r.warn(notAsked, "nothing is declared to be covered as a whole: declare tools, models, boundaries or lambda, "+
			"or give path a weight")
	}
	if r.WithoutSteps > 0 {
		r.warn(noSteps, "%d of %s without recorded steps: what they called is not known",
			r.WithoutSteps, prose.Count(c.Trials, "trial"))
	}
	if r.Models.Declared > 0 && c.WithModel < c.Trials {
		r.warn(noModels, "%d of %s without the name of a model", c.Trials-c.WithModel, prose.Count(c.Trials, "trial"))
	}
	if r.States != nil && r.States.Fitted && r.States.Lambda != nil {
		r.warn(fittedLambda, "lambda is fitted to these very trials, and says nothing of how much of its states they "+
			"are: declare lambda %v in the suite, and measure others by it", math.Round(*r.States.Lambda*10)/10)
	}
	if len(c.Silent) > 0 {
		r.warn(noArguments, "no call of %s records its arguments", firstFew(c.Silent))
	}
	if undeclared := r.Tools.Undeclared; len(undeclared) > 0 {
		r.warn(undeclaredTools, "called, but not declared: %s", firstFew(undeclared))
	}
	if undeclared := r.Models.Undeclared; len(undeclared) > 0 {
		r.warn(undeclaredModels, "run on, but not declared: %s", firstFew(undeclared))
	}
	if p := r.Paths; p != nil && p.Graph != nil && p.Graph.OutsideTrials > 0 {
		r.warn(outsideGraph, "%s took %s that the graph does not have, such as %s: is the graph wrong, or does the agent "+
			"leave it?", prose.Count(p.Graph.OutsideTrials, "trial"), prose.Count(len(p.Graph.Outside), "path"),
			p.Graph.Outside[0])
	}
	// Chao's estimate rests on the paths that were taken twice; with none, and all once, it is a guess.
	if p := r.Paths; p != nil && c.Recorded > 1 && p.Once == p.Distinct && p.Distinct > 1 {
		r.warn(fewTrials, "every path was taken once: with so few trials the estimate of what is unseen says little")
	}
}

// silent returns the tools with limits of which no call recorded its arguments: whether
// they were touched cannot be known. A call without recorded arguments is known by [parameters.called]
// without known.
func (c *Collector) silent() (tools []string) {
	for _, tool := range sortedKeys(c.byTool) {
		if p := c.byTool[tool]; p.called && !p.known {
			tools = append(tools, tool)
		}
	}
	return tools
}
