package verdict

// What a comparison and a gate assume where nothing else is said, and the command line for
// a planned test; DefaultAlpha stands beside the threshold. DefaultDelta is the smallest drop
// of a pass rate that matters; DefaultBeta bounds the probability of a false Pass. Both
// numbers are chosen.
const (
	DefaultDelta = 0.10
	DefaultBeta  = 0.10
)
