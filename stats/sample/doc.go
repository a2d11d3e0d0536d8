// Package sample compares samples of numbers, such as the costs or durations of
// trials, where package stats compares counts: means with intervals and
// tests, the cost of a success, and plain summaries.
//
//	compared, err := sample.CompareMeans(strata, 0.05, 1)
//	interval, err := sample.MeanInterval(costs, 0.05)
//
// A difference is candidate minus baseline. No slice that is given is changed.
// Arguments that cannot be used give a [stats.ArgumentError].
//
// mean.go has intervals of means, stratified.go that of a difference within strata, permutation.go the test that goes
// with it, persuccess.go what a success takes, summary.go sums, means, medians and quantiles.
package sample
