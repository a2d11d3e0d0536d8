// Package chart draws results as SVG. It computes nothing: what it draws is in the
// result, or computed by the package that the result is of.
//
//	p, err := plan.Test(ctx, options)
//	err = chart.Plan(file, p)
//
// The drawings: [Plan] in plan.go (its panels are in boundaries.go and curves.go),
// [BehaviourMap] of the trials of two systems by what they did (behaviour_map.go,
// with the marks and the arrows in files of their own), [CoverageRadar] in
// coverage_radar.go, and [ExpectedTrials] of several tests in trials.go. Each makes a
// sheet (sheet.go) with a heading, draws into it with gonum/plot, or by hand where
// that has no such chart, and writes it with a title and a description for readers of
// the screen.
//
// The bytes of a drawing depend on nothing but the result. Colours are those of Okabe
// and Ito (2008), which people tell apart who see few of them; what they tell apart
// is also named, or drawn with another stroke.
package chart
