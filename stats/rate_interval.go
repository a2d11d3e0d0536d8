package stats

import "fmt"

// IntervalMethod names an interval of one pass rate. The zero value is Wilson's.
type IntervalMethod int

// The methods of [RateInterval].
const (
	WilsonInterval         IntervalMethod = iota // see [Wilson]
	ClopperPearsonInterval                       // see [ClopperPearson]
	AgrestiCoullInterval                         // see [AgrestiCoull]
	JeffreysInterval                             // see [Jeffreys]
)

// String returns the name that [ParseIntervalMethod] accepts.
func (m IntervalMethod) String() string {
	switch m {
	case WilsonInterval:
		return "wilson"
	case ClopperPearsonInterval:
		return "clopper-pearson"
	case AgrestiCoullInterval:
		return "agresti-coull"
	case JeffreysInterval:
		return "jeffreys"
	}
	return fmt.Sprintf("IntervalMethod(%d)", int(m))
}

// ParseIntervalMethod returns the method with the name, or an [ArgumentError].
func ParseIntervalMethod(name string) (IntervalMethod, error) {
	for m := WilsonInterval; m <= JeffreysInterval; m++ {
		if m.String() == name {
			return m, nil
		}
	}
	return 0, argumentError("interval", fmt.Sprintf("%q", name), "is none of wilson, clopper-pearson, agresti-coull, jeffreys")
}

// MarshalText returns the name; a method that is none of the constants is refused.
func (m IntervalMethod) MarshalText() ([]byte, error) {
	if err := m.validate(); err != nil {
		return nil, err
	}
	return []byte(m.String()), nil
}

// UnmarshalText sets the method from its name.
func (m *IntervalMethod) UnmarshalText(text []byte) error {
	parsed, err := ParseIntervalMethod(string(text))
	if err == nil {
		*m = parsed
	}
	return err
}

func (m IntervalMethod) validate() error {
	if m < WilsonInterval || m > JeffreysInterval {
		return argumentError("interval", int(m), "is not a known method")
	}
	return nil
}

// RateInterval returns the method's interval of a pass rate at two-sided level
// 1-alpha. It refuses zero trials and an alpha that is not strictly between 0 and 1.
func RateInterval(method IntervalMethod, c Counts, alpha float64) (Interval, error) {
	switch method {
	case WilsonInterval:
		return Wilson(c, alpha)
	case ClopperPearsonInterval:
		return ClopperPearson(c, alpha)
	case AgrestiCoullInterval:
		return AgrestiCoull(c, alpha)
	case JeffreysInterval:
		return Jeffreys(c, alpha)
	}
	return Interval{}, method.validate()
}
