package verdict

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
)

func describeDesign(d sprt.Design, group int) (DesignPlan, error) {
	lattice, err := d.Boundaries.Lattice()
	if err != nil {
		return DesignPlan{}, err
	}
	errors, err := d.Errors()
	if err != nil {
		return DesignPlan{}, err
	}
	plan := DesignPlan{
		Kind: d.Kind.String(), MaxTrials: d.Boundaries.MaxTrials(), Group: group,
		Alpha: errors.Alpha, Beta: errors.Beta,
		Gates:      errors.Within(d.Hypotheses),
		Boundaries: planBoundaries(d.Boundaries),
		Digest:     d.Digest(),
	}
	if plan.Gates && plan.MaxTrials <= mostCertified {
		certificate, err := d.Certify()
		if err != nil {
			return DesignPlan{}, err
		}
		plan.Certified = certificate.Holds()
		plan.Gates = plan.Certified
	}
	for _, rate := range ladder(d.Hypotheses) {
		c := lattice.At(rate)
		plan.Points = append(plan.Points, PlanPoint{rate, c.Pass, c.Fail, c.Inconclusive, c.ExpectedTrials, lattice.Quantile(rate, 0.95)})
	}
	return plan, nil
}

// mostCertified bounds the trials of designs that are confirmed in integers, whose
// digits grow with them.
const mostCertified = 5_000

func planBoundaries(b sprt.Boundaries) PlanBoundaries {
	p := PlanBoundaries{PassAtOrBelow: b.PassAtOrBelow, FailAtOrAbove: make([]*int, len(b.FailAtOrAbove))}
	for i, fail := range b.FailAtOrAbove {
		if fail != sprt.Never {
			p.FailAtOrAbove[i] = pointer(fail)
		}
	}
	return p
}

func (p *Plan) addPrice(o PlanOptions) {
	if o.PriceUSD == nil && o.Seconds == nil {
		return
	}
	spend := func(trials float64) Spending {
		var s Spending
		if o.PriceUSD != nil {
			s.USD = pointer(*o.PriceUSD * trials)
		}
		if o.Seconds != nil {
			s.Seconds = pointer(*o.Seconds * trials)
		}
		return s
	}
	price := &Price{PerTrialUSD: o.PriceUSD, SecondsPerTrial: o.Seconds, Worst: spend(float64(p.Design.MaxTrials))}
	if p.Fixed != nil {
		price.Fixed = pointer(spend(float64(p.Fixed.Trials)))
	}
	for _, point := range p.Design.Points {
		price.Points = append(price.Points, PricePoint{point.P, spend(point.ASN)})
	}
	p.Price = price
}

// Warnings of a plan.
const (
	WarnMayEndInconclusive Code = "may-end-inconclusive"
	WarnErrorsExceed       Code = "errors-exceed-targets"
)

func (p *Plan) warn(o PlanOptions) {
	add := func(w Warning) { p.Warnings = append(p.Warnings, w) }
	worst := PlanPoint{}
	for _, point := range p.Design.Points {
		if point.Inconclusive > worst.Inconclusive {
			worst = point
		}
	}
	if p.Fixed != nil && p.Design.MaxTrials < p.Fixed.Trials {
		add(warning(WarnMayEndInconclusive, "%d trials cannot force a decision, which takes %d: at a pass rate of %s the test ends Inconclusive with probability %s",
			p.Design.MaxTrials, p.Fixed.Trials, shortRate(worst.P), percent(worst.Inconclusive)))
	} else if worst.Inconclusive > 1e-6 {
		add(warning(WarnMayEndInconclusive, "at a pass rate of %s the test uses up its %d trials undecided with probability %s",
			shortRate(worst.P), p.Design.MaxTrials, percent(worst.Inconclusive)))
	}
	if !p.Design.Gates {
		add(warning(WarnErrorsExceed, "the exact errors exceed their targets: %s; no gate may rest on this design", p.exceeding()))
	}
}

// shortRate writes a rate of the ladder, which need not be a round one.
func shortRate(x float64) string { return number(math.Round(x*1e4) / 1e4) }

func (p *Plan) exceeding() string {
	text := ""
	if p.Design.Alpha > p.Alpha {
		text = fmt.Sprintf("alpha is %s, not %s", percent(p.Design.Alpha), percent(p.Alpha))
	}
	if p.Design.Beta > p.Beta {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("beta is %s, not %s", percent(p.Design.Beta), percent(p.Beta))
	}
	return text
}
