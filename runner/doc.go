// Package runner runs an agent trial by trial until the evidence suffices.
//
// The main function is [Run]: it launches trials of an [Agent] in parallel, judges
// them in the order in which they were launched, never in the order in which they
// end, and stops each test as soon as its sequential design decides. What it did is
// in a journal, so that a run that was killed continues where it stopped. The example of this package goes from a
// suite to a verdict.
//
// [CommandAgent] is an agent that is a program. Package journal reads and writes the file.
//
// # How a run goes on
//
// One goroutine owns a run and goes round a loop: it launches what may be launched, waits
// for an attempt to end, and judges.
//
//   - Launching. The tests take turns in a random order that the seed fixes. Tests of the
//     same scenarios and different variants of the agent have their turn together, in rounds
//     of one trial each with the same scenario, number and seed. A test is given no more
//     trials than it needs whatever their outcomes are, unless the options are eager, and an
//     attempt must fit into the budget beside those in flight.
//   - An attempt runs in a goroutine of its own: the agent, and then the judge. One that never
//     began is repeated under the same number and seed; one that began and has no outcome
//     makes the trial an error.
//   - Judging. Each test observes its trials in launch order, so that a trial waits for
//     those before it. Those that end beyond the decision are overrun: they are in the
//     result and no part of the decision.
//
// Every launch is in the journal before it happens, every end before it is judged, and
// all of that on the disk before anybody learns of a decision. A run that is resumed
// launches the trials of the journal again, which gives the same scenarios, sides, numbers and
// seeds, and takes their ends from it. A trial that was running is an error.
//
// # Which file to open
//
//   - From a suite to options: prepare.go (designs, agents, judges), against.go (tests against a
//     baseline), comparable.go and task.go (which results can be one), floors.go (what they cannot show),
//     options.go, judging.go, history.go; plan.go for a run that is only planned.
//   - The loop: run.go; launch.go for what is launched, judged and written down; order.go and group.go for whose
//     turn it is; budget.go for what may still be spent.
//   - One test and its trials: testrun.go. One attempt: attempt.go, with the agent in agent.go.
//   - Going on with a journal: resume.go. A part of a run: shard.go; all parts: merge.go. What came of it: result.go,
//     evidence.go.
package runner
