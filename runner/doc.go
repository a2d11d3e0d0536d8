// Package runner runs an agent trial by trial until the evidence suffices.
//
// The main function is [Run]: it launches trials of an [Agent] in parallel, judges
// them in the order in which they were launched, never in the order in which they
// end, and stops each test as soon as its sequential design decides. What it did is
// in a journal, so that a run that was killed goes on where it was.
//
//	s, err := suite.Load("tribunal.yaml")
//	options, err := runner.Prepare(ctx, s, s.Scenarios, runner.PrepareOptions{})
//	options.Journal = "triage.journal"
//	found, err := runner.Run(ctx, options)
//	result, err := runs.Judge(found.Evidence(s.Name, s.Digest(), version))
//
// [CommandAgent] is an agent that is a program. Package journal reads and writes the file.
package runner
