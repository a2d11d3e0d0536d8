package coverage

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/coverage/graph"
	"github.com/tribunal-dev/tribunal/trial"
)

// Declaration is what is known of an agent before any trial, against which coverage is
// measured. A part that is nil or zero is not declared, and what needs it is not
// measured. Decision paths need no declaration.
type Declaration struct {
	Tools  []string // that the agent may call
	Models []string // that it is to run on, as trials name them
	// Boundaries are the domains of parameters, by tool and by the path of the parameter.
	Boundaries map[string]map[string]Domain
	// DefaultExtremes makes boundaries of what is extreme of the types of parameters that have no limits: of numbers
	// 0, those below it and those of 1e9 or more; of texts the empty one, those of 1,000 characters or more and those
	// beyond ASCII; of lists and objects the empty ones.
	DefaultExtremes bool
	// Graph is what the orchestration allows, whose paths are counted; nil: not declared, and they are estimated.
	Graph     *graph.Graph
	Lambda    float64                 // distinct states to expect; at so many, the state dimension is 1-1/e
	FitLambda bool                    // from the trials themselves, by [chao2], in place of Lambda
	Weights   map[Dimension]float64   // in the mean; 1 for those that are not named, 0 leaves one out
	Minimum   trial.Optional[float64] // the least overall coverage that is good enough, from 0 to 1

	Capabilities []string   // the canonical matrix: everything that the suite is to cover
	Scenarios    []Scenario // what covers them
}

// Scenario says which capabilities a scenario exercises, and when it passes.
type Scenario struct {
	Name         string   // as trials name it
	Capabilities []string // that it exercises, each one of those declared
	// Threshold is the pass rate that its trials must reach, from 0 to 1. At 0 one trial
	// that passes is enough.
	Threshold float64
	Passed    trial.Optional[bool] // the verdict of a test, which then decides in place of the rate
}

// Use declares the tools of a list and the domains of their parameters, in place of the tools that were
// declared: a server knows best which tools it has. A domain that was declared for a parameter stays.
// Neither d's maps nor the list are changed.
func (d *Declaration) Use(list *ToolList) {
	if list == nil {
		return
	}
	d.Tools = list.Names()
	merged := list.Boundaries()
	for tool, parameters := range d.Boundaries {
		if merged[tool] == nil {
			merged[tool] = make(map[string]Domain)
		}
		// What a person wrote for a parameter takes the place of its whole domain, not limit by limit.
		for parameter, domain := range parameters {
			merged[tool][parameter] = domain
		}
	}
	d.Boundaries = merged
}

// Validate returns a [DeclarationError] for what cannot be used.
func (d Declaration) Validate() error {
	for _, list := range []struct {
		field string
		names []string
	}{{"tools", d.Tools}, {"models", d.Models}, {"capabilities", d.Capabilities}} {
		if err := checkNames(list.field, list.names); err != nil {
			return err
		}
	}
	// The comparison refuses NaN and infinity too.
	if d.Lambda != 0 && !(d.Lambda > 0 && d.Lambda <= math.MaxFloat64) {
		return &DeclarationError{"lambda", d.Lambda, "must be a positive number"}
	}
	if m := d.Minimum; m.Known && !(m.Value >= 0 && m.Value <= 1) {
		return &DeclarationError{"minimum", m.Value, "must lie between 0 and 1"}
	}
	for dimension, weight := range d.Weights {
		if !slices.Contains(Dimensions(), dimension) {
			return &DeclarationError{"weights", dimension, "is no dimension"}
		}
		if !(weight >= 0 && weight <= 1e9) {
			return &DeclarationError{"weights." + string(dimension), weight, "must be a number from 0 to 1e9"}
		}
	}
	if err := d.checkBoundaries(); err != nil {
		return err
	}
	if err := d.checkGraph(); err != nil {
		return err
	}
	return d.checkScenarios()
}

// checkNames refuses empty names, and a name that is there twice. A name that counts twice would change the
// share that it is part of.
func checkNames(field string, names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		switch {
		case name == "":
			return &DeclarationError{field, `""`, "is no name"}
		case seen[name]:
			return &DeclarationError{field, name, "is given twice"}
		}
		seen[name] = true
	}
	return nil
}

// checkBoundaries refuses domains that no value fits, and those of tools that are in no
// list. Keys are sorted, so that the same declaration gives the same error. Without a list of tools any
// tool may have domains.
func (d Declaration) checkBoundaries() error {
	for _, tool := range sortedKeys(d.Boundaries) {
		if d.Tools != nil && !slices.Contains(d.Tools, tool) {
			return &DeclarationError{"boundaries", tool, "is none of the tools"}
		}
		for _, parameter := range sortedKeys(d.Boundaries[tool]) {
			if err := d.Boundaries[tool][parameter].Validate(); err != nil {
				e := *err
				e.Field = "boundaries." + tool + "." + parameter + "." + e.Field
				return &e
			}
		}
	}
	return nil
}

// checkGraph refuses a graph that cannot be counted, and one of tools that are in no list.
func (d Declaration) checkGraph() error {
	if d.Graph == nil {
		return nil
	}
	if d.Tools != nil {
		for _, tool := range d.Graph.Tools() {
			if !slices.Contains(d.Tools, tool) {
				return &DeclarationError{"graph", tool, "is none of the tools"}
			}
		}
	}
	_, err := graph.Compile(d.Graph)
	return err
}

// checkScenarios refuses a capability outside the matrix: a slip of the pen must not
// change the share that is covered.
func (d Declaration) checkScenarios() error {
	for _, s := range d.Scenarios {
		for _, capability := range s.Capabilities {
			if !slices.Contains(d.Capabilities, capability) {
				field := "scenarios." + s.Name + ".capabilities"
				return &DeclarationError{field, capability, "is none of the capabilities"}
			}
		}
		if !(s.Threshold >= 0 && s.Threshold <= 1) {
			return &DeclarationError{"scenarios." + s.Name + ".threshold", s.Threshold, "must lie between 0 and 1"}
		}
	}
	return nil
}
