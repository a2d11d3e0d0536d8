// Peers times the same work by this module and by SciPy, statsmodels, NumPy and Python's
// json, side by side: in rounds, both in each round, so that a machine that is busy for a
// while slows both. It fails where their values differ.
//
//	go run ./bench/peers            # prints the table
//	go run ./bench/peers -update    # writes docs/speed.md and docs/speed.svg
//
// It leaves out, by name, what this machine's Python lacks, unless it writes the page,
// which has all of it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "peers:", err)
		}
		os.Exit(1)
	}
}

// options of the command line.
type options struct {
	rounds int
	only   string
	short  bool
	out    string
	page   string
}

func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("peers", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.rounds, "rounds", 7, "how often each side does each work")
	flags.StringVar(&o.only, "only", "", "leave out the work whose name does not contain this `TEXT`")
	flags.BoolVar(&o.short, "short", false, "one round of smaller sizes, to try the command itself")
	flags.StringVar(&o.out, "out", "", "write the table into this `FILE`, not to the standard output")
	flags.StringVar(&o.page, "page", "", "write the table, and the growth, between the markers of this `FILE`, and the drawing beside it")
	update := flags.Bool("update", false, "the same as -page docs/speed.md")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		return o, fmt.Errorf("unknown argument %q", flags.Arg(0))
	case o.only != "" && (*update || o.page != ""):
		return o, errors.New("-only leaves out what the page shows")
	case o.rounds < 1:
		return o, fmt.Errorf("-rounds %d: must be positive", o.rounds)
	}
	if *update {
		o.page = filepath.Join("docs", "speed.md")
	}
	if o.short {
		o.rounds = 1
	}
	return o, nil
}

func run(args []string, stdout, stderr io.Writer) error {
	o, err := parse(args, stderr)
	if err != nil {
		return err
	}
	python, err := findPython()
	if errors.Is(err, errNoPython) && o.page == "" {
		fmt.Fprintln(stderr, "peers: everything is left out:", err)
		return nil
	}
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "peers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "tribunal")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/tribunal-dev/tribunal/cmd/tribunal").CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	found, err := compare(o, python, program, folder, stderr)
	if err != nil {
		return err
	}
	switch {
	case o.page != "":
		return writePage(o, program, found)
	case o.out != "":
		return os.WriteFile(o.out, []byte(found.markdown()), 0o644)
	}
	_, err = io.WriteString(stdout, found.markdown())
	return err
}

// compare measures everything in rounds.
func compare(o options, python, program, folder string, stderr io.Writer) (*comparison, error) {
	theirs, err := startPeer(python)
	if err != nil {
		return nil, err
	}
	defer theirs.close()
	found := &comparison{rounds: o.rounds}
	if _, err := theirs.ask(request{ID: "versions", Task: "versions"}, &found.versions); err != nil {
		return nil, err
	}
	list, err := works(folder, o.short)
	if err != nil {
		return nil, err
	}
	var races []*race
	for i, w := range list {
		if !strings.Contains(w.name, o.only) {
			continue
		}
		r := &race{work: w, id: fmt.Sprint(i), least: 50 * time.Millisecond}
		if o.short {
			r.least = time.Millisecond
		}
		races = append(races, r)
	}
	starts := slices.DeleteFunc(startRaces(program, python), func(s *startRace) bool { return !strings.Contains(s.row.name, o.only) })
	for round := range o.rounds {
		fmt.Fprintf(stderr, "peers: round %d of %d\n", round+1, o.rounds)
		for _, r := range races {
			err := r.round(theirs, round%2 == 1)
			if lacking, ok := errors.AsType[*missingError](err); ok && o.page == "" {
				fmt.Fprintf(stderr, "peers: %s, %s, is left out: %v\n", r.name, r.size, lacking)
				r.leftOut = true
			} else if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", r.name, r.size, err)
			}
		}
		races = slices.DeleteFunc(races, func(r *race) bool { return r.leftOut })
		for _, s := range starts {
			if err := s.round(o.short); err != nil {
				return nil, fmt.Errorf("%s: %w", s.row.name, err)
			}
		}
	}
	for _, r := range races {
		found.rows = append(found.rows, r.row())
	}
	for _, s := range starts {
		found.rows = append(found.rows, s.row)
	}
	return found, nil
}
