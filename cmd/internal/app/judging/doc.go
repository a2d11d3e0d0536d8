// Package judging reaches the verdicts of the commands verdict, compare and decide: each has a request, which is plain
// data, and a function that answers it. Its [Rules], [Design] and [Against] are those of plans as well.
package judging
