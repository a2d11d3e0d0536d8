package runner

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/suite"
)

// expectedRate is the pass rate of a baseline that is not recorded yet; chosen, as that of plans.
const expectedRate = 0.95

// warnSmall tells, before a recording is run, of tests of the suite that need a larger one: those against a stored
// baseline, at the part of the alpha that a gate leaves them.
func (d *designer) warnSmall(list []testSpec, variants int) {
	if d.prepare.Record == 0 || d.prepare.Warn == nil {
		return
	}
	questions, told, option := 0, map[string]bool{}, "--record"
	if d.prepare.ForBaseline {
		option = "--trials"
	}
	for _, spec := range list {
		if spec.test.Threshold != 0 {
			questions += variants
		}
		if d.againstRecorded(spec.test) {
			questions += variants
		}
	}
	if !d.suite.Gated() {
		questions = 1
	}
	for _, spec := range list {
		t := spec.test
		rate := max(expectedRate, t.Threshold)
		if !d.againstRecorded(t) || rate <= t.Delta || t.Against.Guard != 0 {
			continue
		}
		q := baseline.Question{Delta: t.Delta, Alpha: t.Alpha / float64(questions), Beta: t.Beta}
		each := (q.Enough(rate) + len(spec.scenarios) - 1) / len(spec.scenarios)
		if d.suite.Test.Joint() { // one question about the mean of all
			each = t.Enough(d.scenarios, rate)
		}
		if each <= d.prepare.Record {
			continue
		}
		beside := ""
		if questions > 1 {
			beside = fmt.Sprintf(" beside %s", prose.Count(questions-1, "other test"))
		}
		text := fmt.Sprintf("to tell a drop of %v%s a baseline that passes %v of its trials takes about %d of each "+
			"scenario, and %d are recorded: %s %d", t.Delta, beside, rate, each, d.prepare.Record, option, each)
		if !told[text] {
			told[text] = true
			d.prepare.Warn(text)
		}
	}
}

// againstRecorded reports whether the suite has a test compared with trials that were recorded.
func (d *designer) againstRecorded(t suite.Test) bool {
	return t.AttackSuccess == 0 && !t.Against.SideBySide &&
		(t.Against.Baseline != "" || d.suite.Gate.Baseline != "" || d.prepare.ForBaseline)
}
