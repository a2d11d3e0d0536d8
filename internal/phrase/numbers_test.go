package phrase

import "testing"

// Amounts that differ are written apart, and none has an exponent of thousands.
func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		a, b        float64
		first, then string
	}{
		{72389, 246981, "72389", "246981"}, {0.0129, 0.0918, "0.0129", "0.0918"}, {0.101, 0.1042, "0.101", "0.104"},
		{0.10001, 0.10002, "0.10001", "0.10002"}, {1234.56, 1234.57, "1234.56", "1234.57"}, {2, 2, "2", "2"},
		{7.6, 21.85, "7.6", "21.9"},
	} {
		if a, b := Amounts(c.a, c.b); a != c.first || b != c.then {
			t.Errorf("%v and %v are %q and %q", c.a, c.b, a, b)
		}
	}
}

// What is neither none nor all is not said to be, and no share has an exponent; the thirds are exact decimals cut by
// hand.
func TestRate(t *testing.T) {
	for rate, want := range map[float64]string{
		0: "0%", 1: "100%", 0.9: "90%", 2.0 / 3: "66.7%", 0.99999: "99.999%", 0.9996: "99.96%", 0.00001: "0.001%",
		-0.4: "-40%",
	} {
		if got := Rate(rate); got != want {
			t.Errorf("%v is %q, want %q", rate, got, want)
		}
	}
}

func TestScenariosPass(t *testing.T) {
	for counts, want := range map[[2]int]string{
		{0, 1}: "0 of 1 scenario pass", {1, 3}: "1 of 3 scenarios passes", {2, 3}: "2 of 3 scenarios pass",
		{2, 2}: "both scenarios pass", {3, 3}: "all 3 scenarios pass",
	} {
		if got := ScenariosPass(counts[0], counts[1]); got != want {
			t.Errorf("%v is %q, want %q", counts, got, want)
		}
	}
}
