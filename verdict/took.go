package verdict

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/trial/usage"
)

// CheckUsage refuses what no judge writes of a saved usage: amounts that are none, rows that do not add up to the
// whole, and another cost than that of the same trials. Usage that cannot be added up again, where a result does not
// hold what each trial took, is taken as it is otherwise. Nil of either is not checked.
func CheckUsage(path string, u *usage.Usage, cost *CostView) error {
	if u == nil {
		return nil
	}
	if name, have, want := u.Problem(); name != "" {
		return &DifferenceError{Path: path + "." + name, Have: have, Want: want}
	}
	if cost == nil {
		return nil
	}
	if u.Trials != cost.Trials || u.Known.CostUSD != cost.KnownTrials {
		return &DifferenceError{
			Path: path + ".known_trials.cost_usd", Have: fmt.Sprintf("%d of %d", u.Known.CostUSD, u.Trials),
			Want: fmt.Sprintf("%d of %d", cost.KnownTrials, cost.Trials),
		}
	}
	if u.CostUSD != nil && math.Abs(*u.CostUSD-cost.TotalUSD) > usage.Rounding*cost.TotalUSD {
		return &DifferenceError{Path: path + ".cost_usd", Have: fmt.Sprint(*u.CostUSD), Want: fmt.Sprint(cost.TotalUSD)}
	}
	return nil
}
