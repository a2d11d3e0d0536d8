// Package stats holds the statistics that verdicts are made of: intervals and
// tests for one and two pass rates, effect sizes, power, multiplicity, and the
// upper tails of distributions. Numbers go in, numbers come out.
//
// The main type is [Counts], the passes among the trials of one system:
//
//	baseline := stats.Counts{Passes: 93, Trials: 100}
//	candidate := stats.Counts{Passes: 71, Trials: 100}
//	interval, err := stats.Wilson(candidate, 0.05)      // 95 % interval
//	p, err := stats.Boschloo(ctx, baseline, candidate) // H1: the candidate is worse
//
// Conventions. Alpha is the two-sided error of an interval and the one-sided
// error of a test. A test of two systems has the alternative "the candidate's
// rate is lower" unless its name says otherwise. A difference is candidate minus
// baseline. No function panics, and none changes a slice that it is given;
// arguments that cannot be used give an [ArgumentError].
package stats
