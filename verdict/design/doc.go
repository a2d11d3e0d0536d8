// Package design holds what results say of sequential designs: the [Design] itself with its
// [Boundaries], what it does at a pass rate ([Point], [Characteristics]), and the [Estimate]
// of the rate where a test ended. [Design.Rebuild] makes the test of it again.
package design
