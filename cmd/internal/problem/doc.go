// Package problem says what keeps a command from doing its work: errors with a hint and an exit code, what a person
// reads of them, and guesses of what was meant.
//
//	return problem.Usage("omit one of them", "%s and --json do not go together", flag)
//
// [Explain] puts any error into the words of the command line, and [ExitCode] says how the process ends.
package problem
