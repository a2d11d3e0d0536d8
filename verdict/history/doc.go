// Package history judges a series of runs of one suite over time: what of it there is, in the order of time, and where
// it changed. It has no verdict.
//
//	r, err := history.Judge(ctx, points, scenarios, history.Options{Suite: "shop"})
//
// history.go has the options and the judge, points.go the points and their intervals, changes.go where the series
// changes and which scenarios do, and rejudge.go judges a saved result again from its points.
package history
