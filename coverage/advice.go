package coverage

import (
	"fmt"
	"strings"
)

// weakest names the lowest of the dimensions that weigh, and the kind of scenario
// that would raise it (AgentAssay, Algorithm 1).
func (c *Counts) weakest(r *Result) {
	least := 1.0
	for _, m := range r.Dimensions {
		if m.Value != nil && m.Weight > 0 && *m.Value < least {
			least, r.Weakest = *m.Value, m.Dimension
		}
	}
	switch r.Weakest {
	case ToolDimension:
		r.Advice = "add a scenario whose task cannot be done without " + some(r.Tools.Uncalled)
	case PathDimension:
		r.Advice = fmt.Sprintf("run more trials, or add scenarios that lead the agent off its usual path: %d of %d paths were taken once", r.Paths.Once, r.Paths.Distinct)
	case StateDimension:
		r.Advice = "add scenarios that take the agent somewhere new: other orders of tools, tools that fail, longer tasks"
	case BoundaryDimension:
		r.Advice = "add a scenario that leads to extreme arguments: " + some(texts(r.Boundaries.Untouched))
	case ModelDimension:
		r.Advice = "run the same scenarios on " + some(r.Models.NotRun)
	}
}

func texts(boundaries []Boundary) []string {
	const enough = 4 // more than [some] tells
	var list []string
	for i, b := range boundaries {
		if i == enough {
			list = append(list, make([]string, len(boundaries)-enough)...)
			break
		}
		list = append(list, b.String())
	}
	return list
}

// some names the first few.
func some(names []string) string {
	const most = 3
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

func (c *Counts) warnings(r *Result) {
	if c.Trials == 0 {
		r.warn(NoTrials, "there are no trials to measure")
	}
	if c.Errors > 0 {
		r.warn(ErrorTrials, "%s without a verdict left out", counted(c.Errors, "trial"))
	}
	if c.Trials == 0 {
		return
	}
	for _, m := range r.Dimensions {
		if m.Value == nil {
			r.warn(NotMeasured, "%s coverage is not measured and left out of the mean: %s", m.Dimension, m.Reason)
		}
	}
	if r.WithoutSteps > 0 {
		r.warn(NoSteps, "%d of %s without recorded steps: what they called is not known", r.WithoutSteps, counted(c.Trials, "trial"))
	}
	if r.Models.Declared > 0 && c.WithModel < c.Trials {
		r.warn(NoModels, "%d of %s without the name of a model", c.Trials-c.WithModel, counted(c.Trials, "trial"))
	}
	if silent := c.Silent; len(silent) > 0 {
		r.warn(NoArguments, "no call of %s records its arguments", some(silent))
	}
	if undeclared := r.Tools.Undeclared; len(undeclared) > 0 {
		r.warn(UndeclaredTools, "called, but not declared: %s", some(undeclared))
	}
	if undeclared := r.Models.Undeclared; len(undeclared) > 0 {
		r.warn(UndeclaredModels, "run on, but not declared: %s", some(undeclared))
	}
	if p := r.Paths; p != nil && c.Recorded > 1 && p.Once == p.Distinct && p.Distinct > 1 {
		r.warn(FewTrials, "every path was taken once: with so few trials the estimate of what is unseen says little")
	}
}

// silent are tools that were called without recorded arguments.
func (c *Collector) silent() (tools []string) {
	for _, tool := range sortedKeys(c.byTool) {
		if p := c.byTool[tool]; p.called && !p.known {
			tools = append(tools, tool)
		}
	}
	return tools
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
