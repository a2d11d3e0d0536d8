package runs

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Look counts this run after earlier ones of the same scenarios with the same agent, which is known by what was
// compared. The verdict stays what it is.
func (r *Result) Look(earlier []verdict.Look, declared int, compared string) {
	r.Looks = verdict.NewLooks(earlier, declared, r.Risk())
	r.Looks.Compared = compared
	r.Warnings = append(r.Warnings, r.Looks.Warnings()...)
}

// LedgerChanged says that the ledger of looks was changed while the trials ran.
func (r *Result) LedgerChanged(name string) {
	if r.Looks == nil {
		r.Look(nil, 0, "")
	}
	r.Looks.Changed = name
	r.Warnings = append(r.Warnings, verdict.WarnLedger.Warning("%s", r.Looks.ChangedText()))
}

// DesignedRisk is what [Result.Risk] will be of a run with these tests, before its first trial.
func DesignedRisk(tests []TestEvidence, c *multiplicity.Correction) verdict.Risk {
	r := Result{Correction: c}
	seen := map[*Joint]bool{}
	for _, e := range tests {
		if e.Joint != nil {
			if !seen[e.Joint] {
				seen[e.Joint] = true
				for _, d := range e.Joint.Designs {
					r.SuiteTests = append(r.SuiteTests, SuiteTest{Promise: d.Promise()})
				}
			}
			continue
		}
		var t Test
		h := e.Design.Hypotheses
		t.Design.MaxTrials, t.Design.Alpha, t.Design.Beta = e.Design.Boundaries.MaxTrials(), h.Alpha, h.Beta
		if a := e.Against; a != nil && a.Stored != nil {
			h := a.Stored.Family.Hypotheses()
			t.Regression = &Regression{Alpha: h.Alpha, Beta: h.Beta}
		} else if a != nil && a.Rounds != nil {
			h := a.Rounds.Hypotheses()
			t.Regression = &Regression{Alpha: h.Alpha, Beta: h.Beta}
		}
		r.Tests = append(r.Tests, t)
	}
	return r.Risk()
}

// Risk bounds the errors of the verdict on all tests. Pass needs every test to pass, so it is
// wrong with the chance of the likeliest wrong one at most. Fail needs one to fail: their
// chances add up, but with a correction for their number to the largest alpha at most.
func (r *Result) Risk() (risk verdict.Risk) {
	risk.Bound = true
	sum, largest := 0.0, 0.0
	for i := range r.Tests {
		alpha, beta := r.Tests[i].errors()
		sum, largest = sum+alpha, math.Max(largest, alpha)
		risk.FalsePass = math.Max(risk.FalsePass, beta)
	}
	for i := range r.SuiteTests {
		p := r.SuiteTests[i].Promise
		sum, largest = sum+p.FalseFail, math.Max(largest, p.FalseFail)
		risk.FalsePass = math.Max(risk.FalsePass, p.FalsePass)
	}
	risk.FalseFail = math.Min(sum, 1)
	if c := r.Correction; c != nil && *c == multiplicity.Holm {
		risk.FalseFail = largest
	}
	return risk
}

// errors bound those of a test. Where it is held to a threshold and to a baseline, a Fail of
// either fails it, and a Pass needs both.
func (t *Test) errors() (alpha, beta float64) {
	if t.Design.MaxTrials > 0 {
		alpha, beta = t.Design.Alpha, t.Design.Beta
	}
	if g := t.Regression; g != nil {
		alpha, beta = math.Min(alpha+g.Alpha, 1), math.Max(beta, g.Beta)
	}
	return alpha, beta
}
