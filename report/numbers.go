package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/verdict"
)

// rate writes a pass rate or a limit of one with four decimals.
func rate(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// signed writes a difference of rates.
// A difference that rounds to 0 has no sign: -0.0000 would look like a finding.
func signed(x float64) string {
	text := rate(x)
	switch {
	case strings.Trim(text, "-0.") == "":
		return rate(0)
	case x > 0:
		return "+" + text
	}
	return text
}

// interval writes the two ends of an interval.
func interval(low, high string) string { return "[" + low + ", " + high + "]" }

// exact writes a number with as many digits as it has.
func exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// level writes a confidence level, such as 95%.
func level(x float64) string { return strconv.FormatFloat(100*x, 'g', 6, 64) + "%" }

// pValue writes a p-value or a posterior probability with three significant
// digits, and never as 0 or 1 if it is not.
func pValue(p float64) string {
	switch {
	case p < 0.0001:
		return "< 0.0001"
	case p > 0.9995 && p < 1:
		return "> 0.999"
	}
	return strconv.FormatFloat(p, 'g', 3, 64)
}

// equals writes "p = 0.01" or "p < 0.0001".
func equals(name, value string) string {
	if strings.HasPrefix(value, "<") || strings.HasPrefix(value, ">") {
		return name + " " + value
	}
	return name + " = " + value
}

// chance writes the probability of an error or of a decision as a percentage.
func chance(p float64) string {
	switch {
	case p > 0 && p < 0.0001:
		return "< 0.01%"
	case p > 0.9999 && p < 1:
		return "> 99.99%"
	// Three digits would make 100% of it.
	case p > 0.995 && p < 1:
		return strconv.FormatFloat(100*p, 'f', 2, 64) + "%"
	}
	return strconv.FormatFloat(100*p, 'g', 3, 64) + "%"
}

// money writes dollars: cents from one dollar on, else three significant digits.
func money(x float64) string {
	sign := ""
	if x < 0 {
		sign, x = "-", -x
	}
	switch {
	case x == 0:
		return "$0"
	// An exponent, where decimals would be a row of zeros.
	case x < 1e-6:
		return sign + "$" + strconv.FormatFloat(x, 'g', 3, 64)
	// From here on three significant digits would round up to a dollar.
	case x < 0.9995:
		return sign + "$" + significant(x)
	case x < 1e9:
		whole, cents, _ := strings.Cut(strconv.FormatFloat(x, 'f', 2, 64), ".")
		return sign + "$" + grouped(whole) + "." + cents
	}
	return sign + "$" + strconv.FormatFloat(x, 'g', 4, 64)
}

// quantity writes a number of anything: whole numbers as such, three significant
// digits below 1000, none behind the point above.
func quantity(x float64) string {
	sign := ""
	if x < 0 {
		sign, x = "-", -x
	}
	switch {
	case x == 0:
		return "0"
	case x < 1e-6 || x >= 1e9:
		return sign + strconv.FormatFloat(x, 'g', 3, 64)
	case x < 999.5 && x != math.Trunc(x):
		return sign + significant(x)
	}
	return sign + grouped(strconv.FormatFloat(x, 'f', 0, 64))
}

// significant writes three significant digits without an exponent, 1e-6 <= x < 1e6.
func significant(x float64) string {
	// As many decimals as put the third significant digit last.
	decimals := 2 - int(math.Floor(math.Log10(x)))
	return strconv.FormatFloat(x, 'f', max(decimals, 0), 64)
}

// grouped puts commas between the thousands of a whole number.
func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// percentChange writes a ratio as a change: 1.5 is +50.0%.
func percentChange(ratio *float64) string {
	if ratio == nil {
		return "n/a"
	}
	change := 100 * (*ratio - 1)
	size := math.Abs(change)
	// From 100 % on decimals do not matter, and from ten million per cent on two
	// digits do.
	text := "0"
	switch {
	case size >= 1e7:
		text = strconv.FormatFloat(size, 'g', 2, 64)
	case size >= 99.95:
		text = grouped(strconv.FormatFloat(size, 'f', 0, 64))
	case size >= 0.05:
		text = strconv.FormatFloat(size, 'f', 1, 64)
	default:
		return "0.0%"
	}
	if change < 0 {
		return "-" + text + "%"
	}
	return "+" + text + "%"
}

// ofTrials writes "45 of 50 trials".
func ofTrials(passes, trials int) string {
	return fmt.Sprintf("%d of %s", passes, prose.Count(trials, "trial"))
}

// brief writes an option with the digits that it has, and a computed rate with four decimals.
func brief(x float64) string {
	// An option such as 0.85 has few digits. A computed rate has up to 17.
	if text := exact(x); len(text) <= len("0.9999") {
		return text
	}
	return rate(x)
}

// exactChance writes an exact error with five digits, so that it is seen to be
// below its target.
func exactChance(p float64) string {
	if p > 0 && p < 0.0001 {
		return chance(p)
	}
	return strconv.FormatFloat(100*p, 'g', 5, 64) + "%"
}

// computed writes a probability that was summed up, where 1 may miss its last bits.
func computed(p float64) string {
	// Chosen: above the rounding of such sums, and below any chance that is worth a
	// digit.
	const noise = 1e-12
	switch {
	case math.Abs(p) < noise:
		p = 0
	case math.Abs(1-p) < noise:
		p = 1
	}
	return chance(p)
}

// gap writes a relative difference as a percentage with two significant digits.
func gap(x float64) string { return strconv.FormatFloat(100*x, 'g', 2, 64) + "%" }

// hundredths writes expected trials where small savings matter.
func hundredths(x float64) string {
	// Also for NaN, for which every comparison is false.
	if !(math.Abs(x) < 1e6) {
		return quantity(x)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// trials writes expected trials.
func trials(x float64) string {
	if !(math.Abs(x) < 999.95) {
		return quantity(x)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// optional writes a number that may be unknown; where it is, a dash stands.
func optional(x *float64, write func(float64) string) string {
	if x == nil {
		return none
	}
	return write(*x)
}

// duration writes seconds in the unit that a person would choose.
func duration(seconds float64) string {
	switch size := math.Abs(seconds); {
	case size < 90:
		return quantity(seconds) + " s"
	case size < 90*60:
		return quantity(seconds/60) + " min"
	case size < 36*3600:
		return quantity(seconds/3600) + " h"
	}
	return quantity(seconds/86400) + " days"
}

// shortDigest is enough of a digest to tell designs apart.
func shortDigest(digest string) string {
	// 64 bits of the digest.
	const length = len("sha256:") + 16
	if len(digest) > length {
		return digest[:length]
	}
	return digest
}

// optionalExact writes a number for a program; one that is unknown is empty.
func optionalExact(x *float64) string {
	if x == nil {
		return ""
	}
	return exact(*x)
}

// intervalText writes an interval of a rate.
func intervalText(i *verdict.Interval) string { return interval(rate(i.Low), rate(i.High)) }

// signedQuantity is a quantity with a plus where it is positive.
func signedQuantity(x float64) string {
	if x > 0 {
		return "+" + quantity(x)
	}
	return quantity(x)
}
