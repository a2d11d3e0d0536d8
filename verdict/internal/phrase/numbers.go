package phrase

import "strconv"

// Numbers in texts: as many digits as a person uses.

// Rate writes a pass rate or a limit of one.
func Rate(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// Number writes an option as it was given.
func Number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Significant writes a p-value or the like with its relation, to two significant
// digits: "= 0.0038" or "< 0.0001".
func Significant(x float64) string {
	if x < 0.0001 {
		return "< 0.0001"
	}
	return "= " + strconv.FormatFloat(x, 'g', 2, 64)
}

// Percent writes a share as a percentage with up to three significant digits.
func Percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + "%" }
