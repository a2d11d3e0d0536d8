// Package growth follows how the time and the memory of tribunal's commands grow with the trials, the scenarios, the
// runs and the workers that they are given, and where that stops being linear.
//
// What is measured are command lines, run within this process, so that what is allocated on the way can be counted. A
// size is measured up to three times, and the least time counts; allocations hardly differ from one time to the next.
//
//	r, err := growth.Measure(ctx, growth.Options{Short: true})
//	if err != nil {
//		return err
//	}
//	err = r.Page().WriteText(os.Stdout, 80)
//
// Unlike the other measurements of bench, times depend on the machine; what is allocated does not.
package growth
