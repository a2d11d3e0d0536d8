package mutation

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/wire/fault"
)

// Configuration is what an agent is made of, A = (π, T, μ, ω) of Definition 5.1. What is empty is what the agent does
// not have: operators find no sites there.
type Configuration struct {
	Prompt      string                  // may have markers: see [Unmarked]
	Tools       []Tool                  // that it is offered, in their order
	Model       string                  // that it asks
	Models      Models                  // that could stand in for it
	Temperature trial.Optional[float64] // at which it is asked
	Context     []Segment               // documents that it is given beside the input, in their order
	// Orchestration is what leads the agent from step to step, in any form; operators change JSON.
	Orchestration string
	// Results are what befalls the results of tools, which are no part of a configuration but of the world that the
	// agent acts in: faults of results, as package fault brings them about on the wire. It is empty before mutation.
	Results []fault.Fault
}

// Empty reports whether there is nothing to change.
func (c Configuration) Empty() bool {
	return c.Prompt == "" && c.Tools == nil && c.Model == "" && c.Context == nil &&
		c.Orchestration == "" && len(c.Results) == 0
}

// Models are names of models beside the one that an agent asks.
type Models struct {
	SameTier []string // about as capable
	Older    []string // earlier or less capable
}

// Component is a part of a configuration. An operator changes one.
type Component string

// The components.
const (
	PromptComponent  Component = "prompt"
	ToolsComponent   Component = "tools"
	ModelComponent   Component = "model" // with the temperature
	ContextComponent Component = "context"
	ResultsComponent Component = "results"

	OrchestrationComponent Component = "orchestration"
)

// components are all components, in the order of a configuration.
func components() []Component {
	return []Component{PromptComponent, ToolsComponent, ModelComponent, ContextComponent, OrchestrationComponent,
		ResultsComponent}
}

// Bounds of what is mutated. They are chosen: far above any agent's, and low enough that all sites are found in
// seconds.
const (
	MaxPromptBytes  = 1 << 20
	maxTools        = 2000
	MaxToolsBytes   = 4 << 20
	maxSegments     = 2000
	MaxContextBytes = 16 << 20
	maxModels       = 100
)

// Check returns an error for a configuration that is too large, for markers that do not pair, and for what is wrong
// with a tool or a fault. Texts that are not UTF-8 are refused.
func (c Configuration) Check() error {
	size := func(component Component, most, n int, unit string) error {
		if n > most {
			return unfit(component, fmt.Sprintf("has more than %d %s", most, unit))
		}
		return nil
	}
	tools, segments := 0, 0
	for _, t := range c.Tools {
		tools += len(t.Raw)
	}
	for _, s := range c.Context {
		segments += len(s.Raw)
		if !utf8.ValidString(s.Raw) {
			return unfit(ContextComponent, "is not UTF-8")
		}
	}
	for _, err := range []error{
		size(PromptComponent, MaxPromptBytes, len(c.Prompt), "bytes"),
		size(ToolsComponent, maxTools, len(c.Tools), "tools"), size(ToolsComponent, MaxToolsBytes, tools, "bytes"),
		size(ContextComponent, maxSegments, len(c.Context), "segments"),
		size(ContextComponent, MaxContextBytes, segments, "bytes"),
		size(OrchestrationComponent, MaxContextBytes, len(c.Orchestration), "bytes"),
		size(ModelComponent, maxModels, len(c.Models.SameTier)+len(c.Models.Older), "other models"),
	} {
		if err != nil {
			return err
		}
	}
	for component, text := range map[Component]string{PromptComponent: c.Prompt, OrchestrationComponent: c.Orchestration} {
		if !utf8.ValidString(text) {
			return unfit(component, "is not UTF-8")
		}
	}
	for i, t := range c.Tools {
		if err := t.check(); err != nil {
			return fmt.Errorf("tool %d: %w", i+1, err)
		}
	}
	for _, f := range c.Results {
		if err := f.Check(); err != nil {
			return err
		}
	}
	_, err := marked(c.Prompt)
	return err
}

// Changed are the components in which two configurations differ, as an agent sees them: markers do not count.
func (c Configuration) Changed(other Configuration) (changed []Component) {
	for _, component := range components() {
		if !c.same(other, component) {
			changed = append(changed, component)
		}
	}
	return changed
}

// same reports whether a component is the same in two configurations.
func (c Configuration) same(d Configuration, component Component) bool {
	switch component {
	case PromptComponent:
		return c.Prompt == d.Prompt || Unmarked(c.Prompt) == Unmarked(d.Prompt)
	case ToolsComponent:
		return slices.EqualFunc(c.Tools, d.Tools, func(a, b Tool) bool { return string(a.Raw) == string(b.Raw) })
	case ModelComponent:
		return c.Model == d.Model && c.Temperature == d.Temperature
	case ContextComponent:
		return slices.Equal(c.Context, d.Context)
	case OrchestrationComponent:
		return c.Orchestration == d.Orchestration
	}
	return slices.Equal(c.Results, d.Results)
}

// text is a component as it is told from others.
func (c Configuration) text(component Component) string {
	var b strings.Builder
	switch component {
	case PromptComponent:
		return Unmarked(c.Prompt)
	case ToolsComponent:
		for _, t := range c.Tools {
			fmt.Fprintf(&b, "%d\n%s\n", len(t.Raw), t.Raw)
		}
	case ModelComponent:
		fmt.Fprintf(&b, "%s\n%v", c.Model, c.Temperature)
	case ContextComponent:
		for _, s := range c.Context {
			fmt.Fprintf(&b, "%d\n%s\n", len(s.Raw), s.Raw)
		}
	case OrchestrationComponent:
		return c.Orchestration
	default:
		for _, f := range c.Results {
			b.WriteString(f.String() + "\n")
		}
	}
	return b.String()
}
