// Package world is what a command is given: streams, variables, the clock, and how much it says. It tells of progress
// and of what a person should know, and writes results. It knows no flags.
//
//	w := (&world.World{Stdout: os.Stdout, Stderr: os.Stderr, Env: os.LookupEnv}).Complete()
//	w.Notice("note", "the suite is %s", file)
package world
