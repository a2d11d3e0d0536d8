package calibration

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/twophase"
	"github.com/tribunal-dev/tribunal/verdict"
)

// calibrateLabels measures claims about a true pass rate that rest on a judge of all trials and on labels of some,
// drawn
// from the judge's passes and from its failures.
//
// All samples are enumerated: how many trials the judge passes, and how many labels of either kind pass. The promise is
// made to whoever deploys on such a claim: a certified one is false with alpha at most, whatever the judge is worth; a
// calibrated one with [verdict.CalibratedError] at most in these settings, which are examples and no bound of others.
func calibrateLabels(c *calibrator) error {
	settings := labelSettings(c)
	if err := c.each(len(settings), func(c *calibrator, i int) error {
		return c.falseClaims(twophase.Calibrated, settings[i], atMost(verdict.CalibratedError))
	}); err != nil {
		return err
	}
	certified := certifiedSettings(c)
	if err := c.each(len(certified), func(c *calibrator, i int) error {
		return c.falseClaims(twophase.Certified, certified[i], atMost(labelAlpha))
	}); err != nil {
		return err
	}
	return c.labelPower()
}

// labelAlpha is the one-sided error that is asked for.
const labelAlpha = .05

// labelSetting is a setting: trials of a true rate, a judge, and so many labels.
type labelSetting struct {
	judged, labels           int
	rate                     float64
	sensitivity, specificity float64 // of the judge
	below                    bool    // the claim is that the rate is lower than it is
}

func (l labelSetting) String() string {
	side := "above"
	if l.below {
		side = "below"
	}
	return fmt.Sprintf("%d of %d, rate %v, judge %v/%v, %s", l.labels, l.judged, l.rate, l.sensitivity, l.specificity,
		side)
}

// labelSettings are 200, from 30 labels on: rates from a half to .95, judges from good to such that pass nearly all,
// and
// both sides.
func labelSettings(c *calibrator) (all []labelSetting) {
	judges := [][2]float64{{.95, .95}, {.9, .8}, {.8, .9}, {.99, .5}, {.7, .7}}
	for _, labels := range pick(c, []int{30}, []int{30, 50}) {
		for _, judged := range pick(c, []int{60}, []int{150, 550}) {
			for _, rate := range pick(c, []float64{.9}, []float64{.5, .7, .8, .9, .95}) {
				for _, j := range pick(c, judges[:2], judges) {
					for _, below := range []bool{false, true} {
						all = append(all, labelSetting{judged, labels, rate, j[0], j[1], below})
					}
				}
			}
		}
	}
	return all
}

// certifiedSettings are fewer, as each p-value is proved for all judges.
func certifiedSettings(c *calibrator) (all []labelSetting) {
	for _, rate := range pick(c, []float64{.9}, []float64{.7, .9}) {
		for _, j := range pick(c, [][2]float64{{.9, .8}}, [][2]float64{{.95, .95}, {.9, .8}, {.99, .5}}) {
			for _, below := range []bool{false, true} {
				all = append(all, labelSetting{pick(c, 40, 60), pick(c, 12, 30), rate, j[0], j[1], below})
			}
		}
	}
	return all
}

// falseClaims adds the chance that a rate is claimed to lie beyond what it is.
func (c *calibrator) falseClaims(m twophase.Method, l labelSetting, p promise) error {
	rate, err := l.claims(c.ctx, m, l.rate)
	if err != nil {
		return err
	}
	kind := falsePass
	if l.below {
		kind = falseFail
	}
	c.exact([]string{"certified", "calibrated"}[m], l.String(), kind, rate, p)
	return nil
}

// labelPower is the chance that a rate of .9 is found to be above .8 with 50 labels of 550 trials and a judge that is
// right in .95, and with labels of 50 trials alone: the exact binomial test.
func (c *calibrator) labelPower() error {
	l := labelSetting{judged: 550, labels: 50, rate: .9, sensitivity: .95, specificity: .95}
	const threshold = .8
	power, err := l.claims(c.ctx, twophase.Calibrated, threshold)
	if err != nil {
		return err
	}
	setting := fmt.Sprintf("%d of %d, rate %v, threshold %v, judge .95/.95", l.labels, l.judged, l.rate, threshold)
	c.exact("calibrated", setting, missed, 1-power, atMost(.07))
	alone, mass := binomialMasses(l.labels, threshold), binomialMasses(l.labels, l.rate)
	tail, found := 0.0, 0.0
	for k := l.labels; k >= 0; k-- {
		if tail += alone[k]; tail > labelAlpha {
			break
		}
		found += mass[k]
	}
	c.exact("labels alone", fmt.Sprintf("%d, rate %v, threshold %v", l.labels, l.rate, threshold), missed, 1-found,
		unpromised(.07))
	return nil
}

// claims is the exact chance that a method claims a rate beyond a threshold, over all samples but those whose number of
// the judge's passes, and of its failures that pass, have a chance below 1e-7 together: those count as claims.
//
// The p-value falls with every label that passes more, so that the least number with a claim is looked for, beginning
// where it was for the sample beside it.
func (l labelSetting) claims(ctx context.Context, m twophase.Method, threshold float64) (float64, error) {
	p := l.rate
	share := p*l.sensitivity + (1-p)*(1-l.specificity) // that the judge passes
	ofPassed, ofFailed := p*l.sensitivity/share, p*(1-l.sensitivity)/(1-share)
	const negligible = 1e-7
	chance := 0.0
	need := 0
	for passed, mass := range binomialMasses(l.judged, share) {
		if mass < negligible {
			chance += mass
			continue
		}
		n1, n0 := twophase.Allocate(l.labels, l.judged, passed)
		mass1, mass0 := binomialMasses(n1, ofPassed), binomialMasses(n0, ofFailed)
		for wrong := range n0 + 1 { // labels of its failures that pass
			claim := func(right int) (bool, error) {
				if right < 0 || right > n1 {
					return right > n1 != l.below, nil
				}
				s := twophase.Sample{
					Judged: l.judged, Passed: passed, OfPassed: stats.Counts{Passes: right, Trials: n1},
					OfFailed: stats.Counts{Passes: wrong, Trials: n0},
				}
				test := m.Above
				if l.below {
					test = m.Below
				}
				q, err := test(ctx, s, threshold)
				return q <= labelAlpha, err
			}
			if mass*mass0[wrong] < negligible {
				chance += mass * mass0[wrong]
				continue
			}
			var err error
			if need, err = firstBeyond(min(max(need, 0), n1+1), claim, l.below); err != nil {
				return 0, err
			}
			tail := 0.0
			for right, m := range mass1 {
				if right >= need != l.below {
					tail += m
				}
			}
			chance += mass * mass0[wrong] * tail
		}
	}
	return chance, nil
}

// firstBeyond is the least number from which on there is a claim; where claims are for few, the least from which on
// there is none. It begins at a guess and goes from there one by one.
func firstBeyond(guess int, claim func(int) (bool, error), few bool) (int, error) {
	for {
		here, err := claim(guess)
		if err != nil {
			return 0, err
		}
		if here == few { // no claim for many, or one for few: it lies above
			guess++
			continue
		}
		before, err := claim(guess - 1)
		if err != nil || before == few {
			return guess, err
		}
		guess--
	}
}
