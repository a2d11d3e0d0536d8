// Package compare judges a candidate against a baseline from recordings of both: see
// [Judge], [Options] and [Result].
package compare
