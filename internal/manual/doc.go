// Package manual keeps the README and the pages in docs/ true: its test runs every
// command block and compares what it prints with what the page shows.
//
// A command block is fenced as ```console. A line that begins with "$ " is a shell
// command, run from the root of the repository; the lines up to the next command
// are all that it prints, on standard output and standard error. A page that needs
// a file makes it with a command.
package manual
