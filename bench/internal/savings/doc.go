// Package savings sets what sequential tests save beside the error rates at which they
// save it: [Measure] compares tests of one question by the trials they take, at several
// true pass rates, and by how often they err.
//
//	r, err := savings.Measure(ctx, savings.Options{Short: true, Seed: 1})
//
// All methods answer one question, whether a pass rate is 0.90 or 0.80; savings.go holds it, the
// result and [Measure], which goes through five parts:
//
//	methods.go, baseline.go  the tests that are compared, each as a function of the true pass rate
//	bound.go                 what no test can go below, and the curves of the chart
//	behaviour.go             simulated comparisons of behaviour, of shifts of a known distance
//	kinds.go                 three kinds of scenarios: money, and the whole path of behaviour
//	page.go, records.go      the tables for people and for programs
package savings
