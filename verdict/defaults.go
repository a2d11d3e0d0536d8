package verdict

// What a comparison, a gate and a plan assume where nothing else is said; DefaultAlpha
// stands beside the threshold. DefaultDelta is the smallest drop of a pass rate that
// matters; DefaultBeta bounds the probability of a false Pass. Both numbers are chosen.
const (
	DefaultDelta = 0.10
	DefaultBeta  = 0.10
)
