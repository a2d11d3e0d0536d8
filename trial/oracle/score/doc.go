// Package score gives trials points on axes: tests that pass, principles that a judge finds kept, known mistakes that
// are not made.
//
//	axes := []score.Axis{
//		{Name: "tests", Points: 63, From: score.Tests, Report: "junit.xml"},
//		{Name: "principles", Points: 20, Parts: parts, OnlyIf: condition},
//	}
//	found := score.Of(axes).Give(ctx, score.Evidence{Evidence: evidence, Judgement: judgement, Folder: dir})
//	found.Record(t)
//
// An axis is worth its points times a share from 0 to 1. Axes without a judge are scored first, in their order, and
// those with one after them: an axis whose condition does not hold has no points, and its judges are not asked. What
// cannot be scored is unknown, and never points.
//
// Begin with [Axis] and [Axes.Give]. axis.go has what is scored, condition.go when, give.go how, files.go what is
// looked for in files, trial.go what is in the record of a trial, and series.go what a result has of all trials.
package score
