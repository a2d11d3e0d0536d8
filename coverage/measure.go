package coverage

import (
	"math"
	"slices"
)

// Measure returns the coverage of the trials so far. The tool, state, boundary and
// model dimensions never fall as trials are added; the path dimension may, when a new
// path shows that there are more (AgentAssay, Theorem 4.1).
//
// What was declared is measured as it is defined, also where the trials do not record
// what it takes: tools that no trial records are not called. A warning says so.
func (c *Collector) Measure() *Result {
	r := &Result{Schema: Schema, Trials: c.trials, Errors: c.errors, WithoutSteps: c.unrecorded}
	r.Dimensions = []Measurement{c.measureTools(r), c.measurePaths(r), c.measureStates(r), c.measureBoundaries(r), c.measureModels(r)}
	for i := range r.Dimensions {
		m := &r.Dimensions[i]
		m.Weight = c.declared.Weights[m.Dimension]
		if c.trials == 0 {
			m.Value, m.Reason = nil, "there are no trials"
		}
	}
	r.Overall = Overall(r.Dimensions)
	c.against(r)
	c.weakest(r)
	c.warnings(r)
	r.Capabilities = c.capabilities(r)
	return r
}

// against compares the overall coverage with the minimum.
func (c *Collector) against(r *Result) {
	if !c.declared.Minimum.Known {
		return
	}
	// 0.8 in all dimensions is 0.8, whatever logarithms make of it.
	const rounding = 1e-12
	minimum := c.declared.Minimum.Value
	met := r.Overall != nil && *r.Overall >= minimum-rounding
	r.Minimum, r.Met = &minimum, &met
}

// share is a measured dimension: so many of so many.
func share(d Dimension, covered int, of float64) Measurement {
	value := min(float64(covered)/of, 1)
	return Measurement{Dimension: d, Value: &value, Covered: covered, Of: &of}
}

func (c *Collector) measureTools(r *Result) Measurement {
	t := &ToolCoverage{Declared: len(c.declared.Tools)}
	r.Tools = t
	t.Called, t.Uncalled, t.Undeclared = found(c.declared.Tools, c.tools)
	if t.Declared == 0 {
		return Measurement{Dimension: ToolDimension, Covered: len(c.tools), Reason: "no tools are declared"}
	}
	return share(ToolDimension, t.Called, float64(t.Declared))
}

// found splits what was declared and what was seen.
func found(declared []string, seen names) (both int, missing, undeclared []string) {
	known := make(names, len(declared))
	for _, name := range declared {
		known.add(name)
		if _, ok := seen[name]; ok {
			both++
		} else {
			missing = append(missing, name)
		}
	}
	if len(declared) == 0 {
		return 0, nil, nil
	}
	for name := range seen {
		if _, ok := known[name]; !ok {
			undeclared = append(undeclared, name)
		}
	}
	slices.Sort(undeclared)
	return both, missing, undeclared
}

func (c *Collector) measurePaths(r *Result) Measurement {
	p := &PathCoverage{Distinct: len(c.paths)}
	for _, times := range c.paths {
		switch times {
		case 1:
			p.Once++
		case 2:
			p.Twice++
		}
	}
	p.Estimated = Chao1(p.Distinct, p.Once, p.Twice)
	p.Unseen = p.Estimated - float64(p.Distinct)
	p.Completeness = Completeness(c.recorded, p.Once, p.Twice)
	switch c.recorded {
	case 0:
		return Measurement{Dimension: PathDimension, Reason: "no trial records its steps"}
	case 1:
		r.Paths = p
		return Measurement{Dimension: PathDimension, Covered: p.Distinct, Reason: "one trial is too few"}
	}
	r.Paths = p
	return share(PathDimension, p.Distinct, p.Estimated)
}

func (c *Collector) measureStates(r *Result) Measurement {
	r.States = &StateCoverage{Distinct: len(c.states)}
	m := Measurement{Dimension: StateDimension, Covered: len(c.states), Reason: "lambda is not declared"}
	if lambda := c.declared.Lambda; lambda > 0 {
		value := -math.Expm1(-float64(len(c.states)) / lambda)
		m.Value, m.Of, m.Reason, r.States.Lambda = &value, &lambda, "", &lambda
	}
	return m
}

func (c *Collector) measureBoundaries(r *Result) Measurement {
	if len(c.limits) == 0 {
		return Measurement{Dimension: BoundaryDimension, Reason: "no limits are declared"}
	}
	b := &BoundaryCoverage{Declared: len(c.limits)}
	r.Boundaries = b
	for _, l := range c.limits {
		if l.touched {
			b.Touched++
		} else {
			b.Untouched = append(b.Untouched, l.Boundary)
		}
	}
	slices.SortStableFunc(b.Untouched, func(x, y Boundary) int { return c.uncalled(x.Tool) - c.uncalled(y.Tool) })
	return share(BoundaryDimension, b.Touched, float64(b.Declared))
}

// uncalled is 1 for a tool that was never called, whose limits go without saying.
func (c *Collector) uncalled(tool string) int {
	if _, called := c.tools[tool]; called {
		return 0
	}
	return 1
}

func (c *Collector) measureModels(r *Result) Measurement {
	m := &ModelCoverage{Declared: len(c.declared.Models)}
	r.Models = m
	m.Run, m.NotRun, m.Undeclared = found(c.declared.Models, c.ran)
	if m.Declared == 0 {
		return Measurement{Dimension: ModelDimension, Covered: len(c.ran), Reason: "no models are declared"}
	}
	return share(ModelDimension, m.Run, float64(m.Declared))
}
