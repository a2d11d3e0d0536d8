package plan

import (
	"context"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
)

// defaultStretch is max-trials over the fixed sample size where none is given: a longer
// limit saves next to nothing more, and makes the worst case dearer.
const defaultStretch = 1.4

// maxPriced is more trials than any price is multiplied with: a price is refused whose
// product with it would overflow to infinity, which JSON cannot hold.
const maxPriced = 1 << 20

// complete checks the hypotheses, sets the limit where none is given, and returns
// the fixed sample; nil where that takes more than 20,000 trials.
func (o *Options) complete() (*sprt.FixedDesign, error) {
	if err := o.Hypotheses.Validate(); err != nil {
		return nil, err
	}
	if err := checkPrices(o.PriceUSD, o.Seconds); err != nil {
		return nil, err
	}
	// The search for the fixed sample ends at 20,000 trials, so beyond it there is no default.
	fixed, found := design.FixedSample(o.Hypotheses)
	switch {
	case found && o.MaxTrials == 0:
		o.MaxTrials = int(defaultStretch * float64(fixed.Trials))
	case o.MaxTrials == 0:
		return nil, &verdict.OptionError{
			Option:  "max-trials",
			Value:   0,
			Problem: "must be given: the fixed sample size is beyond 20,000 trials",
		}
	}
	if o.Looks > 0 {
		o.Group = groupOf(o.MaxTrials, o.Looks)
	}
	if !found {
		return nil, nil
	}
	return &fixed, nil
}

// DefaultTrials is the limit of a design for which none is given, 1.4 times the fixed sample; false where
// that takes more than 20,000 trials, or there is nothing to test.
func DefaultTrials(h sprt.Hypotheses) (trials int, ok bool) {
	if h.Validate() != nil {
		return 0, false
	}
	fixed, found := design.FixedSample(h)
	return int(defaultStretch * float64(fixed.Trials)), found
}

// checkPrices refuses a price of a trial, in money or in time, that is none.
func checkPrices(usd, seconds *float64) error {
	for name, price := range map[string]*float64{"price": usd, "seconds": seconds} {
		if price != nil && !(*price >= 0 && *price <= math.MaxFloat64/maxPriced) {
			return &verdict.OptionError{
				Option:  name,
				Value:   *price,
				Problem: "must be a number that is not negative",
			}
		}
	}
	return nil
}

// Design returns the design that [Test] describes under the same options, without the time
// that the description takes: a run needs no more.
func Design(ctx context.Context, o Options) (sprt.Design, error) {
	if _, err := o.complete(); err != nil {
		return sprt.Design{}, err
	}
	if known, ok := o.known(); ok {
		return known, nil
	}
	found, err := o.design(ctx)
	return found.Design, err
}

// design returns the design, with what a search learned about it.
func (o Options) design(ctx context.Context) (found sprt.Plan, err error) {
	// The boundaries of the others are a formula that knows no groups.
	if o.Kind != sprt.OptimalKind && o.Group > 1 {
		return found, &verdict.OptionError{Option: "group", Value: o.Group, Problem: "is for optimal designs"}
	}
	switch o.Kind {
	case sprt.OptimalKind:
		return sprt.Optimal(ctx, o.Hypotheses, sprt.OptimalOptions{MaxTrials: o.MaxTrials,
			Weighting: o.Weighting, Group: o.Group, Progress: o.Progress})
	case sprt.WaldKind:
		if found.Design, err = sprt.Wald(o.Hypotheses, o.MaxTrials); err == nil {
			err = waldReaches(o.Hypotheses, o.MaxTrials)
		}
	case sprt.DensityRatioKind:
		found.Design, err = sprt.DensityRatio(o.Hypotheses, o.History, o.MaxTrials)
	default:
		err = &verdict.OptionError{Option: "design", Value: o.Kind, Problem: "must be optimal, wald or density-ratio"}
	}
	return found, err
}

// waldReaches returns a [sprt.InfeasibleError] where Wald's test is cut off before it can
// pass or fail. Such a test would be a valid one that always ends the same way, or open:
// nobody means to ask for it. The error names the least number of trials that reaches both.
func waldReaches(h sprt.Hypotheses, trials int) error {
	// Without the cut-off, see when it first can end either way.
	uncut, err := sprt.Wald(h, uncutTrials(h))
	if err != nil {
		return err
	}
	b := design.Of(uncut.Boundaries)
	pass, fail := b.StraightPasses(), b.StraightFailures()
	if trials >= max(pass, fail) || pass == 0 || fail == 0 {
		return nil
	}
	problem := fmt.Sprintf("Wald's test cannot pass before %d straight passes", pass)
	if trials >= pass {
		problem = fmt.Sprintf("Wald's test cannot fail before %d straight failures", fail)
	}
	return &sprt.InfeasibleError{Hypotheses: h, MaxTrials: trials, Problem: problem, Nearest: max(pass, fail)}
}

// uncutTrials is a cut-off that Wald's test reaches with negligible probability:
// many times the slowest rate's expected trials.
func uncutTrials(h sprt.Hypotheses) int {
	bounds := h.Bounds()
	// Sixty times the slowest lower bound, and some for tests that end at once, is chosen;
	// so is the end, which keeps the computation short.
	const most = 20_000
	return int(math.Min(60*math.Max(bounds.UpperTrials, bounds.LowerTrials)+200, most))
}
