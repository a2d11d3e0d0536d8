// Package design holds what results say of sequential designs: the [Design] itself with its
// [Boundaries], what it does at a pass rate ([Point], [Characteristics]), and the [Estimate]
// of the rate where a test ended. [Design.Rebuild] makes the test of it again.
//
// Package sprt computes with designs; the types here are their form in JSON, which runs,
// sequential, gate and plan share. [Of] and [Boundaries.Test] translate between the two:
//
//	saved := design.Of(d.Boundaries) // for a result
//	again := saved.Test()            // for package sprt
//
// Where to look: design.go has the design and the estimates, boundaries.go the boundaries,
// curve.go the characteristics, and codes.go the reasons and warnings that are shared.
package design
