package compliance

import (
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial/oracle/contract"
	"github.com/tribunal-dev/tribunal/verdict"
)

// countsOf are a tally with the exact interval of its rate, at level 1-alpha.
func countsOf(t contract.Tally, alpha float64) (Counts, error) {
	c := Counts{
		Trials:       t.Total(),
		Kept:         t.Kept,
		Violated:     t.Violated,
		Unjudged:     t.Unjudged,
		Inapplicable: t.Inapplicable,
	}
	return c, c.measure(alpha)
}

// measure sets the rate and its exact interval, Clopper and Pearson's. What could not be
// judged counts against the low limit and for the high one: so the interval holds whatever
// became of those trials. Rate and interval are nil where nothing was judged.
func (c *Counts) measure(alpha float64) error {
	c.Rate, c.Interval = nil, nil
	judged := stats.Counts{Passes: c.Kept, Trials: c.Kept + c.Violated}
	if judged.Trials == 0 {
		return nil
	}
	all := judged.Trials + c.Unjudged
	// The low limit of the worst case, and the high one of the best.
	low, err := stats.ClopperPearson(stats.Counts{Passes: c.Kept, Trials: all}, alpha)
	if err != nil {
		return err
	}
	high, err := stats.ClopperPearson(stats.Counts{Passes: c.Kept + c.Unjudged, Trials: all}, alpha)
	if err != nil {
		return err
	}
	c.Rate = new(judged.Rate())
	c.Interval = &verdict.Interval{
		Method: stats.ClopperPearsonInterval.String(),
		Level:  1 - alpha,
		Low:    low.Low,
		High:   high.High,
	}
	return nil
}

// satisfactionOf computes what the promise of the contract is worth after these trials; the
// order of the judged ones matters for the windows alone.
func satisfactionOf(s *contract.Summary, alpha float64) (*Satisfaction, error) {
	found, err := contract.Satisfy(s.Contract.Promise, s.Sequence, s.Trials.Unjudged, alpha)
	if err != nil {
		return nil, err
	}
	return satisfaction(found), nil
}

// satisfaction is the form that results hold of it.
func satisfaction(found *contract.Satisfaction) *Satisfaction {
	r := &Satisfaction{
		Promise: found.Promise, Trials: found.Trials, Kept: found.Kept, Rate: found.Rate, Low: found.Low,
		Needed: found.Needed, Chance: found.Chance, Reached: found.Reached,
	}
	r.Windows.Count, r.Windows.Satisfied, r.Windows.Worst = found.Windows.Count, found.Windows.Satisfied,
		found.Windows.Worst
	return r
}
