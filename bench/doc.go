// Package bench measures what the methods of this project promise.
//
// [RunRates] runs simulated agents through the whole runner and compares how often it
// passes and fails them with the exact characteristics of the design:
//
//	r, err := bench.RunRates(ctx, bench.RunRatesOptions{Design: plan.Design, Rate: 0.9, Runs: 20_000})
package bench
