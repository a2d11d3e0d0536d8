// Package sequential judges a recording as a sequential test would have. [Judge] goes over
// the trials in the order of the recording, or shuffled by a seed that the recording fixes, and
// its [Result] says where the test would have stopped, with which verdict, and what the rest cost.
//
//	result, err := sequential.Judge(ctx, recorded, sequential.Options{
//		Design: design, Order: sequential.ShuffleOrder,
//	})
//	fmt.Println(result.Verdict, result.Trials, "of", result.Recorded)
//
// With [AgainstOptions] the test is one against a recorded baseline.
//
// Where to look: sequential.go walks the test over the recording; against.go has what a
// baseline adds; order.go has the order of the trials, and what it refuses or leaves open;
// exchangeable.go tests whether scenarios are in a random order; rejudge.go judges a saved
// result again, from its recording or from the path through the boundaries.
package sequential
