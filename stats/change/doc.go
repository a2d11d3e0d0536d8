// Package change finds changes of a system's behaviour in trials that are in the order of time, as they come or
// afterwards.
//
// Detectors watch a stream that may go on for ever, so that they have no error rate but an average run length: the
// expected number of trials until an alarm while nothing changes.
//
//   - [ShiryaevRoberts] watches pass/fail trials for a pass rate below a baseline, without being told how far below.
//   - [Conformal] watches any number for a change of its distribution, without a baseline: among the trials before.
//   - [CUSUM] watches pass/fail trials for one drop that it is told, with an exact run length.
//
// The first two give evidence after every trial, and an alarm where it reaches A has an average run length of A at
// least, which is proved:
//
//	d, err := change.NewShiryaevRoberts(0.9)
//	for n := 1; ; n++ {
//		if d.Add(pass()) >= 5000 {
//			alarm(n, d.Onset(0.05))
//		}
//	}
//
// [Segments] and [SegmentMeans] look back over a finished series of runs: where did the pass rate, or the mean of
// something, change?
package change
