package plan

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// describeDesign computes all that is to be said of one design: its exact errors, whether a
// gate may rest on it, and what it does at the rates of the ladder. The group is the number
// of trials between two looks.
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
		Boundaries: design.Of(d.Boundaries),
		Digest:     d.Digest(),
	}
	// Errors are computed in floating point; of designs that are short enough they are also
	// confirmed in exact fractions, and those have the last word.
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
		plan.Points = append(
			plan.Points,
			design.Point{
				P:            rate,
				Pass:         c.Pass,
				Fail:         c.Fail,
				Inconclusive: c.Inconclusive,
				ASN:          c.ExpectedTrials,
				Q95:          lattice.Quantile(rate, 0.95),
			},
		)
	}
	return plan, nil
}

// mostCertified bounds the trials of designs that are confirmed in integers, whose digits
// grow with them, and so does the time. The number is chosen.
const mostCertified = 5_000

// addPrice says what the trials of the plan cost.
func (p *Plan) addPrice(o Options) {
	fixed := 0
	if p.Fixed != nil {
		fixed = p.Fixed.Trials
	}
	p.Price = priced(o.PriceUSD, o.Seconds, p.Design.MaxTrials, fixed, p.Design.Points)
}

// priced says what trials cost: of the fixed test, 0 where there is none, at worst, and
// expected at each rate. Money and time are told apart: either may be unknown. It is nil
// where both are.
func priced(usd, seconds *float64, worst, fixed int, points []design.Point) *Price {
	if usd == nil && seconds == nil {
		return nil
	}
	spend := func(trials float64) Spending {
		var s Spending
		if usd != nil {
			s.USD = new(*usd * trials)
		}
		if seconds != nil {
			s.Seconds = new(*seconds * trials)
		}
		return s
	}
	// Trials one after the other: what runs at the same time takes less time, not less money.
	price := &Price{PerTrialUSD: usd, SecondsPerTrial: seconds, Worst: spend(float64(worst))}
	if fixed > 0 {
		price.Fixed = new(spend(float64(fixed)))
	}
	for _, point := range points {
		price.Points = append(price.Points, PricePoint{point.P, spend(point.ASN)})
	}
	return price
}

// Warnings of a plan.
const (
	warnMayEndInconclusive verdict.Code = "may-end-inconclusive"
	warnBaselineAccepted   verdict.Code = "baseline-accepted-by-outcome"
)

// warn says what to know of the design before a trial is paid for.
func (p *Plan) warn(o Options) {
	add := func(w verdict.Warning) { p.Warnings = append(p.Warnings, w) }
	// The rate of the ladder at which the test most often ends undecided.
	worst := design.Point{}
	for _, point := range p.Design.Points {
		if point.Inconclusive > worst.Inconclusive {
			worst = point
		}
	}
	// Below the fixed sample size no test with these errors can always decide.
	if p.Fixed != nil && p.Design.MaxTrials < p.Fixed.Trials {
		add(warnMayEndInconclusive.Warning(
			"%s cannot force a decision, which takes %d: at a true pass rate of %s, %s of runs end undecided",
			prose.Count(p.Design.MaxTrials, "trial"), p.Fixed.Trials, phrase.Rate(worst.P), phrase.Chance(worst.Inconclusive)))
	} else if worst.Inconclusive > 1e-6 {
		add(warnMayEndInconclusive.Warning(
			"at a true pass rate of %s, %s of runs use up their %s and end undecided",
			phrase.Rate(worst.P), phrase.Chance(worst.Inconclusive), prose.Count(p.Design.MaxTrials, "trial")))
	}
	if o.Baseline != nil && !acceptsAll(o.Baseline.Counts.Trials, o.Delta, o.Gamma) {
		add(warnBaselineAccepted.Warning(
			"the errors are promised over all baselines of %s, with a chance of %s that this one breaks them; so few "+
				"trials are taken only where many pass, or few, and of the baselines that are taken a larger share may break "+
				"them", prose.Count(o.Baseline.Counts.Trials, "trial"), phrase.Percent(o.Gamma)))
	}
	if !p.Design.Gates {
		add(design.WarnErrorsExceed.Warning(
			"this test errs more often than was asked for: %s; no gate may rest on this design",
			p.exceeding()))
	}
}

// acceptsAll reports whether a baseline of so many trials tells a drop of delta whatever it
// comes to: limits are widest where half of the trials pass.
func acceptsAll(trials int, delta, gamma float64) bool {
	limits, err := stats.ClopperPearson(stats.Counts{Passes: trials / 2, Trials: trials}, gamma)
	return err == nil && limits.Width() < delta
}

// exceeding names the errors that are above their targets, with both numbers.
func (p *Plan) exceeding() string {
	text := ""
	if p.Design.Alpha > p.Alpha {
		text = fmt.Sprintf("a false Fail in up to %s of runs, not %s", phrase.Percent(p.Design.Alpha),
			phrase.Percent(p.Alpha))
	}
	if p.Design.Beta > p.Beta {
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("a false Pass in up to %s of runs, not %s", phrase.Percent(p.Design.Beta), phrase.Percent(p.Beta))
	}
	return text
}
