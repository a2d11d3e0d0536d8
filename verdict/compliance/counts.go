package compliance

import (
	"github.com/tribunal-dev/tribunal/oracle/contract"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// countsOf are a tally with the exact interval of its rate. What could not be
// judged counts against the low limit and for the high one.
func countsOf(t contract.Tally, alpha float64) (Counts, error) {
	c := Counts{Trials: t.Total(), Kept: t.Kept, Violated: t.Violated, Unjudged: t.Unjudged, Inapplicable: t.Inapplicable}
	if t.Judged() == 0 {
		return c, nil
	}
	rate := stats.Counts{Passes: t.Kept, Trials: t.Judged()}.Rate()
	all := t.Judged() + t.Unjudged
	low, err := stats.ClopperPearson(stats.Counts{Passes: t.Kept, Trials: all}, alpha)
	if err != nil {
		return c, err
	}
	high, err := stats.ClopperPearson(stats.Counts{Passes: t.Kept + t.Unjudged, Trials: all}, alpha)
	if err != nil {
		return c, err
	}
	c.Rate = &rate
	c.Interval = &verdict.Interval{Method: stats.ClopperPearsonInterval.String(), Level: 1 - alpha, Low: low.Low, High: high.High}
	return c, nil
}

func satisfactionOf(s *contract.Summary, alpha float64) (*Satisfaction, error) {
	found, err := contract.Satisfy(s.Contract.Promise, s.Sequence, s.Trials.Unjudged, alpha)
	if err != nil {
		return nil, err
	}
	r := &Satisfaction{
		Promise: found.Promise, Trials: found.Trials, Kept: found.Kept, Rate: found.Rate, Low: found.Low,
		Needed: found.Needed, Chance: found.Chance, Reached: found.Reached,
	}
	r.Windows.Count, r.Windows.Satisfied, r.Windows.Worst = found.Windows.Count, found.Windows.Satisfied, found.Windows.Worst
	return r, nil
}
