package phrase

import "testing"

// Amounts that differ are written apart, and none has an exponent of thousands.
func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		a, b        float64
		first, then string
	}{
		{72389, 246981, "72389", "246981"}, {0.0129, 0.0918, "0.0129", "0.0918"}, {0.101, 0.1042, "0.101", "0.104"},
		{0.10001, 0.10002, "0.10001", "0.10002"}, {1234.56, 1234.57, "1234.56", "1234.57"}, {2, 2, "2", "2"}, {7.6, 21.85, "7.6", "21.9"},
	} {
		if a, b := Amounts(c.a, c.b); a != c.first || b != c.then {
			t.Errorf("%v and %v are %q and %q", c.a, c.b, a, b)
		}
	}
}
