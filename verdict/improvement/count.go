package improvement

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/verdict"
)

// The letters of a test's outcome.
const (
	passed  = 'P'
	failed  = 'F'
	errored = 'E'
	absent  = '.'
)

// checkOutcomes refuses an attempt that has another number of outcomes than there are tests, or other letters.
func checkOutcomes(i int, a Attempt, tests int) error {
	for _, part := range []struct{ name, letters string }{{"outcomes", a.Outcomes}, {"again", a.Again}} {
		place := fmt.Sprintf("attempts[%d].%s", i, part.name)
		switch {
		case part.name == "again" && part.letters == "":
		case a.State != Tried && part.letters == "":
		case len(part.letters) != tests:
			return &verdict.DifferenceError{Path: place, Have: fmt.Sprintf("%d outcomes", len(part.letters)),
				Want: fmt.Sprintf("%d, one for each test", tests)}
		case strings.Trim(part.letters, "PFE.") != "":
			return &verdict.DifferenceError{Path: place, Have: "other letters", Want: "P, F, E and ."}
		}
	}
	return nil
}

// testKnowledge is what is known of the tests by an attempt.
type testKnowledge struct {
	flaky []bool // they came to two ends on the same files
	real  []bool // they have passed or failed: an error alone may be of no test, such as that a file cannot be imported
}

// learn takes in an attempt.
func (k testKnowledge) learn(a Attempt) {
	for i := range a.Outcomes {
		k.real[i] = k.real[i] || a.Outcomes[i] == passed || a.Outcomes[i] == failed
	}
	for i := range a.Again {
		if b := a.Again[i]; b != absent && b != a.Outcomes[i] {
			k.flaky[i] = true
		}
	}
}

// counts are the tests of an attempt, without those that are flaky. A test that is in no report of the attempt could
// not be run.
func (k testKnowledge) counts(a Attempt) (c Counts) {
	for i, letter := range []byte(a.Outcomes) {
		switch {
		case letter == absent && !k.real[i]:
		case k.flaky[i]:
			c.Flaky++
		case letter == passed:
			c.Passes++
		case letter == failed:
			c.Failures++
		default:
			c.Errors++
		}
	}
	if a.Problem != "" && c.Tests() == 0 {
		c.Errors++ // there is no report at all
	}
	return c
}

// better orders counts: more passes; then fewer errors, of tests that could not even run; then fewer failures. It is
// positive where the first is better, negative where the second is, and 0 where they are alike.
func better(a, b Counts) int {
	switch {
	case a.Passes != b.Passes:
		return a.Passes - b.Passes
	case a.Errors != b.Errors:
		return b.Errors - a.Errors
	}
	return b.Failures - a.Failures
}

// Passed reports whether all tests pass, and there are any.
func (c Counts) Passed() bool { return c.Passes > 0 && c.Failures+c.Errors == 0 }

// Tests is the number of tests that count.
func (c Counts) Tests() int { return c.Passes + c.Failures + c.Errors }
