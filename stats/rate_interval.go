package stats

import (
	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/enum"
)

// IntervalMethod names an interval of one pass rate. The zero value is Wilson's.
type IntervalMethod int

// The methods.
const (
	WilsonInterval         IntervalMethod = iota // see [Wilson]
	ClopperPearsonInterval                       // see [ClopperPearson]
	AgrestiCoullInterval                         // see [AgrestiCoull]
	JeffreysInterval                             // see [Jeffreys]
)

var intervalMethods = enum.Of[IntervalMethod]("interval", "wilson", "clopper-pearson", "agresti-coull", "jeffreys")

// String returns the name, such as "clopper-pearson".
func (m IntervalMethod) String() string { return intervalMethods.String(m) }

// MarshalText returns the name; a method that is none of the constants is refused.
func (m IntervalMethod) MarshalText() ([]byte, error) { return intervalMethods.MarshalText(m) }

// UnmarshalText sets the method from its name.
func (m *IntervalMethod) UnmarshalText(text []byte) error {
	return intervalMethods.UnmarshalText(text, m)
}

// Interval returns the method's interval of a pass rate at two-sided level 1-alpha. It
// returns an [ArgumentError] for zero trials, an alpha that is not strictly between 0
// and 1, and a method that is none of the constants.
func (m IntervalMethod) Interval(c Counts, alpha float64) (Interval, error) {
	switch m {
	case WilsonInterval:
		return Wilson(c, alpha)
	case ClopperPearsonInterval:
		return ClopperPearson(c, alpha)
	case AgrestiCoullInterval:
		return AgrestiCoull(c, alpha)
	case JeffreysInterval:
		return Jeffreys(c, alpha)
	}
	return Interval{}, argument.Wrong("interval", int(m), "is not a known method")
}
