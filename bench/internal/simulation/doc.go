// Package simulation has systems whose rates are known: an [Agent] draws trials that
// pass, fail or break, with tokens, costs, times and calls of tools.
//
// [RunRates] runs one of them through the whole runner, again and again, and compares
// how often it passes and fails with the exact characteristics of the design:
//
//	r, err := simulation.RunRates(ctx, simulation.RunRatesOptions{Design: plan.Design, Rate: 0.9, Runs: 20_000})
//
//	r, err := simulation.RunRates(ctx, simulation.RunRatesOptions{Design: design, Rate: 0.9, Seed: 1})
//	fmt.Println(r.Fail.Observed, r.Fail.Exact) // how often runs failed, and how often they should
//
// agent.go is what a trial does, agent_known.go has agents with published figures, clock.go the time
// that passes in a run, and rates.go runs them and counts.
package simulation
