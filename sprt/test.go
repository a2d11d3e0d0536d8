package sprt

import (
	"errors"
	"fmt"
)

// Test applies a design to outcomes. Trials are numbered from 0 in the order in
// which they were launched, and judged in that order: only the outcomes without a
// gap from the first on count. So it does not matter which trials end first, and
// a design keeps its error rates when failures take longer than passes. What is
// known beyond the trial that decided is overrun: kept apart, and never part of
// the decision.
//
// A Test may be used by one goroutine at a time.
type Test struct {
	design   Design
	results  []result // by launch number
	outcome  Outcome
	trials   int // judged
	failures int // among the judged
}

// result is what is known of a trial.
type result byte

const (
	pending result = '?'
	passed  result = 'P'
	failed  result = 'F'
)

// ErrObserved says that a trial was observed twice with different outcomes.
var ErrObserved = errors.New("the trial was already observed with another outcome")

// NewTest returns a test that has seen nothing.
func NewTest(d Design) (*Test, error) {
	if err := d.Boundaries.Validate(); err != nil {
		return nil, err
	}
	return &Test{design: d}, nil
}

// Observe records the outcome of the trial with the launch number and judges what
// has no gap. A trial may be observed again with the same outcome.
func (t *Test) Observe(number int, pass bool) error {
	if number < 0 || number >= mostTrials {
		return fmt.Errorf("trial %d: launch numbers run from 0 to %d", number, mostTrials-1)
	}
	for len(t.results) <= number {
		t.results = append(t.results, pending)
	}
	r := failed
	if pass {
		r = passed
	}
	if old := t.results[number]; old != pending && old != r {
		return fmt.Errorf("trial %d: %w", number, ErrObserved)
	}
	t.results[number] = r
	t.judge()
	return nil
}

// judge takes in the outcomes that have no gap before them, up to the one that decides.
func (t *Test) judge() {
	for t.outcome == Undecided && t.trials < len(t.results) && t.results[t.trials] != pending {
		if t.results[t.trials] == failed {
			t.failures++
		}
		t.trials++
		t.outcome = t.design.Boundaries.at(t.trials, t.failures)
	}
}

// Design returns the design of the test.
func (t *Test) Design() Design { return t.design }

// Outcome returns where the test stands.
func (t *Test) Outcome() Outcome { return t.outcome }

// Decided reports whether the test has ended: passed, failed or used up its trials.
func (t *Test) Decided() bool { return t.outcome != Undecided }

// Trials returns the number of trials that were judged, and Failures how many of
// them failed. Once the test has ended they no longer change.
func (t *Test) Trials() int { return t.trials }

// Failures returns the number of failures among the judged trials.
func (t *Test) Failures() int { return t.failures }

// Overrun returns the number of outcomes that are known beyond the end of a test
// that has ended, and the failures among them.
func (t *Test) Overrun() (trials, failures int) {
	if !t.Decided() {
		return 0, 0
	}
	for _, r := range t.results[t.trials:] {
		if r != pending {
			trials++
		}
		if r == failed {
			failures++
		}
	}
	return trials, failures
}

// WasteFree returns how many trials beyond the judged ones are needed in any case:
// the fewest after which the test could end. So many may run at once without any
// being wasted. It is 0 once the test has ended.
func (t *Test) WasteFree() int {
	if t.Decided() {
		return 0
	}
	b := t.design.Boundaries
	for k := 1; t.trials+k < b.MaxTrials(); k++ {
		n := t.trials + k
		// All passing is the quickest way to Pass, all failing to Fail.
		if b.at(n, t.failures) != Undecided || b.at(n, t.failures+k) != Undecided {
			return k
		}
	}
	return b.MaxTrials() - t.trials
}
