package value

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/stats"
)

// Refusal is an error with a hint that says what a value must be. The option and the value are named by the caller.
type Refusal struct{ Problem, Hint string }

func (r *Refusal) Error() string { return r.Problem }

// Refused says why the text that the source gave cannot be used.
func Refused(source, text string, err error) error {
	hint := ""
	if e, ok := errors.AsType[*Refusal](err); ok {
		hint = e.Hint
	}
	return problem.Usage(hint, "%s %q %v", source, text, err)
}

// ParseNumber reads a number that fits, or says what it must be. NaN has to be refused by
// fits, as ParseFloat reads it.
func ParseNumber(text, must string, fits func(float64) bool) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !fits(x) {
		return 0, &Refusal{Problem: "must be " + must}
	}
	return x, nil
}

// ParseShare is ParseNumber for a number up to 1. Whoever gives it as a percentage is told
// how it is written.
func ParseShare(text, must string, fits func(float64) bool) (float64, error) {
	x, err := ParseNumber(text, must, fits)
	if err == nil {
		return x, nil
	}
	// Only "95%", or a number that is at least 2, is taken for a percentage: 1.5 may be a
	// slip.
	number, percent := strings.CutSuffix(text, "%")
	if x, err := strconv.ParseFloat(number, 64); err == nil && (percent || x >= 2) && x > 0 && fits(x/100) {
		return 0, &Refusal{"must be " + must, fmt.Sprintf("%s %% is %g", number, x/100)}
	}
	if point := strings.Replace(text, ",", ".", 1); point != text {
		if x, err := strconv.ParseFloat(point, 64); err == nil && fits(x) {
			return 0, &Refusal{"must be " + must, "write it with a point: " + point}
		}
	}
	return 0, err
}

// Level reads a number strictly between 0 and 1.
func Level(text string) (float64, error) {
	return ParseShare(text, "a number strictly between 0 and 1", func(x float64) bool { return x > 0 && x < 1 })
}

// Risk reads the chance of an error: a coin errs half of the time.
func Risk(text string) (float64, error) {
	return ParseShare(text, "a number above 0 and below 0.5", func(x float64) bool { return x > 0 && x < 0.5 })
}

// Deviations reads a positive number of standard deviations, at most ten: sides that far apart do not overlap.
func Deviations(text string) (float64, error) {
	return ParseShare(text, "a number above 0 and at most 10", func(x float64) bool { return x > 0 && x <= 10 })
}

// Finite reads any number but NaN and the infinities.
func Finite(text string) (float64, error) {
	return ParseNumber(text, "a finite number", func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) })
}

// Proportion reads a number from 0 to 1.
func Proportion(text string) (float64, error) {
	return ParseShare(text, "a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })
}

// Part reads a number above 0 and at most 1.
func Part(text string) (float64, error) {
	return ParseShare(text, "a number above 0 and at most 1", func(x float64) bool { return x > 0 && x <= 1 })
}

// Threshold reads a level, with a word on why it is not 1.
func Threshold(text string) (float64, error) {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x == 1 {
		return 0, &Refusal{
			"cannot be tested: no number of passes shows that a system never fails",
			"the nearest is a threshold such as 0.999; 0.95 takes far fewer trials",
		}
	}
	return Level(text)
}

// Amount reads a number that is not negative. The upper limit is chosen: with more than a million millions something
// else is meant, and sums of such amounts stay finite.
func Amount(text string) (float64, error) {
	const most = 1e12
	return ParseNumber(text, "a number that is not negative", func(x float64) bool { return x >= 0 && x <= most })
}

// Count reads a whole number from the least to the most.
func Count(text string, least, most int) (int, error) {
	n, err := strconv.Atoi(text)
	switch {
	// What is only too large for an int gets the message of a number that is too large.
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, errors.New("must be a whole number")
	case strings.HasPrefix(text, "-"):
		return 0, errors.New("must not be negative")
	case err == nil && n < least:
		return 0, fmt.Errorf("must be at least %d", least)
	case err != nil || n > most:
		return 0, fmt.Errorf("must be at most %d", most)
	}
	return n, nil
}

// Ratio reads "K/N": so many passes among so many trials.
func Ratio(text string) (stats.Counts, error) {
	passes, trials, ok := strings.Cut(text, "/")
	if !ok {
		return stats.Counts{}, errors.New("must be passes/trials, such as 93/100")
	}
	k, err := Count(strings.TrimSpace(passes), 0, maxCompared)
	if err != nil {
		return stats.Counts{}, fmt.Errorf("has passes that cannot be used: %q %w", passes, err)
	}
	n, err := Count(strings.TrimSpace(trials), 0, maxCompared)
	switch {
	case err != nil:
		return stats.Counts{}, fmt.Errorf("has trials that cannot be used: %q %w", trials, err)
	case n == 0:
		return stats.Counts{}, errors.New("has no trials: nothing can be said of none")
	case k > n:
		return stats.Counts{}, &Refusal{
			"has more passes than trials", fmt.Sprintf("write passes/trials, such as %d/%d", n, k),
		}
	}
	return stats.Counts{Passes: k, Trials: n}, nil
}

// The largest numbers of trials that flags may give. A comparison takes time and
// memory in proportion.
const (
	MaxTrials   = 100_000_000
	maxCompared = 1_000_000
)

// byteUnits are what a size may end in. Longer names come before those that they end in:
// "KiB" and "KB" before "B".
var byteUnits = []struct {
	name string
	size int
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"B", 1}, {"", 1},
}

// Size reads a size of at most so many bytes, such as 64MiB.
func Size(text string, most int64) (int64, error) {
	problem := errors.New("must be a size such as 64MiB, 500KB or 1048576")
	for _, unit := range byteUnits {
		digits, ok := cutSuffixFold(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) && n > 0, err == nil && n > most/int64(unit.size):
			return 0, fmt.Errorf("must be less than %d GiB", (most+1<<30-1)>>30)
		case err != nil, n < 0, digits != "" && digits[0] == '+':
			return 0, problem
		case n == 0:
			return 0, errors.New("must be at least 1 byte")
		}
		return n * int64(unit.size), nil
	}
	return 0, problem
}

// cutSuffixFold is strings.CutSuffix without regard to upper and lower case.
func cutSuffixFold(text, suffix string) (before string, found bool) {
	at := len(text) - len(suffix)
	if at < 0 || !strings.EqualFold(text[at:], suffix) {
		return text, false
	}
	return text[:at], true
}

// shownWords is how many words a message lists: more of them nobody reads.
const shownWords = 16

// NoSuchWord says that what was typed is none of the words.
func NoSuchWord(typed string, words []string) *Refusal {
	wrong := "must be one of " + strings.Join(words, ", ")
	if more := len(words) - shownWords; more > 0 {
		wrong = fmt.Sprintf("must be one of %s and %d more", strings.Join(words[:shownWords], ", "), more)
	}
	return &Refusal{wrong, problem.DidYouMean("", typed, words)}
}

// Seed reads that of a random number generator.
func Seed(text string) (uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, errors.New("must be a whole number from 0 to 18446744073709551615")
	}
	return n, nil
}

// SizeText uses the largest binary unit that gives a whole number.
func SizeText(bytes int64) string {
	for _, unit := range []int{2, 1, 0} {
		if size := int64(byteUnits[unit].size); bytes >= size && bytes%size == 0 {
			return strconv.FormatInt(bytes/size, 10) + byteUnits[unit].name
		}
	}
	return strconv.FormatInt(bytes, 10)
}

// MaxSize is the largest size that is an int everywhere: on 32 bits ints end at 2 GiB.
const MaxSize = math.MaxInt32

// MaxDesign is the largest number of trials of a design. Package sprt builds no larger
// design, as its lattice would not fit into memory, nor may a suite ask for one.
const MaxDesign = 20_000
