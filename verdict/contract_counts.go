package verdict

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/oracle/contract"
	"github.com/tribunal-dev/tribunal/stats"
)

// contractCounts are a tally with the exact interval of its rate. What could not be
// judged counts against the low limit and for the high one.
func contractCounts(t contract.Tally, alpha float64) (ContractCounts, error) {
	c := ContractCounts{Trials: t.Total(), Kept: t.Kept, Violated: t.Violated, Unjudged: t.Unjudged, Inapplicable: t.Inapplicable}
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
	c.Interval = &Interval{Method: stats.ClopperPearsonInterval.String(), Level: 1 - alpha, Low: low.Low, High: high.High}
	return c, nil
}

func contractSatisfaction(s *contract.Summary, alpha float64) (*ContractSatisfaction, error) {
	found, err := contract.Satisfy(s.Contract.Promise, s.Sequence, s.Trials.Unjudged, alpha)
	if err != nil {
		return nil, err
	}
	r := &ContractSatisfaction{
		Promise: found.Promise, Trials: found.Trials, Kept: found.Kept, Rate: found.Rate, Low: found.Low,
		Needed: found.Needed, Chance: found.Chance, Reached: found.Reached,
	}
	r.Windows.Count, r.Windows.Satisfied, r.Windows.Worst = found.Windows.Count, found.Windows.Satisfied, found.Windows.Worst
	return r, nil
}

func quote(name string) string { return strconv.Quote(name) }

// several names things and counts them, and lists at most five.
func several(n int, noun string, names []string) string {
	const most = 5
	if n == 1 {
		return noun + " " + names[0]
	}
	text := strconv.Itoa(n) + " " + noun + "s: " + strings.Join(names[:min(n, most)], ", ")
	if n > most {
		text += " and " + strconv.Itoa(n-most) + " more"
	}
	return text
}
