// Package runner runs an agent as a program, trial by trial, and writes down what it
// does.
//
// [Command] runs one program with all its children: its own process group, killed at
// timeout and cancellation, output capped, secrets removed. [CommandAgent] makes a
// trial of it. [Journal] is the file in which launched and finished trials are on
// disk before a decision uses them; [ResumeJournal] reads it back after a kill.
//
//	agent := &runner.CommandAgent{Command: runner.Command{Argv: []string{"./agent"}}}
package runner
