package deliver

import (
	"strconv"
)

// DollarText writes an amount with four digits.
func DollarText(x float64) string { return "$" + strconv.FormatFloat(x, 'g', 4, 64) }
