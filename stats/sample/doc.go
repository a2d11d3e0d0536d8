// Package sample compares samples of numbers, such as the costs or durations of
// trials, where package stats compares counts: means with intervals, the
// Mann-Whitney test, the cost of a success, and plain summaries.
//
//	difference, interval, err := sample.StratifiedMeanDifference(strata, 0.05)
//	test, err := sample.MannWhitney(before, after)
//
// A difference is candidate minus baseline. No slice that is given is changed.
// Arguments that cannot be used give a [stats.ArgumentError].
//
// mean.go has intervals of means, mannwhitney.go the rank test, stratified.go what compares within strata, persuccess.go what a success takes, summary.go
// sums, means, medians and quantiles.
package sample
