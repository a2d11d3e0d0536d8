// Package sample compares samples of numbers, such as the costs or durations of
// trials, where package stats compares counts: means with bootstrap intervals, the
// Mann-Whitney test, ratios of sums, and plain summaries.
//
//	interval, err := sample.BootstrapMeanDifference(ctx, before, after, sample.BootstrapOptions{})
//	test, err := sample.MannWhitney(before, after)
//
// A difference is candidate minus baseline. No slice that is given is changed.
// Arguments that cannot be used give a [stats.ArgumentError].
package sample
