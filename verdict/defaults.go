package verdict

// Defaults of a comparison.
const (
	DefaultDelta = 0.10
	DefaultBeta  = 0.10
)
