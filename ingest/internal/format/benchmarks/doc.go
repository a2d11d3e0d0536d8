// Package benchmarks reads the results of evaluations and benchmarks: inspect_ai,
// promptfoo, tau-bench, Harbor and its trajectories, Terminal-Bench, SWE-agent, OpenHands,
// deepeval, InterCode, Who&When.
//
// Each decoder is a file of its name. Inspect has five: inspect.go (the log and its samples),
// inspect_archive.go (.eval files), inspect_score.go (the outcome), inspect_events.go and
// inspect_steps.go (the steps, from events or from messages); promptfoo has two, the file and
// a row of it; OpenHands has three, the file and the events of each of its versions;
// deepeval has two, the cases and their traces.
// benchmark.go has what they share: rewards, and names of agents.
//
// Most of these files are one JSON document that is read whole. A result of a benchmark has
// what logs of agents lack, the task, the number of the trial and the outcome; where it has
// no steps they are left unknown (nil), which is not the same as none.
//
// Throughout, an outcome is a verdict on the agent. What the benchmark itself, the provider of
// the model or the simulated user did wrong is an infrastructure error, whatever the score.
package benchmarks
