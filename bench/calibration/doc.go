// Package calibration measures how often every decision of this module errs, and
// compares that with what is promised of it.
//
//	r, err := calibration.Measure(ctx, calibration.Options{Short: true, Seed: 1})
//	fmt.Println(r.Holds) // false: a promise is broken, and rows of r say which
//
// What it counts with is its own, so that nothing checks itself: binomial probabilities
// and walks on the lattice of a sequential test are recursions that packages stats and
// sprt do not use.
package calibration
