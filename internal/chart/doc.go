// Package chart draws results as SVG. It computes nothing: what it draws is in the
// result, or computed from it by package verdict.
//
//	plan, err := verdict.PlanTest(ctx, options)
//	err = chart.Plan(file, plan)
//
// [BehaviourMap] draws the trials of two systems by what they did.
//
// The bytes of a drawing depend on nothing but the result. Colours are those of
// Okabe and Ito (2008), which people tell apart who see few of them; what they
// tell apart is also named, or drawn with another stroke.
package chart
