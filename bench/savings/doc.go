// Package savings sets what sequential tests save beside the error rates at which they
// save it: [Measure] compares tests of one question by the trials they take, at several
// true pass rates, and by how often they err.
//
//	r, err := savings.Measure(ctx, savings.Options{Short: true, Seed: 1})
package savings
