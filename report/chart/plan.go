package chart

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict/plan"
)

// errNothing says that there is nothing to draw.
var errNothing = errors.New("no plan to draw")

// errNoCoverage says that there is no coverage to draw.
var errNoCoverage = errors.New("no coverage to draw")

// curvePoints is how many rates the curves are drawn through. Chosen: a step of one
// per cent of the width, which looks smooth.
const curvePoints = 101

// Plan draws a plan as an SVG document of three panels: the boundaries, failures
// against trials; the expected trials at every pass rate, with Wald's test and the
// fixed sample beside them; and the operating characteristic, the probabilities of
// the outcomes at every pass rate.
func Plan(w io.Writer, p *plan.Plan) error {
	if p == nil {
		return errNothing
	}
	// A saved plan may be without its boundaries, or have been edited.
	if n := p.Design.MaxTrials; n < 1 || n != len(p.Design.Boundaries.PassAtOrBelow) ||
		n != len(p.Design.Boundaries.FailAtOrAbove) {
		return plan.ErrNoBoundaries
	}
	curves, err := p.Curves(curvePoints)
	if err != nil {
		return fmt.Errorf("chart: %w", err)
	}
	boundaries, err := boundariesPanel(p)
	if err != nil {
		return err
	}
	expected, err := expectedPanel(p, curves)
	if err != nil {
		return err
	}
	characteristic, err := characteristicPanel(p, curves)
	if err != nil {
		return err
	}
	s := newSheet(planTitle(p))
	upper, left, right := s.panels()
	boundaries.Draw(upper)
	expected.Draw(left)
	characteristic.Draw(right)
	return s.writeTo(w)
}

// planTitle asks the question of the test and says which design answers it.
func planTitle(p *plan.Plan) (question, answer string) {
	return fmt.Sprintf("Is the pass rate at least %s, or only %s or less?", rate(p.Threshold), rate(p.LowerRate())),
		fmt.Sprintf("%s design, at most %s, exact errors: false Fail %s, false Pass %s",
			p.Design.Kind, prose.Count(p.Design.MaxTrials, "trial"), percent(p.Design.Alpha), percent(p.Design.Beta))
}

// rate writes a pass rate with at most four decimals.
func rate(x float64) string {
	text := strconv.FormatFloat(x, 'f', 4, 64)
	for len(text) > 1 && text[len(text)-1] == '0' {
		text = text[:len(text)-1]
	}
	if text[len(text)-1] == '.' {
		text = text[:len(text)-1]
	}
	return text
}

// percent writes an exact error with five significant digits, as the reports do, so
// that it is seen to be below its target.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 5, 64) + "%" }
