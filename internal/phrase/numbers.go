package phrase

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Numbers in texts: as many digits as a person uses.

// Number writes an option as it was given, and what was computed from one with three significant digits.
func Number(x float64) string {
	// Nobody gives as many digits as a third has.
	if text := strconv.FormatFloat(x, 'g', -1, 64); len(text) < len("0.0123456789") {
		return text
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}

// Significant writes a p-value or the like with its relation, to two significant
// digits: "= 0.0038" or "< 0.0001".
func Significant(x float64) string {
	if x < 0.0001 {
		return "< 0.0001"
	}
	return "= " + strconv.FormatFloat(x, 'g', 2, 64)
}

// Percent writes an option or a probability as a percentage with up to three significant digits, or as many more as it
// takes for one below 1 not to be written as 100%.
func Percent(x float64) string {
	if text := strconv.FormatFloat(100*x, 'g', 3, 64); text != "100" || x >= 1 {
		return text + "%"
	}
	return partial(100 * x)
}

// Chance writes a probability as a percentage; what is next to 0 or 1 is never written as that.
func Chance(p float64) string {
	switch {
	case p < 1e-4:
		return "less than 0.01%"
	case p > 1-1e-4:
		return "more than 99.99%"
	}
	return Percent(p)
}

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

// Rate writes a pass rate, a limit of one or another share as a percentage with three significant digits. What is
// neither none nor all is never 0% or 100%.
func Rate(x float64) string { return partial(100 * x) }

// partial writes a percentage of which 100 means all.
func partial(percent float64) string {
	text := strconv.FormatFloat(percent, 'g', 3, 64)
	for digits := 4; (text == "100" && percent < 100 || strings.Contains(text, "e")) && digits <= 12; digits++ {
		text = strconv.FormatFloat(percent, 'g', digits, 64)
	}
	return text + "%"
}

// Rates writes two rates as Rate does, with as many more digits, up to six, as it takes to tell them apart.
func Rates(a, b float64) (string, string) {
	first, second := Rate(a), Rate(b)
	for digits := 4; first == second && a != b && digits <= 6; digits++ {
		first = strconv.FormatFloat(100*a, 'g', digits, 64) + "%"
		second = strconv.FormatFloat(100*b, 'g', digits, 64) + "%"
	}
	return first, second
}

// Share writes how many of some trials passed, with the percentage: "180 of 213 passed (84.5%)". None and all of them
// are said by the numbers alone, and what is not all of them is never 100%.
func Share(passes, trials int) string {
	text := strconv.Itoa(passes) + " of " + strconv.Itoa(trials) + " passed"
	if passes <= 0 || passes >= trials {
		return text
	}
	return text + " (" + partial(100*float64(passes)/float64(trials)) + ")"
}

// Points writes a difference of two rates, which is in percentage points: "10 points".
func Points(delta float64) string {
	text := strconv.FormatFloat(100*delta, 'g', 3, 64)
	if text == "1" {
		return "1 point"
	}
	return text + " points"
}

// Seen is what a test saw: "14 of 15 passed (93.3%)". With errors there is no one percentage: "13 of 15 passed, 1
// failed and 1 ended in an error".
func Seen(passes, failures, errors int) string {
	trials := passes + failures + errors
	if errors == 0 {
		return Share(passes, trials)
	}
	ended := "ended in an error"
	if errors > 1 {
		ended = "ended in errors"
	}
	return strconv.Itoa(passes) + " of " + strconv.Itoa(trials) + " passed, " + strconv.Itoa(failures) + " failed and " +
		strconv.Itoa(errors) + " " + ended
}

// Omitted goes on behind the share of passes where errors are none of the trials: ", 2 errors left out"; "" without
// one.
func Omitted(errors int) string {
	if errors == 0 {
		return ""
	}
	return ", " + prose.Count(errors, "error") + " left out"
}

// Beside is what a candidate came to beside its baseline, each as Share or Seen writes it: "3 of 15 passed (20%), the
// baseline 15 of 15".
func Beside(candidate, baseline string) string {
	return candidate + ", the baseline " + strings.Replace(baseline, " passed", "", 1)
}

// FirstRounds goes on behind the counts of the first rounds, which decide about a mean, where there are more trials:
// ", in the first 4 rounds (28 trials in all, the baseline 60)". Of a baseline without trials nothing is said.
func FirstRounds(rounds, trials, baseline int) string {
	text := prose.Count(trials, "trial") + " in all"
	if baseline > 0 {
		text += fmt.Sprintf(", the baseline %d", baseline)
	}
	return fmt.Sprintf(", in the first %s (%s)", prose.Form(rounds, "round", fmt.Sprintf("%d rounds", rounds)), text)
}

// Age writes how old something is, or may be, in the largest unit of which there is one and the next smaller one: "1
// day", "5 days 4 hours", "36 seconds". What is left over is dropped.
func Age(age time.Duration) string {
	units := []struct {
		length time.Duration
		name   string
	}{{24 * time.Hour, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}, {time.Second, "second"}}
	for i, u := range units {
		n := int(age / u.length)
		if n == 0 {
			continue
		}
		text := prose.Count(n, u.name)
		if i+1 < len(units) {
			if rest := int(age % u.length / units[i+1].length); rest > 0 {
				text += " " + prose.Count(rest, units[i+1].name)
			}
		}
		return text
	}
	return "less than a second"
}

// Ago writes how long ago something was, in its largest unit alone: "just now", "3 hours ago", "5 months ago".
func Ago(age time.Duration) string {
	const day = 24 * time.Hour
	for _, u := range []struct {
		from, length time.Duration
		name         string
	}{{2 * 365 * day, 365 * day, "year"}, {60 * day, 30 * day, "month"}, {day, day, "day"}, {time.Hour, time.Hour, "hour"},
		{time.Minute, time.Minute, "minute"}} {
		if age >= u.from {
			return prose.Count(int(age/u.length), u.name) + " ago"
		}
	}
	return "just now"
}
