package relations

import (
	"context"
	"math"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
)

// JudgeRecorded says which relations hold by pairs that were recorded, whose numbers were fixed before. The excess over
// controls is tested by Boschloo's exact test, and excluded by the exact test of non-inferiority; all tests that may
// fail are corrected by Holm. Errors are counted both ways. [errEmpty] is for none.
func JudgeRecorded(
	ctx context.Context, suite, digest string, claims []Claim, list []RecordedPairs, o Options,
) (*Result, error) {
	if len(list) == 0 {
		return nil, errEmpty
	}
	r := begun(suite, digest, claims, o)
	r.Recorded = list
	type test struct {
		relation *JudgedRelation
		cell     *Cell
		pairPValues
	}
	var tests []test
	var p []float64
	for i := range list {
		j, err := r.of(list[i].Relation)
		if err != nil {
			return nil, err
		}
		cell, f, err := recordedCell(ctx, &list[i], j.Claim, o)
		if err != nil {
			return nil, err
		}
		tests = append(tests, test{j, &cell, f})
		p = append(p, f.excess, f.high)
	}
	adjusted, err := multiplicity.Adjust(multiplicity.Holm, p)
	if err != nil {
		return nil, err
	}
	for i, t := range tests {
		excess, high := adjusted[2*i] <= o.Alpha, adjusted[2*i+1] <= o.Alpha
		switch {
		case excess || high:
			t.cell.Verdict = verdict.Fail
		case t.excluded <= o.Beta && t.low <= o.Beta && (t.cell.Control != nil || t.relation.MaxViolationRate != nil):
			t.cell.Verdict = verdict.Pass
		}
		t.cell.conclude(t.relation.Claim, o.Baseline != "", excess, "")
		t.relation.Scenarios = append(t.relation.Scenarios, *t.cell)
	}
	r.decide()
	return r, nil
}

// pairPValues are the p-values of a relation in a scenario; 1 of what is not tested, and 0 of what need not be
// excluded.
type pairPValues struct {
	excess   float64 // against no excess
	excluded float64 // against an excess of delta
	high     float64 // against a rate of violations at its bound
	low      float64 // against one that is higher by delta
}

// recordedCell counts the pairs of a relation in a scenario, and tests what is claimed of them.
func recordedCell(ctx context.Context, x *RecordedPairs, c Claim, o Options) (Cell, pairPValues, error) {
	cell := Cell{Scenario: x.Scenario, Vacuous: x.Vacuous, Example: append([]Example{}, x.Examples...)}
	f := pairPValues{excess: 1, high: 1}
	var err error
	if cell.FollowUp, err = marked(x.FollowUps); err != nil {
		return cell, f, err
	}
	n := cell.FollowUp
	if x.Controls != "" {
		control, err := marked(x.Controls)
		if err != nil {
			return cell, f, err
		}
		cell.Control = &control
		if f.excess, err = stats.Boschloo(ctx, holding(control, control.Violations+control.Errors),
			holding(n, n.Violations)); err != nil {
			return cell, f, err
		}
		cell.P = &f.excess
		best, worst := holding(control, control.Violations), holding(n, n.Violations+n.Errors)
		if f.excluded, err = stats.NonInferiority(ctx, best, worst, c.Delta); err != nil {
			return cell, f, err
		}
		if n.Errors+control.Errors == 0 {
			interval, err := stats.MiettinenNurminen(best, worst, confidence)
			if err != nil {
				return cell, f, err
			}
			cell.Excess = &Excess{Estimate: *n.Rate - *control.Rate, Level: 1 - confidence, Low: -interval.High,
				High: -interval.Low}
		}
	}
	if most := c.MaxViolationRate; most != nil {
		if f.high, err = stats.BinomialTestGreater(violating(n, n.Violations), *most); err != nil {
			return cell, f, err
		}
		if f.low, err = stats.BinomialTestLess(violating(n, n.Violations+n.Errors), math.Min(*most+c.Delta, 1)); err != nil {
			return cell, f, err
		}
	}
	return cell, f, nil
}

// holding are the pairs that hold.
func holding(r Rate, violations int) stats.Counts {
	return stats.Counts{Passes: r.Pairs - violations, Trials: r.Pairs}
}

// violating are the pairs that do not.
func violating(r Rate, violations int) stats.Counts {
	return stats.Counts{Passes: violations, Trials: r.Pairs}
}

// marked is the rate of marks.
func marked(marks string) (Rate, error) {
	violations, errors := strings.Count(marks, "F"), strings.Count(marks, "E")
	if violations+errors+strings.Count(marks, "P") != len(marks) || marks == "" {
		return Rate{}, &verdict.DifferenceError{Path: "recorded", Have: prose.Quote(marks), Want: "marks P, F and E"}
	}
	return rated(len(marks), violations, errors, fixed)
}

// warnRecorded says what of recorded pairs to know.
func (r *Result) warnRecorded() {
	shared, without := 0, 0
	for _, x := range r.Recorded {
		shared += x.Shared
		if x.Controls == "" {
			without++
		}
	}
	if shared > 0 {
		r.Warnings = append(r.Warnings,
			warnSharedSources.Warning("%s %s compared both with a follow-up and with a control: the two "+
				"rates depend on each other, and the p-value is not exact", prose.Count(shared, "source"),
				prose.Form(shared, "is", "are")))
	}
	if without > 0 && r.Asked.Baseline == "" {
		r.Warnings = append(r.Warnings,
			warnNoControls.Warning("%s no pairs of equal inputs: how often the agent disagrees with itself "+
				"is not known", prose.Count(without, "recorded relation")+" "+prose.Form(without, "has", "have")))
	}
}
