// Package repeat makes an existing test command an agent of package runner: one execution of
// the command is one trial of every test case in its report.
//
//	command, err := repeat.NewCommand([]string{"pytest", "-q"})
//	found, err := command.Execute(ctx, nil)          // all cases, once
//	agent := repeat.NewAgent(command, found, 2)      // two executions at a time
//	agent.Attach(&options)                           // of runner.Run, a scenario a case
//
// The runner asks for single trials: case a, trial 3. [Agent] gathers what it asks for until it
// has asked for all that it needs now, and lets one execution answer it. So a test case is
// judged by a sequential design of its own, and what is decided is not tried again where the
// test runner can be told which cases to run.
//
// Where to look: agent.go gathers and answers; command.go starts the command and reads its
// report; runners.go is the table of the test runners that are known: how each is told to write
// a report, and to run some cases alone.
package repeat
