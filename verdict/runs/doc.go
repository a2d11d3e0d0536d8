// Package runs judges what a run of a suite gathered: [Judge] makes a [Result] of
// [Evidence].
package runs
