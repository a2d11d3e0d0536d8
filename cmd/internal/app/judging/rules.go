package judging

import (
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
)

// Rules are those that every verdict on recorded trials has.
type Rules struct {
	Alpha    float64 // of the interval's error, or of a false Fail, as the command says
	Interval stats.IntervalMethod
	Errors   verdict.ErrorPolicy // robust unless it is given
	By       verdict.Grouping
}
