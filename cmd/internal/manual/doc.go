// Package manual keeps the README and the pages in docs/ true: its test runs every
// command block and compares what it prints with what the page shows.
//
// A command block is fenced as ```console. A line that begins with "$ " is a shell
// command; the lines up to the next command are all that it prints, on standard
// output and standard error. A block begins in the root of the repository, and what
// cd says holds until its end. A page that needs a file makes it with a command, in
// $TMPDIR, whose files last until the last page; its name must not be printed.
//
// How long a run took is left out of the comparison: a page keeps what it shows.
package manual
