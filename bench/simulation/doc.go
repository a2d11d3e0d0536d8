// Package simulation has systems whose rates are known: an [Agent] draws trials that
// pass, fail or break, with tokens, costs, times and calls of tools.
//
// [RunRates] runs one of them through the whole runner, again and again, and compares
// how often it passes and fails with the exact characteristics of the design:
//
//	r, err := simulation.RunRates(ctx, simulation.RunRatesOptions{Design: plan.Design, Rate: 0.9, Runs: 20_000})
package simulation
