package runs

import (
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
)

// driftLevel is the level of the test of order: a run whose agent does not change is warned of once in a hundred times.
// It is chosen, and small: every run is tested.
const driftLevel = 0.01

// warnDrift warns where failures lie so early or so late in the order of launch that the agent, or what it is asked of,
// may have changed while the run went on. Tests in rounds have another order, and those with errors are left out: what
// their trials would have come to is not known.
func (r *Result) warnDrift(e Evidence) {
	var tests []sprt.OrderedTest
	for i, t := range e.Tests {
		if t.Against != nil || t.Joint != nil || r.Tests[i].Errors > 0 {
			continue
		}
		o := sprt.OrderedTest{Boundaries: t.Design.Boundaries}
		for _, x := range t.gathered().Trials[:r.Tests[i].Trials] {
			came, _ := x.outcome()
			o.Failed = append(o.Failed, came == trial.Fail)
		}
		tests = append(tests, o)
	}
	p, later, ok := sprt.OrderP(tests, e.Seed)
	if !ok || p > driftLevel {
		return
	}
	where := "earlier"
	if later {
		where = "later"
	}
	r.Warnings = append(r.Warnings,
		warnDrift.Warning("failures lie %s in the order of launch than chance would have them (p %s): "+
			"the agent, or what it asks, may have changed while the run went on, and no rate is that of all its trials", where,
			phrase.Significant(p)))
}
