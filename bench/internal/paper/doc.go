// Package paper repeats the experiments of AgentAssay (its Section 9) and puts what comes of them beside what it
// prints: on simulated agents whose rates are known, or on agents of a suite that are run for it.
//
//	found, err := paper.Measure(ctx, paper.Options{Seed: 1})
//	found.Approaches[0].Power // how often a change of behaviour is found, and Alarms where there is none
//
//	source.go      where trials come from: simulated agents
//	recorded.go    or agents of a suite, which are run and journalled
//	models.go      Table 4: what a trial takes
//	experiments.go E1 to E6: verdicts, coverage, mutation, sequential tests, contracts, relations, gates
//	efficiency.go  E7: Tables 5 to 7 and Figures 2 to 5, five approaches to one regression check
//	pipeline.go    Example 7.1 and Theorem 7.6, as arithmetic
//	page.go        prints all of it
package paper
