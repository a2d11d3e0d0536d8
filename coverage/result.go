package coverage

import "github.com/tribunal-dev/tribunal/coverage/graph"

// Schema names the form of a [Result] in JSON.
const Schema = "tribunal/coverage/v1"

// Result is the coverage of a set of trials.
type Result struct {
	Schema string `json:"schema"` // [Schema]
	// Overall is the weighted geometric mean of the dimensions, from 0 to 1; nil: nothing
	// was measured.
	Overall *float64 `json:"overall"`
	// Low is the lower limit of the same mean at confidence Level: with that of each dimension in place of
	// its value; nil where nothing was measured.
	Low     *float64 `json:"low,omitempty"`
	Level   float64  `json:"level,omitempty"`   // of all limits, from 0 to 1; 0: there are none
	Minimum *float64 `json:"minimum,omitempty"` // that was asked for, from 0 to 1; nil: none
	// Met says whether Low reaches Minimum, which what is not measured never does; nil
	// where no minimum was asked for.
	Met     *bool     `json:"met,omitempty"`
	Weakest Dimension `json:"weakest,omitempty"` // of those that weigh; "" where all are 1
	Advice  string    `json:"advice,omitempty"`  // what kind of scenario would raise the weakest

	Trials       int `json:"trials"`        // that were measured
	Errors       int `json:"errors"`        // trials without a verdict, left out
	WithoutSteps int `json:"without_steps"` // of the trials, those that do not record their steps

	Dimensions   []Measurement       `json:"dimensions"`             // all five, in their order
	Tools        *ToolCoverage       `json:"tools,omitempty"`        // what is known of tools
	Paths        *PathCoverage       `json:"paths,omitempty"`        // nil where no trial records its steps and no graph is declared
	States       *StateCoverage      `json:"states,omitempty"`       // what is known of states
	Boundaries   *BoundaryCoverage   `json:"boundaries,omitempty"`   // nil where no limits are declared
	Models       *ModelCoverage      `json:"models,omitempty"`       // what is known of models
	Capabilities *CapabilityCoverage `json:"capabilities,omitempty"` // nil where none are declared
	Warnings     []Warning           `json:"warnings,omitempty"`     // what to know before relying on it

	Counts *Counts `json:"counts,omitempty"` // what all of it is computed from
}

// Measurement is one dimension.
type Measurement struct {
	Dimension Dimension `json:"dimension"` // which one
	Value     *float64  `json:"value"`     // from 0 to 1; nil: not measured
	// Low is the least that the value is, at the confidence of the result: of what is counted the value
	// itself, of paths [seenAtLeast]; nil where nothing was measured.
	Low     *float64 `json:"low,omitempty"`
	Weight  float64  `json:"weight"`  // in the mean, from 0
	Covered int      `json:"covered"` // tools, paths, states, boundaries or models
	// Of is how many there are, declared, or at the least by an estimate, and λ for states; nil where
	// the dimension is not measured. The value of paths is no share of it, but where they are those of a graph.
	Of     *float64 `json:"of,omitempty"`
	Reason string   `json:"reason,omitempty"` // why it is not measured
}

// ToolCoverage lists the tools by name.
type ToolCoverage struct {
	Declared   int      `json:"declared"`             // 0: not declared
	Called     int      `json:"called"`               // of those declared
	Uncalled   []string `json:"uncalled,omitempty"`   // declared, in that order, and not called
	Undeclared []string `json:"undeclared,omitempty"` // called, and not declared
}

// PathCoverage says what is known of decision paths: the sequences of actions and
// tools that trials went through, whatever the arguments were.
type PathCoverage struct {
	Distinct int `json:"distinct"` // paths
	Once     int `json:"once"`     // taken by one trial
	Twice    int `json:"twice"`    // taken by two
	// Estimated is a lower bound of how many paths there are, seen or not: [Chao1].
	Estimated float64 `json:"estimated"`
	Unseen    float64 `json:"unseen"` // the estimate without the paths that were seen, from 0
	// Completeness is the estimated chance, from 0 to 1, that the next trial takes a path that was seen
	// already: [turing]; nil after too few trials for an estimate.
	Completeness *float64 `json:"completeness,omitempty"`
	Low          *float64 `json:"low,omitempty"` // the lower limit of that chance: [seenAtLeast]
	// Graph is what was tried of the paths of the graph, of which the dimension is then the share; nil where no
	// graph is declared.
	Graph *GraphCoverage `json:"graph,omitempty"`
}

// GraphCoverage says what was tried of the paths of an orchestration graph.
type GraphCoverage struct {
	MaxDepth int `json:"max_depth"` // steps of the longest paths, which stand for all that go on
	Paths    int `json:"paths"`     // of the graph
	Tried    int `json:"tried"`     // of them
	// Untried are the first few that were not tried, the shortest first.
	Untried [][]graph.Step `json:"untried,omitempty"`
	// Outside are all walks that the graph does not have, those of the most trials first: the graph is wrong, or
	// the agent leaves it.
	Outside       []graph.Walk `json:"outside,omitempty"`
	OutsideTrials int          `json:"outside_trials,omitempty"` // that took them
}

// StateCoverage says how many abstract states were seen: a state is the last few steps,
// how deep they were, and whether the last one failed.
type StateCoverage struct {
	Distinct int      `json:"distinct"`         // states
	Lambda   *float64 `json:"lambda,omitempty"` // states to expect; nil: not declared
	Fitted   bool     `json:"fitted,omitempty"` // λ is [chao2] of the states of these trials
	Once     int      `json:"once,omitempty"`   // states that one trial was in, where λ is fitted
	Twice    int      `json:"twice,omitempty"`  // that two were in
}

// BoundaryCoverage lists the limits of parameters that no call came near.
type BoundaryCoverage struct {
	Declared  int        `json:"declared"`            // limits
	Touched   int        `json:"touched"`             // of the limits
	Untouched []Boundary `json:"untouched,omitempty"` // those of tools that were called first
}

// ModelCoverage lists the models by name.
type ModelCoverage struct {
	Declared   int      `json:"declared"`             // 0: not declared
	Run        int      `json:"run"`                  // of those declared
	NotRun     []string `json:"not_run,omitempty"`    // declared, in that order, and not run on
	Undeclared []string `json:"undeclared,omitempty"` // run on, and not declared
}

// CapabilityCoverage is the share of the capabilities that at least one passing
// scenario exercises. It is no part of the overall coverage.
type CapabilityCoverage struct {
	Value     float64               `json:"value"`               // share of the declared ones, from 0 to 1
	Declared  int                   `json:"declared"`            // capabilities
	Covered   []string              `json:"covered,omitempty"`   // names, in the order of the declaration
	Uncovered []UncoveredCapability `json:"uncovered,omitempty"` // in the order of the declaration
}

// UncoveredCapability is one that no passing scenario exercises.
type UncoveredCapability struct {
	Name      string            `json:"name"`                // of the capability
	Scenarios []FailingScenario `json:"scenarios,omitempty"` // that exercise it, and do not pass
}

// FailingScenario is a scenario that does not pass, for want of passes or of trials.
type FailingScenario struct {
	Name   string `json:"name"`   // of the scenario
	Passes int    `json:"passes"` // of the judged trials
	Judged int    `json:"judged"` // trials that passed or failed
}
