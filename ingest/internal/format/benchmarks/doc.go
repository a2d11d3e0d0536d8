// Package benchmarks reads the results of evaluations and benchmarks: inspect_ai,
// promptfoo, tau-bench, Harbor and its trajectories, Terminal-Bench, SWE-agent.
package benchmarks
