package phrase

import (
	"math"
	"strconv"
)

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

// Amounts writes two means of one quantity with three significant digits, or as many more, up to six, as it takes to
// tell them apart. Thousands are written out.
func Amounts(a, b float64) (string, string) {
	write := func(x float64, digits int) string {
		if size := math.Abs(x); size >= 100 && size < 1e15 {
			return strconv.FormatFloat(x, 'f', digits-3, 64)
		}
		return strconv.FormatFloat(x, 'g', digits, 64)
	}
	first, second := write(a, 3), write(b, 3)
	for digits := 4; first == second && a != b && digits <= 6; digits++ {
		first, second = write(a, digits), write(b, digits)
	}
	return first, second
}
