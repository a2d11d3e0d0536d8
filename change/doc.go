// Package change finds changes of a system's behaviour in trials that are in the order of time.
//
// [Segments] and [SegmentMeans] look back over a finished series of runs: where did the pass rate, or the mean of
// something, change?
//
//	found, err := change.Segments(ctx, []stats.Counts{{Passes: 47, Trials: 50}, {Passes: 38, Trials: 50}}, change.SegmentOptions{})
//	for _, c := range found.Changes {
//		fmt.Println(c.At, c.Earliest, c.Latest, c.Difference)
//	}
package change
