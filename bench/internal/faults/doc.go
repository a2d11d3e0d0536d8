// Package faults measures whether suites that cover more find more faults (AgentAssay, Proposition 4.2), on simulated
// agents in which faults were planted.
//
//	found, err := faults.Measure(ctx, faults.Options{Short: true, Seed: 1})
//	found.Rows[0].Rho // Spearman's correlation of coverage with the number of distinct faults that were found
//
//	agent.go     the agents and what is planted in them
//	suites.go    suites of growing size, and of one size and growing breadth
//	spearman.go  the correlation, its interval, and its p-value by permutation
//	faults.go    the measurement; page.go prints it
package faults
