package runs

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/verdict"
)

// addGuardrails adds up what guards kept from being done, in each test and in all: in the trials that ended, overrun
// too, since it was asked for there as well.
func (r *Result) addGuardrails(e Evidence) {
	var all, beside guardrails.Sum
	for i, t := range e.Tests {
		var one guardrails.Sum
		for _, x := range t.all {
			if x.Trial == nil {
				continue
			}
			found := guardrails.Of(x.Trial)
			if x.Baseline {
				beside.Add(found)
				continue
			}
			one.Add(found)
			all.Add(found)
		}
		r.Tests[i].Guardrails = one.Counts()
	}
	r.Guardrails, r.BaselineGuardrails = all.Counts(), beside.Counts()
}

// guardrailPaths are the parts that are taken as they are where not all trials are listed.
var guardrailPaths = []string{"guardrails", "baseline_guardrails", "scenarios.guardrails"}

// checkGuardrails compares counts that are taken as they are with what else the result says: they add up, the tests are
// the whole, and what is listed of trials is in them.
func (r *Result) checkGuardrails() error {
	var sum, beside guardrails.Counts
	for i := range r.Tests {
		t := &r.Tests[i]
		path := fmt.Sprintf("scenarios[%d].guardrails", i)
		ended := len(t.Outcomes) - strings.Count(t.Outcomes, ".")
		if err := checkGuarded(path, t.Guardrails, ended, r.listed(t.Name, false)); err != nil {
			return err
		}
		sum = plusCounts(sum, t.Guardrails)
		if x := t.Regression; x != nil {
			beside.Guarded += len(x.Outcomes) - strings.Count(x.Outcomes, ".")
		}
	}
	if have := plusCounts(guardrails.Counts{}, r.Guardrails); !equalCounts(have, sum) {
		return &verdict.DifferenceError{
			Path: "guardrails", Have: countsText(have), Want: countsText(sum) + ", the sum of its scenarios",
		}
	}
	if err := checkGuarded("guardrails", r.Guardrails, sum.Guarded, nil); err != nil {
		return err
	}
	return checkGuarded("baseline_guardrails", r.BaselineGuardrails, beside.Guarded, r.listed("", true))
}

// listed is what is listed of the trials of a test, or of all of the baseline.
func (r *Result) listed(test string, ofBaseline bool) *guardrails.Counts {
	var sum guardrails.Sum
	for i := range r.Trials {
		if x := &r.Trials[i]; x.Baseline == ofBaseline && (ofBaseline || x.Test == test) {
			sum.Add(x.Guardrails)
		}
	}
	return sum.Counts()
}

// checkGuarded compares counts with the number of trials that ended, and with what is listed of them.
func checkGuarded(path string, c *guardrails.Counts, ended int, listed *guardrails.Counts) error {
	have, least := plusCounts(guardrails.Counts{}, c), plusCounts(guardrails.Counts{}, listed)
	if have.Guarded < least.Guarded || have.Trials < least.Trials || have.Denied < least.Denied ||
		have.Killed < least.Killed {
		return &verdict.DifferenceError{
			Path: path, Have: countsText(have), Want: "at least " + countsText(least) + ", as its trials say",
		}
	}
	if c == nil {
		return nil
	}
	if c.Guarded > ended {
		return &verdict.DifferenceError{Path: path + ".guarded", Have: fmt.Sprint(c.Guarded), Want: fmt.Sprintf(
			"at most %d", ended)}
	}
	if name, have, want := c.Problem(); name != "" {
		return &verdict.DifferenceError{Path: path + "." + name, Have: have, Want: want}
	}
	return nil
}

// plusCounts adds counts without their clauses; nil is none.
func plusCounts(sum guardrails.Counts, c *guardrails.Counts) guardrails.Counts {
	if c != nil {
		sum.Guarded, sum.Trials = sum.Guarded+c.Guarded, sum.Trials+c.Trials
		sum.Denied, sum.Killed = sum.Denied+c.Denied, sum.Killed+c.Killed
	}
	return sum
}

// equalCounts compares counts but for their clauses.
func equalCounts(a, b guardrails.Counts) bool {
	return a.Guarded == b.Guarded && a.Trials == b.Trials && a.Denied == b.Denied && a.Killed == b.Killed
}

// countsText is counts for a person.
func countsText(c guardrails.Counts) string {
	return fmt.Sprintf("%d denied and %d killed in %d of %d trials", c.Denied, c.Killed, c.Trials, c.Guarded)
}
