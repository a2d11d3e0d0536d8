// Command testresults reads what go test -json prints and says what a person wants to
// know of it: what failed, with all that it printed, how long each package took, which
// packages and tests took longest, and which tests were skipped and why, with the numbers of
// tests at the end. A test that is skipped counts as failed, unless its name matches: a result
// that says "ok" must not hide that nothing was tested. So does a package that takes longer than
// it may: go test stops those of ten minutes, and machines differ.
//
//	go test -json ./... | go run ./internal/testresults -skips '^TestPagesInBrowser$' -longest 8m
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

func main() {
	skips := flag.String("skips", "^$", "`regexp` of the names of tests that may be skipped")
	longest := flag.Duration("longest", 0, "how long a package may take; 0: as long as go test lets it")
	flag.Parse()
	allowed, err := regexp.Compile(*skips)
	if err == nil {
		err = report(os.Stdin, os.Stdout, allowed, *longest)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "testresults:", err)
		os.Exit(1)
	}
}

// event is a line of go test -json. Test is "" where it is about a package.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64
}

// test is a test, or a part of one, and what it printed so far.
type test struct{ in, name string }

// timedTest is a test or a package that ended, and how long it took with what ran beside it.
type timedTest struct {
	test
	seconds float64
}

// Which tests are named as slow, how many of them, and how many packages. All are chosen.
const (
	slowSeconds  = 10
	mostSlow     = 30
	mostPackages = 10
)

// report writes a line for each package that has tests, and what is wrong. It returns an
// error where something is. longest is how long a package may take; 0 bounds none.
func report(events io.Reader, w io.Writer, allowed *regexp.Regexp, longest time.Duration) error {
	printed := map[test][]string{}
	var failed, skipped []test
	passed, failures := 0, 0 // tests, without the packages
	var slow, packages []timedTest
	decoder := json.NewDecoder(events)
	for {
		var e event
		if err := decoder.Decode(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("this is not go test -json: %w", err)
		}
		at := test{e.Package, e.Test}
		switch e.Action {
		case "output", "build-output":
			printed[at] = append(printed[at], e.Output)
			continue
		case "fail", "build-fail":
			failed = append(failed, at)
			if e.Test != "" {
				failures++
			}
			fmt.Fprint(w, strings.Join(printed[at], ""))
		case "pass":
			if e.Test != "" {
				passed++
			}
			if e.Test != "" && e.Elapsed >= slowSeconds {
				slow = append(slow, timedTest{at, e.Elapsed})
			}
		case "skip":
			if e.Test != "" {
				skipped = append(skipped, at)
			}
		}
		if e.Test == "" && (e.Action == "pass" || e.Action == "fail") {
			fmt.Fprintf(w, "%s %s %.1fs\n", e.Action, e.Package, e.Elapsed)
			packages = append(packages, timedTest{at, e.Elapsed})
		}
		if e.Action != "skip" {
			delete(printed, at)
		}
	}
	for _, x := range slowest(packages, mostPackages) {
		fmt.Fprintf(w, "slowest: %s %.0fs\n", x.in, x.seconds)
	}
	for _, x := range slowest(slow, mostSlow) {
		fmt.Fprintf(w, "slow: %s %s %.0fs\n", x.in, x.name, x.seconds)
	}
	tooLong := 0
	for _, x := range packages {
		if longest > 0 && x.seconds > longest.Seconds() {
			tooLong++
			fmt.Fprintf(w, "too long: %s took %.0fs, and may take %s\n", x.in, x.seconds, longest)
		}
	}
	forbidden := 0
	for _, s := range skipped {
		what := "skipped"
		if !allowed.MatchString(s.name) {
			forbidden++
			what = "skipped, and must run"
		}
		fmt.Fprintf(w, "%s: %s %s: %s\n", what, s.in, s.name, reason(printed[s]))
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", passed, failures, len(skipped))
	switch {
	case len(failed) > 0:
		return errors.New("there are failures")
	case passed+len(skipped) == 0:
		return errors.New("no test ran")
	case forbidden > 0:
		return fmt.Errorf("%s skipped that must run", prose.Count(forbidden, "test")+prose.Form(forbidden, " was", " were"))
	case tooLong > 0:
		return fmt.Errorf("%s took too long", prose.Count(tooLong, "package"))
	}
	return nil
}

// slowest returns the first few of those that took longest.
func slowest(tests []timedTest, few int) []timedTest {
	slices.SortStableFunc(tests, func(a, b timedTest) int { return cmp.Compare(b.seconds, a.seconds) })
	return tests[:min(len(tests), few)]
}

// reason is the last line that a skipped test printed of its own.
func reason(lines []string) string {
	for _, line := range slices.Backward(lines) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--- ") && !strings.HasPrefix(line, "=== ") {
			return line
		}
	}
	return "no reason is given"
}
