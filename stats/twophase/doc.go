// Package twophase says what the true pass rate of trials is that a judge judged, all of them, and a person labelled,
// some of them: a two-phase sample (Tenenbein 1970, JASA 65:1350).
//
//	s := twophase.Sample{
//		Judged: 550, Passed: 475,
//		OfPassed: stats.Counts{Passes: 39, Trials: 40}, // 39 of 40 labels agree with the judge
//		OfFailed: stats.Counts{Passes: 3, Trials: 10},
//	}
//	interval, err := twophase.Certified.Interval(ctx, s, 0.05)
//
// Labels are drawn at random among what the judge passed, and at random among what it failed, so many of each as
// [Allocate] says: they are no simple random sample, and their own share of passes says nothing. What is estimated is
// m·PPV + (1-m)·FOR. Both methods order samples by the signed root of the profile likelihood ratio, and add up the
// exact probability of all samples that say as much or more:
//
//   - [Certified] takes the largest over all judges, good and bad, so its errors hold whatever the judge is worth.
//     What it returns is proved to be no less than the largest, and at most a millionth of itself and 3e-8 above it.
//   - [Calibrated] takes it at the judge that is most likely, which decides more often, and may err somewhat more often
//     than its level says.
//
// The chi-squared distribution, to which such roots are compared usually, is not used: where all labels pass, as at
// high rates they often do, it claims falsely five times as often as it says.
package twophase
