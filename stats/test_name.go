package stats

import (
	"fmt"
	"strings"
)

// Test names a one-sided test of two pass rates against "the candidate is
// worse". The zero value is Boschloo's exact unconditional test.
type Test uint8

const (
	BoschlooTest Test = iota // independent trials, exact and unconditional
	FisherTest               // independent trials, exact given the total of passes
	ZTest                    // independent trials, large samples
	McNemarTest              // paired trials, exact given the discordant pairs
)

var testNames = [...]string{"boschloo", "fisher", "z", "mcnemar"}

// String returns the name that the command line and JSON use.
func (t Test) String() string {
	if int(t) < len(testNames) {
		return testNames[t]
	}
	return fmt.Sprintf("Test(%d)", uint8(t))
}

// ParseTest is the inverse of String.
func ParseTest(name string) (Test, error) {
	for i, known := range testNames {
		if name == known {
			return Test(i), nil
		}
	}
	return 0, argumentError("test", fmt.Sprintf("%q", name), "must be one of "+strings.Join(testNames[:], ", "))
}

// MarshalText writes the test's name.
func (t Test) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads a test's name.
func (t *Test) UnmarshalText(text []byte) (err error) {
	*t, err = ParseTest(string(text))
	return err
}
