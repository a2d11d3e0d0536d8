package stats

import (
	"fmt"
	"math"
)

// CohensH returns Cohen's h of baseline against candidate, 2 asin √p_b - 2 asin √p_c:
// positive if the candidate is worse, between -π and π (Cohen 1988, Statistical
// Power Analysis, chapter 6). Each side needs a trial.
func CohensH(baseline, candidate Counts) (float64, error) {
	if err := validateBoth(baseline, candidate); err != nil {
		return math.NaN(), err
	}
	// The tangent of the difference of two angles, from products of counts: exactly
	// 0 for equal rates, and without cancellation for nearly equal ones.
	up := int64(baseline.Passes) * int64(candidate.Fails())
	down := int64(baseline.Fails()) * int64(candidate.Passes)
	if up == down {
		return 0, nil
	}
	sine := float64(up-down) / (math.Sqrt(float64(up)) + math.Sqrt(float64(down)))
	cosine := math.Sqrt(float64(baseline.Passes)*float64(candidate.Passes)) +
		math.Sqrt(float64(baseline.Fails())*float64(candidate.Fails()))
	return 2 * math.Atan2(sine, cosine), nil
}

// Magnitude is Cohen's label for the size of an effect.
type Magnitude int

// The labels, by |h|: below 0.2, below 0.5, below 0.8, and above.
const (
	Negligible Magnitude = iota
	Small
	Medium
	Large
)

// MagnitudeOf returns the label of Cohen's h, whatever its sign. NaN, which shows
// no effect, is Negligible.
func MagnitudeOf(h float64) Magnitude {
	switch h = math.Abs(h); {
	case h >= 0.8:
		return Large
	case h >= 0.5:
		return Medium
	case h >= 0.2:
		return Small
	}
	return Negligible
}

// String returns negligible, small, medium or large.
func (m Magnitude) String() string {
	switch m {
	case Negligible:
		return "negligible"
	case Small:
		return "small"
	case Medium:
		return "medium"
	case Large:
		return "large"
	}
	return fmt.Sprintf("Magnitude(%d)", int(m))
}

// MarshalText returns the label; a value that is none of the constants is refused.
func (m Magnitude) MarshalText() ([]byte, error) {
	if m < Negligible || m > Large {
		return nil, argumentError("magnitude", int(m), "is not a known label")
	}
	return []byte(m.String()), nil
}

// UnmarshalText sets the magnitude from its label.
func (m *Magnitude) UnmarshalText(text []byte) error {
	for known := Negligible; known <= Large; known++ {
		if known.String() == string(text) {
			*m = known
			return nil
		}
	}
	return argumentError("magnitude", fmt.Sprintf("%q", text), "is none of negligible, small, medium, large")
}
