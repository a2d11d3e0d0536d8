// Package calibration measures how often every decision of this module errs, and
// compares that with what is promised of it.
//
//	r, err := calibration.Measure(ctx, calibration.Options{Short: true, Seed: 1})
//	fmt.Println(r.Holds) // false: a promise is broken, and rows of r say which
//
// What it counts with is its own, so that nothing checks itself: binomial probabilities
// and walks on the lattice of a sequential test are recursions that packages stats and
// sprt do not use.
//
// # How a row comes about
//
// [Measure] goes through the groups, each of which is a file. A group takes the decisions of one
// kind through its settings and adds rows: exact ones where all outcomes can be enumerated, and
// counted ones where trials are simulated. Then every row is judged against its promise, and
// [Result.Page] sums the rows up for people, [Result.Records] lists them all.
//
//	calibration.go  the groups, the calibrator that collects rows, seeds of simulated rows
//	row.go          the row, the three kinds of promise, when a promise is broken
//	exact.go        binomial masses, walks on a lattice, grids of rates: the independent counting
//	page.go         the tables for people and for programs
//
//	threshold.go    one rate against a threshold
//	comparison.go   two independent sides: margin rule, other rules, trials that broke
//	pairs.go        two sides, trial by trial
//	scenarios.go    several scenarios, with Holm's correction
//	sequential.go   sequential designs, recordings judged by them; the settings others share
//	runs.go         the whole runner, many trials at once
//	estimates.go    what is said of the rate after a sequential test
//	baseline.go     tests between two limits of a baseline's rate
//	gate.go         the rules of the gate
//	regression.go   tests against a baseline that is a sample: recorded before, or side by side
//	regression_gate.go  whole gates over such tests
//	behaviour.go    comparison of behaviour, systems that did not change
//	metrics.go      metrics that are marked as changed
//	contract.go     the rate at which a contract is kept
//	power.go        powers and chances that are printed
//	intervals.go    intervals beside verdicts
//	labels.go       the rate that a judge and labels of some trials show
//	audit_gate.go   whether a gate of many scenarios blocks for one, and deploys where all are good
//	audit_coverage.go  the limit of the paths that nobody saw
//
// # What the promises are of
//
// A bound holds in the worst case: the row has the largest rate over a grid of true rates, and
// its setting says where that is. Promises are of the error that the options ask for: false Fail
// within alpha at no drop, false Pass within beta at a drop of delta. Where alpha is the two-sided
// error of an interval, each side has half.
package calibration
