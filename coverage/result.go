package coverage

// Schema names the form of a [Result] in JSON.
const Schema = "tribunal/coverage/v1"

// Result is the coverage of a set of trials.
type Result struct {
	Schema  string    `json:"schema"`
	Overall *float64  `json:"overall"`           // the weighted geometric mean; null: nothing was measured
	Minimum *float64  `json:"minimum,omitempty"` // that was asked for
	Met     *bool     `json:"met,omitempty"`     // whether it is reached, which what is not measured never does
	Weakest Dimension `json:"weakest,omitempty"` // of those that weigh; none where all are 1
	Advice  string    `json:"advice,omitempty"`  // what kind of scenario would raise it

	Trials       int `json:"trials"`        // that were measured
	Errors       int `json:"errors"`        // trials without a verdict, left out
	WithoutSteps int `json:"without_steps"` // of the trials

	Dimensions   []Measurement       `json:"dimensions"` // all five, in their order
	Tools        *ToolCoverage       `json:"tools,omitempty"`
	Paths        *PathCoverage       `json:"paths,omitempty"`
	States       *StateCoverage      `json:"states,omitempty"`
	Boundaries   *BoundaryCoverage   `json:"boundaries,omitempty"`
	Models       *ModelCoverage      `json:"models,omitempty"`
	Capabilities *CapabilityCoverage `json:"capabilities,omitempty"`
	Warnings     []Warning           `json:"warnings,omitempty"`

	Counts *Counts `json:"counts,omitempty"` // what all of it is computed from
}

// Measurement is one dimension.
type Measurement struct {
	Dimension Dimension `json:"dimension"`
	Value     *float64  `json:"value"` // from 0 to 1; null: not measured
	Weight    float64   `json:"weight"`
	Covered   int       `json:"covered"`          // tools, paths, states, boundaries or models
	Of        *float64  `json:"of,omitempty"`     // as many as there are, or are estimated; λ for states
	Reason    string    `json:"reason,omitempty"` // why it is not measured
}

// ToolCoverage lists the tools by name.
type ToolCoverage struct {
	Declared   int      `json:"declared"` // 0: not declared
	Called     int      `json:"called"`   // of those declared
	Uncalled   []string `json:"uncalled,omitempty"`
	Undeclared []string `json:"undeclared,omitempty"` // called, and not declared
}

// PathCoverage says what is known of decision paths: the sequences of actions and
// tools.
type PathCoverage struct {
	Distinct     int     `json:"distinct"`
	Once         int     `json:"once"`         // taken by one trial
	Twice        int     `json:"twice"`        // taken by two
	Estimated    float64 `json:"estimated"`    // paths that there are, at least: [Chao1]
	Unseen       float64 `json:"unseen"`       // the estimate without those seen
	Completeness float64 `json:"completeness"` // chance that the next trial takes a path already seen: [Completeness]
}

// StateCoverage says how many abstract states were seen.
type StateCoverage struct {
	Distinct int      `json:"distinct"`
	Lambda   *float64 `json:"lambda,omitempty"`
}

// BoundaryCoverage lists the limits of parameters that no call came near.
type BoundaryCoverage struct {
	Declared  int        `json:"declared"`
	Touched   int        `json:"touched"`
	Untouched []Boundary `json:"untouched,omitempty"` // those of tools that were called first
}

// ModelCoverage lists the models by name.
type ModelCoverage struct {
	Declared   int      `json:"declared"` // 0: not declared
	Run        int      `json:"run"`      // of those declared
	NotRun     []string `json:"not_run,omitempty"`
	Undeclared []string `json:"undeclared,omitempty"` // run on, and not declared
}

// CapabilityCoverage is the share of the capabilities that at least one passing
// scenario exercises. It is no part of the overall coverage.
type CapabilityCoverage struct {
	Value     float64               `json:"value"`
	Declared  int                   `json:"declared"`
	Covered   []string              `json:"covered,omitempty"`
	Uncovered []UncoveredCapability `json:"uncovered,omitempty"`
}

// UncoveredCapability is one that no passing scenario exercises.
type UncoveredCapability struct {
	Name      string            `json:"name"`
	Scenarios []FailingScenario `json:"scenarios,omitempty"` // that exercise it, and do not pass
}

// FailingScenario is a scenario that does not pass, for want of passes or of trials.
type FailingScenario struct {
	Name   string `json:"name"`
	Passes int    `json:"passes"`
	Judged int    `json:"judged"`
}
