package record

import (
	"regexp"
	"testing"

	"pgregory.net/rapid"
)

// IsDecimal is what a regular expression for the numbers of JSON and CSV says.
func TestIsDecimal(t *testing.T) {
	decimal := regexp.MustCompile(`^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$`)
	for _, text := range []string{
		"", "0", "-0", "+1.5", ".5", "5.", ".", "1e5", "1E+309", "-1e-400", "1e", "1_000", "0x1p4", "0b1", "inf", "Infinity",
		"NaN", "nan", "1,5", "1 ", " 1", "١", "1e5.0", "--1", "1.2.3", "1d3", "e5", "0X1P4", "1²",
	} {
		if got, want := IsDecimal(text), decimal.MatchString(text); got != want {
			t.Errorf("%q is a decimal number: %v, want %v", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[-+.eE0-9_xXpPinfaN, ]{0,8}`).Draw(t, "text")
		if got, want := IsDecimal(text), decimal.MatchString(text); got != want {
			t.Errorf("%q is a decimal number: %v, want %v", text, got, want)
		}
	})
}
