// Package runs judges what a run of a suite gathered. [Judge] takes [Evidence] - the tests
// with their designs, and the trials in launch order - and returns a [Result]: the verdict
// of every test and of all together, the estimates after the stop, what was spent, and the
// trials as far as there is room. A trial without an outcome is judged both ways.
package runs
