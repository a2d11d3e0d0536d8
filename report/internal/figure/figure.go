// Package figure writes numbers: rates and their intervals, probabilities, money, durations, amounts. Every format
// of the reports takes them from here, so that one number reads the same wherever it stands.
package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/report/internal/document"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Rate writes a pass rate or a limit of one with four decimals.
func Rate(x float64) string { return strconv.FormatFloat(x, 'f', 4, 64) }

// Signed writes a difference of rates in percentage points, without the unit: "-23.7".
func Signed(x float64) string {
	digits, _, _ := strings.Cut(Points(x), " ")
	return digits
}

// Points is the same with the unit: "-23.7 points".
// A difference that rounds to 0 has no sign: -0 would look like a finding.
func Points(x float64) string {
	const shown = 5e-5 // chosen: a hundredth of a point
	switch {
	case math.Abs(x) < shown:
		return phrase.Points(0)
	case x > 0:
		return "+" + phrase.Points(x)
	}
	return "-" + phrase.Points(-x)
}

// Interval writes the two ends of an interval.
func Interval(low, high string) string { return "[" + low + ", " + high + "]" }

// Exact writes a number with as many digits as it has.
func Exact(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Level writes a confidence level, such as 95%.
func Level(x float64) string { return strconv.FormatFloat(100*x, 'g', 6, 64) + "%" }

// PValue writes a p-value or a posterior probability with three significant
// digits, and never as 0 or 1 if it is not.
func PValue(p float64) string {
	switch {
	case p < 0.0001:
		return "< 0.0001"
	case p > 0.9995 && p < 1:
		return "> 0.999"
	}
	return strconv.FormatFloat(p, 'g', 3, 64)
}

// Equals writes "p = 0.01" or "p < 0.0001".
func Equals(name, value string) string {
	if strings.HasPrefix(value, "<") || strings.HasPrefix(value, ">") {
		return name + " " + value
	}
	return name + " = " + value
}

// Chance writes the probability of an error or of a decision as a percentage.
func Chance(p float64) string {
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

// Money writes dollars: cents from one dollar on, else three significant digits.
func Money(x float64) string {
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

// Quantity writes a number of anything: whole numbers as such, three significant
// digits below 1000, none behind the point above.
func Quantity(x float64) string {
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

// PercentChange writes a ratio as a change: 1.5 is +50.0%.
func PercentChange(ratio *float64) string {
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

// OfTrials writes "45 of 50 trials".
func OfTrials(passes, trials int) string {
	return fmt.Sprintf("%d of %s", passes, prose.Count(trials, "trial"))
}

// Brief writes an option with the digits that it has, and a computed rate with four decimals.
func Brief(x float64) string {
	// An option such as 0.85 has few digits. A computed rate has up to 17.
	if text := Exact(x); len(text) <= len("0.9999") {
		return text
	}
	return Rate(x)
}

// BriefRate writes a rate that was asked for as a percentage with the digits that it has, and a computed one with
// three.
func BriefRate(x float64) string {
	if len(Exact(x)) <= len("0.9999") {
		return Level(x)
	}
	return phrase.Rate(x)
}

// ExactChance writes an exact error with five digits, so that it is seen to be
// below its target.
func ExactChance(p float64) string {
	if p > 0 && p < 0.0001 {
		return Chance(p)
	}
	return strconv.FormatFloat(100*p, 'g', 5, 64) + "%"
}

// Computed writes a probability that was summed up, where 1 may miss its last bits.
func Computed(p float64) string {
	// Chosen: above the rounding of such sums, and below any chance that is worth a
	// digit.
	const noise = 1e-12
	switch {
	case math.Abs(p) < noise:
		p = 0
	case math.Abs(1-p) < noise:
		p = 1
	}
	return Chance(p)
}

// Gap writes a relative difference as a percentage with two significant digits.
func Gap(x float64) string { return strconv.FormatFloat(100*x, 'g', 2, 64) + "%" }

// Hundredths writes expected trials where small savings matter.
func Hundredths(x float64) string {
	// Also for NaN, for which every comparison is false.
	if !(math.Abs(x) < 1e6) {
		return Quantity(x)
	}
	return strconv.FormatFloat(x, 'f', 2, 64)
}

// Trials writes expected trials.
func Trials(x float64) string {
	if !(math.Abs(x) < 999.95) {
		return Quantity(x)
	}
	return strconv.FormatFloat(x, 'f', 1, 64)
}

// Optional writes a number that may be unknown; where it is, a dash stands.
func Optional(x *float64, write func(float64) string) string {
	if x == nil {
		return document.None
	}
	return write(*x)
}

// Duration writes seconds in the unit that a person would choose.
func Duration(seconds float64) string {
	switch size := math.Abs(seconds); {
	case size < 90:
		return Quantity(seconds) + " s"
	case size < 90*60:
		return Quantity(seconds/60) + " min"
	case size < 36*3600:
		return Quantity(seconds/3600) + " h"
	}
	return Quantity(seconds/86400) + " days"
}

// ShortDigest is enough of a digest to tell designs apart.
func ShortDigest(digest string) string {
	// 64 bits of the digest.
	const length = len("sha256:") + 16
	if len(digest) > length {
		return digest[:length]
	}
	return digest
}

// OptionalExact writes a number for a program; one that is unknown is empty.
func OptionalExact(x *float64) string {
	if x == nil {
		return ""
	}
	return Exact(*x)
}

// IntervalText writes an interval of a rate.
func IntervalText(i *verdict.Interval) string { return Interval(Rate(i.Low), Rate(i.High)) }

// SignedQuantity is a quantity with a plus where it is positive.
func SignedQuantity(x float64) string {
	if x > 0 {
		return "+" + Quantity(x)
	}
	return Quantity(x)
}

// MetricAmount writes an amount of what a trial takes.
func MetricAmount(m recording.MetricName, x float64) string {
	switch m {
	case recording.CostMetric:
		return Money(x)
	case recording.DurationMetric:
		return Duration(x)
	}
	return Quantity(x)
}

// Outcomes sets blanks between tens.
func Outcomes(outcomes string) string {
	// So many outcomes of a test are listed; the drawing has all that were judged.
	const group, most = 10, 2000
	var b strings.Builder
	for i := 0; i < len(outcomes) && i < most; i += group {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(outcomes[i:min(i+group, len(outcomes))])
	}
	return b.String()
}
