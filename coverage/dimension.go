package coverage

import "math"

// Dimension is one of the five that coverage has.
type Dimension string

// The dimensions, in the order of AgentAssay, Definition 4.1.
const (
	ToolDimension     Dimension = "tool"     // tools called, of those there are (Definition 4.2)
	PathDimension     Dimension = "path"     // the share of trials that take a path seen already
	StateDimension    Dimension = "state"    // 1 - exp(-distinct states/λ) (4.6)
	BoundaryDimension Dimension = "boundary" // limits of parameters touched, of those declared (4.8)
	ModelDimension    Dimension = "model"    // models run on, of those intended (4.9)
)

// Dimensions returns the five in the order of Definition 4.1, which is that of a
// [Result] too.
func Dimensions() []Dimension {
	return []Dimension{ToolDimension, PathDimension, StateDimension, BoundaryDimension, ModelDimension}
}

// Overall returns the weighted geometric mean of the measured dimensions
// (Definition 4.10, Remark 4.2), exp(Σ wᵢ ln Cᵢ / Σ wᵢ), and nil where nothing that
// has a weight was measured. One that is 0 makes the mean 0: a part of the agent that
// was never tried is not made up for by the others.
func Overall(dimensions []Measurement) *float64 {
	return mean(dimensions, func(m Measurement) *float64 { return m.Value })
}

// mean is the weighted geometric mean of a figure of the dimensions that have it and weigh, nil where
// there is none.
func mean(dimensions []Measurement, measure func(Measurement) *float64) *float64 {
	var sum, weights float64
	for _, m := range dimensions {
		value := measure(m)
		if value == nil || !(m.Weight > 0) {
			continue
		}
		weights += m.Weight
		sum += m.Weight * math.Log(*value) // -Inf for 0, which stays
	}
	if weights == 0 {
		return nil
	}
	return new(min(max(math.Exp(sum/weights), 0), 1))
}
