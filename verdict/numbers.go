package verdict

import (
	"fmt"
	"strconv"
)

// Numbers in texts: as many digits as a person uses.

// rate writes a pass rate or a limit of one.
func rate(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// number writes an option as it was given.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// significant writes a p-value or the like with its relation, to two significant
// digits: "= 0.0038" or "< 0.0001".
func significant(x float64) string {
	if x < 0.0001 {
		return "< 0.0001"
	}
	return "= " + strconv.FormatFloat(x, 'g', 2, 64)
}

// percent writes a share as a percentage with up to three significant digits.
func percent(x float64) string { return strconv.FormatFloat(100*x, 'g', 3, 64) + "%" }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
