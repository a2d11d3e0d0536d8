// Command census prints the figures of a checkout of this module: its lines and
// comments, exported names, sizes of files and functions, and what of it is documented;
// with a folder as its argument those of another checkout, so that two can be laid side
// by side.
//
//	go run ./internal/census
//	go run ./internal/census -starts 0 ../older
//	go run ./internal/census -skips -build
//
// The figures are those that CONTRIBUTING.md speaks of. The way of a file: readModule walks
// through the folders and parses (module.go), readFile counts one file (file.go), rows adds
// up and writes (rows.go). schemas.go counts what goes past a rule of the house. program.go
// builds and starts the program, skips.go runs the tests; they are apart because they take
// seconds and minutes.
//
// To add a figure, count it in file, add it up in sum, and name it in rows. Tests, testdata
// and generated code are left out. A tab is four columns wide.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"text/tabwriter"
)

// main counts once. An interrupt ends what go and git are doing, and removes the scratch
// folders.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "census:", err)
		os.Exit(1)
	}
}

// run counts and prints what its arguments ask for.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("census", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: census [-starts N] [-skips] [-build] [DIR]")
		flags.PrintDefaults()
	}
	starts := flags.Int("starts", 31, "build the program and start it so many `times`; 0 leaves that out")
	skips := flags.Bool("skips", false, "run all tests on a clean clone and count the skipped ones; takes minutes")
	build := flags.Bool("build", false, "build the program with an empty cache too; takes a minute or more")
	if err := flags.Parse(args); err != nil {
		return err
	}
	folder := "."
	switch flags.NArg() {
	case 0:
	case 1:
		folder = flags.Arg(0)
	default:
		return fmt.Errorf("one folder is enough, but there are %d", flags.NArg())
	}
	module, err := readModule(folder)
	if err != nil {
		return err
	}
	// What only reads files comes first: it cannot fail for want of a compiler or of git.
	rows := module.rows()
	for _, measure := range []struct {
		asked bool
		rows  func() ([]row, error)
	}{
		{*starts > 0, func() ([]row, error) { return measureProgram(ctx, folder, *starts) }},
		{*build, func() ([]row, error) { return measureBuild(ctx, folder) }},
		{*skips, func() ([]row, error) { return countSkips(ctx, folder) }},
	} {
		if !measure.asked {
			continue
		}
		more, err := measure.rows()
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	return write(stdout, rows)
}

// row is a figure and its name. Figures are texts: their units and their precision differ.
type row struct{ name, figure string }

// write prints the rows in two columns, which are as easily compared by eye as by diff.
func write(w io.Writer, rows []row) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\n", r.name, r.figure)
	}
	return table.Flush()
}
