package coverage

import (
	"fmt"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/coverage/graph"
)

// Measure returns the coverage of the trials so far. The tool, state, boundary and
// model dimensions never fall as trials are added (AgentAssay, Theorem 4.1), and with a graph that of paths;
// without one it may, when a new path shows that there are more.
//
// What was declared is measured as it is defined, also where the trials do not record
// what it takes: tools that no trial records are not called. A warning says so.
func (c *Collector) Measure() *Result { return c.Counts().Measure() }

// Measure returns the coverage that the counts come to.
//
// Measuring reads counts alone, so that a saved result can be measured again without its trials.
func (c *Counts) Measure() *Result {
	r := &Result{
		Schema: Schema, Trials: c.Trials, Errors: c.Errors, WithoutSteps: c.Trials - c.Recorded, Counts: c,
	}
	r.Dimensions = []Measurement{
		c.measureTools(r), c.measurePaths(r), c.measureStates(r), c.measureBoundaries(r), c.measureModels(r),
	}
	// Without trials nothing is measured, not even as 0.
	for i := range r.Dimensions {
		m := &r.Dimensions[i]
		m.Weight = c.Weights[m.Dimension]
		if c.Trials == 0 {
			m.Value, m.Low = nil, nil
			m.Reason = "there are no trials"
		}
		// What is counted is known; paths have set theirs.
		if c.Edition > firstEdition && m.Low == nil {
			m.Low = m.Value
		}
	}
	// The order matters: advice and warnings speak of the dimensions and the mean that are there by now.
	if c.Edition > firstEdition {
		r.Level = level
	}
	if c.asked(r.Dimensions) {
		r.Overall = Overall(r.Dimensions)
		if c.Edition > firstEdition {
			r.Low = mean(r.Dimensions, func(m Measurement) *float64 { return m.Low })
		}
	}
	c.compareMinimum(r)
	c.advise(r)
	c.addWarnings(r)
	r.Capabilities = c.capabilities(r)
	return r
}

// asked reports whether there is something to be covered as a whole: a dimension other than that of paths
// that was declared, or paths that were given a weight or a graph. Paths need no declaration, and what nobody asked
// for is no coverage of it.
func (c *Counts) asked(dimensions []Measurement) bool {
	if c.Edition == firstEdition || c.PathsAsked {
		return true
	}
	return slices.ContainsFunc(dimensions, func(m Measurement) bool {
		declared := m.Dimension != PathDimension || c.Graph != nil
		return declared && m.Weight > 0 && m.Value != nil
	})
}

// compareMinimum says whether the overall coverage reaches the minimum that was asked
// for.
func (c *Counts) compareMinimum(r *Result) {
	if c.Minimum == nil {
		return
	}
	// 0.8 in all dimensions is 0.8, whatever logarithms make of it.
	const rounding = 1e-12
	minimum := *c.Minimum
	// The limit holds whatever the paths are that nobody saw; the estimate would be as often too high.
	reached := r.Low
	if c.Edition == firstEdition {
		reached = r.Overall
	}
	met := reached != nil && *reached >= minimum-rounding
	r.Minimum = &minimum
	r.Met = &met
}

// share is a dimension that is measured as a share: covered of so many. Covered may be more than what it is
// a share of, where that is an estimate: the value ends at 1.
func share(d Dimension, covered int, total float64) Measurement {
	value := min(float64(covered)/total, 1)
	return Measurement{Dimension: d, Value: &value, Covered: covered, Of: &total}
}

// measureTools measures which of the declared tools were called (Definition 4.2). Calls of tools that were
// not declared do not count towards the share; they are listed.
func (c *Counts) measureTools(r *Result) Measurement {
	t := &ToolCoverage{Declared: len(c.Tools)}
	r.Tools = t
	t.Called, t.Uncalled, t.Undeclared = compareNames(c.Tools, setOf(c.Called))
	if t.Declared == 0 {
		return Measurement{Dimension: ToolDimension, Covered: len(c.Called), Reason: "no tools are declared"}
	}
	return share(ToolDimension, t.Called, float64(t.Declared))
}

// compareNames compares what was declared with what was seen: how many names are both,
// and which are declared alone and seen alone. Without a declaration nothing is missing
// and nothing undeclared.
func compareNames(declared []string, seen names) (both int, missing, undeclared []string) {
	if len(declared) == 0 {
		return 0, nil, nil
	}
	known := make(names, len(declared))
	for _, name := range declared {
		known.add(name)
		if seen.has(name) {
			both++
		} else {
			missing = append(missing, name)
		}
	}
	for name := range seen {
		if !known.has(name) {
			undeclared = append(undeclared, name)
		}
	}
	slices.Sort(undeclared)
	return both, missing, undeclared
}

// measurePaths measures which paths of the graph were tried, or without one the share of trials that take a path which
// was seen already: an estimate, and a limit from two trials on. How many paths there are at the least stands beside it
// (Definition 4.4).
func (c *Counts) measurePaths(r *Result) Measurement {
	p := &PathCoverage{}
	for _, taken := range c.Paths {
		p.Distinct += taken.Paths
		switch taken.Trials {
		case 1:
			p.Once += taken.Paths
		case 2:
			p.Twice += taken.Paths
		}
	}
	p.Estimated = Chao1(p.Distinct, p.Once, p.Twice)
	p.Unseen = p.Estimated - float64(p.Distinct)
	if c.Edition == firstEdition {
		p.Completeness = new(Completeness(c.Recorded, p.Once, p.Twice))
	}
	m := Measurement{Dimension: PathDimension, Covered: p.Distinct}
	switch {
	case c.Graph != nil && c.Edition > firstEdition:
		return c.measureGraph(r, p)
	case c.Recorded == 0:
		m.Reason = "no trial records its steps"
		return m
	case c.Recorded == 1 && c.Edition == firstEdition:
		m.Reason = "one trial is too few"
	case c.Edition == firstEdition:
		m = share(PathDimension, p.Distinct, p.Estimated)
	default:
		c.measureSeen(p, &m)
	}
	r.Paths = p
	return m
}

// fewPaths is the number of trials below which there is a limit and no estimate of what is seen: chosen.
// With fewer, one path more would move it by ten points.
const fewPaths = 10

// measureSeen sets the estimate and the limit of the share of trials that take a path seen already.
func (c *Counts) measureSeen(p *PathCoverage, m *Measurement) {
	p.Low = new(seenAtLeast(c.Paths))
	m.Low = p.Low
	if c.Recorded < fewPaths {
		m.Reason = "one trial is too few"
		if c.Recorded > 1 {
			m.Reason = fmt.Sprintf("%d trials are too few", c.Recorded)
		}
		return
	}
	p.Completeness = new(turing(c.Recorded, p.Once))
	m.Value, m.Of = p.Completeness, new(p.Estimated)
}

// fewUntried is how many paths that were not tried are named: chosen. There may be a million of them.
const fewUntried = 5

// measureGraph measures which of the paths of the graph were tried (Definition 4.4, by orchestration-graph
// analysis). What trials are to come take is estimated beside it, as without a graph.
func (c *Counts) measureGraph(r *Result, p *PathCoverage) Measurement {
	if c.Recorded > 0 {
		c.measureSeen(p, &Measurement{})
	}
	r.Paths = p
	paths, err := graph.Compile(c.Graph)
	if err != nil { // of counts that [Counts.Validate] refuses
		return Measurement{Dimension: PathDimension, Reason: "the graph cannot be used"}
	}
	p.Graph = &GraphCoverage{MaxDepth: c.Graph.MaxDepth, Paths: paths.Total()}
	var tried [][]graph.Step
	for _, w := range c.Walks {
		if w.Leaves == graph.Stays {
			tried = append(tried, w.Steps)
			continue
		}
		p.Graph.Outside = append(p.Graph.Outside, w)
		p.Graph.OutsideTrials += w.Trials
	}
	slices.SortStableFunc(p.Graph.Outside, func(a, b graph.Walk) int { return b.Trials - a.Trials })
	p.Graph.Tried = len(tried)
	p.Graph.Untried = paths.Untried(tried, fewUntried)
	return share(PathDimension, p.Graph.Tried, float64(p.Graph.Paths))
}

// measureStates measures 1 - exp(-states/λ) (Definition 4.6).
func (c *Counts) measureStates(r *Result) Measurement {
	r.States = &StateCoverage{Distinct: c.States}
	m := Measurement{Dimension: StateDimension, Covered: c.States, Reason: "lambda is not declared"}
	lambda := c.Lambda
	if c.Visited != nil {
		lambda, m.Reason = c.fitLambda(r.States)
	}
	if lambda > 0 {
		// expm1 keeps the digits of a small share.
		value := -math.Expm1(-float64(c.States) / lambda)
		m.Value = &value
		m.Of = &lambda
		m.Reason = ""
		r.States.Lambda = &lambda
	}
	return m
}

// fitLambda estimates the number of distinct states from how many trials were in each (AgentAssay, Definition 4.6: "set
// to the expected number of distinct abstract states", "calibrated empirically"); 0 with a reason where it cannot.
func (c *Counts) fitLambda(s *StateCoverage) (lambda float64, reason string) {
	s.Fitted = true
	for _, v := range c.Visited {
		switch v.Trials {
		case 1:
			s.Once = v.States
		case 2:
			s.Twice = v.States
		}
	}
	switch {
	case c.States == 0:
		return 0, "no steps to fit lambda to"
	case c.Recorded < fewPaths:
		return 0, fmt.Sprintf("lambda takes %d trials", fewPaths)
	}
	return chao2(c.Recorded, c.States, s.Once, s.Twice), ""
}

// measureBoundaries measures which of the declared limits were touched (Definition 4.8).
func (c *Counts) measureBoundaries(r *Result) Measurement {
	if len(c.Limits) == 0 {
		return Measurement{Dimension: BoundaryDimension, Reason: "no limits are declared"}
	}
	b := &BoundaryCoverage{Declared: len(c.Limits)}
	r.Boundaries = b
	called := setOf(c.Called)
	var uncalled []Boundary
	for _, l := range c.Limits {
		switch {
		case l.Touched:
			b.Touched++
		case called.has(l.Tool):
			b.Untouched = append(b.Untouched, l.compact())
		default: // it goes without saying that nobody touched it: it is listed last
			uncalled = append(uncalled, l.compact())
		}
	}
	b.Untouched = append(b.Untouched, uncalled...)
	return share(BoundaryDimension, b.Touched, float64(b.Declared))
}

// measureModels measures on which of the intended models the trials ran (Definition 4.9).
func (c *Counts) measureModels(r *Result) Measurement {
	m := &ModelCoverage{Declared: len(c.Models)}
	r.Models = m
	m.Run, m.NotRun, m.Undeclared = compareNames(c.Models, setOf(c.Ran))
	if m.Declared == 0 {
		return Measurement{Dimension: ModelDimension, Covered: len(c.Ran), Reason: "no models are declared"}
	}
	return share(ModelDimension, m.Run, float64(m.Declared))
}
