// Package process runs other people's programs: each in a process group of its own,
// killed with all its children at timeout and cancellation, with a limit on what it
// may print, the variables of the environment that it is to see, and secrets removed
// from what it says.
//
// The main type is [Command]:
//
//	result, err := process.Command{Argv: []string{"./agent"}, Timeout: time.Minute}.Run(ctx, input)
package process
