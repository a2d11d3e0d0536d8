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

// The types below are values of flags. Set refuses a value with an error that
// says what the value must be; the flag and the value are named by the caller.

// Refusal is such an error with a hint.
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
	return 0, err
}

// Level is a number strictly between 0 and 1.
type Level float64

func (l *Level) Set(text string) error {
	x, err := ParseShare(text, "a number strictly between 0 and 1", func(x float64) bool { return x > 0 && x < 1 })
	if err == nil {
		*l = Level(x)
	}
	return err
}

func (l *Level) String() string { return strconv.FormatFloat(float64(*l), 'g', -1, 64) }
func (l *Level) Type() string   { return "P" }

// Deviations is a positive number of standard deviations, at most ten: sides that far apart do not overlap.
type Deviations float64

func (d *Deviations) Set(text string) error {
	x, err := ParseShare(text, "a number above 0 and at most 10", func(x float64) bool { return x > 0 && x <= 10 })
	if err == nil {
		*d = Deviations(x)
	}
	return err
}

func (d *Deviations) String() string { return strconv.FormatFloat(float64(*d), 'g', -1, 64) }
func (d *Deviations) Type() string   { return "SD" }

// Finite is any number but NaN and the infinities.
type Finite float64

func (f *Finite) Set(text string) error {
	x, err := ParseNumber(text, "a finite number", func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) })
	if err == nil {
		*f = Finite(x)
	}
	return err
}

func (f *Finite) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }
func (f *Finite) Type() string   { return "X" }

// Proportion is a number from 0 to 1.
type Proportion float64

func (p *Proportion) Set(text string) error {
	x, err := ParseShare(text, "a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })
	if err == nil {
		*p = Proportion(x)
	}
	return err
}

func (p *Proportion) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }
func (p *Proportion) Type() string   { return "C" }

// Part is a number above 0 and at most 1.
type Part float64

func (p *Part) Set(text string) error {
	x, err := ParseShare(text, "a number above 0 and at most 1", func(x float64) bool { return x > 0 && x <= 1 })
	if err == nil {
		*p = Part(x)
	}
	return err
}

func (p *Part) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }
func (p *Part) Type() string   { return "C" }

// BelowOne is a threshold: a level with a word on why it is not 1.
type BelowOne float64

func (b *BelowOne) Set(text string) error {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x == 1 {
		return &Refusal{
			"cannot be tested: no number of passes shows that a system never fails",
			"the nearest is a threshold such as 0.999; 0.95 takes far fewer trials",
		}
	}
	return (*Level)(b).Set(text)
}

func (b *BelowOne) String() string { return (*Level)(b).String() }
func (b *BelowOne) Type() string   { return "P" }

// Amount is a number that is not negative.
type Amount float64

// Set reads an amount. The upper limit is chosen: with more than a million millions
// something else is meant, and sums of such amounts stay finite.
func (a *Amount) Set(text string) error {
	const most = 1e12
	x, err := ParseNumber(text, "a number that is not negative", func(x float64) bool { return x >= 0 && x <= most })
	if err == nil {
		*a = Amount(x)
	}
	return err
}

func (a *Amount) String() string { return strconv.FormatFloat(float64(*a), 'g', -1, 64) }
func (a *Amount) Type() string   { return "X" }

// Pointer returns the amount for an option that is nil where nobody gave one.
func (a Amount) Pointer() *float64 {
	x := float64(a)
	return &x
}

// Count is a whole number within limits.
type Count struct {
	Value int
	// Both are allowed themselves.
	Least, Most int
}

func (c *Count) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	// What is only too large for an int gets the message of a number that is too large.
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return errors.New("must be a whole number")
	case strings.HasPrefix(text, "-"):
		return errors.New("must not be negative")
	case err == nil && n < c.Least:
		return fmt.Errorf("must be at least %d", c.Least)
	case err != nil || n > c.Most:
		return fmt.Errorf("must be at most %d", c.Most)
	}
	c.Value = n
	return nil
}

func (c *Count) String() string { return strconv.Itoa(c.Value) }
func (c *Count) Type() string   { return "N" }

// Ratio is "K/N": so many passes among so many trials.
type Ratio stats.Counts

func (r *Ratio) Set(text string) error {
	passes, trials, ok := strings.Cut(text, "/")
	if !ok {
		return errors.New("must be passes/trials, such as 93/100")
	}
	k, n := Count{Most: maxCompared}, Count{Most: maxCompared}
	if err := k.Set(strings.TrimSpace(passes)); err != nil {
		return fmt.Errorf("has passes that cannot be used: %q %w", passes, err)
	}
	if err := n.Set(strings.TrimSpace(trials)); err != nil {
		return fmt.Errorf("has trials that cannot be used: %q %w", trials, err)
	}
	if n.Value == 0 {
		return errors.New("has no trials: nothing can be said of none")
	}
	if k.Value > n.Value {
		return errors.New("has more passes than trials")
	}
	*r = Ratio{Passes: k.Value, Trials: n.Value}
	return nil
}

// String is "" for the zero value, so that the help shows no default.
func (r *Ratio) String() string {
	if r.Trials == 0 {
		return ""
	}
	return stats.Counts(*r).String()
}
func (r *Ratio) Type() string { return "K/N" }

// The largest numbers of trials that flags may give. A comparison takes time and
// memory in proportion.
const (
	MaxTrials   = 100_000_000
	maxCompared = 1_000_000
)

// ByteSize is a number of bytes, such as 64MiB.
type ByteSize int

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

// Set reads a size. Sizes are ints, which on 32 bits end at 2 GiB, so that is the limit
// everywhere.
func (b *ByteSize) Set(text string) error {
	bytes, err := ParseSize(text, mostInt)
	if err == nil {
		*b = ByteSize(bytes)
	}
	return err
}

// ParseSize reads a size of at most so many bytes.
func ParseSize(text string, most int64) (int64, error) {
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

func (b *ByteSize) String() string { return SizeText(int64(*b)) }
func (b *ByteSize) Type() string   { return "SIZE" }

// Word is one of a list of named values.
type Word[T fmt.Stringer] struct {
	// The zero value unless another default is set or the flag is given.
	Value T
	Kind  string // what it names, such as METHOD
	// In the order of the help; one that is left out cannot be given.
	Words []T
	List  string // where all of them are listed, for a list that is long
}

func (w *Word[T]) Set(text string) error {
	for _, candidate := range w.Words {
		if candidate.String() == text {
			w.Value = candidate
			return nil
		}
	}
	err := NoSuchWord(text, w.Completions())
	if none, ok := errors.AsType[*Refusal](err); ok && none.Hint == "" {
		none.Hint = w.List
	}
	return err
}

func (w *Word[T]) String() string { return w.Value.String() }
func (w *Word[T]) Type() string   { return w.Kind }

// Usage returns the text for help, with the list.
func (w *Word[T]) Usage(text string) string {
	names := w.Completions()
	last := len(names) - 1
	return text + ": " + strings.Join(names[:last], ", ") + " or " + names[last]
}

// Completions are the words; the shell completes them.
func (w *Word[T]) Completions() []string {
	names := make([]string, len(w.Words))
	for i, candidate := range w.Words {
		names[i] = candidate.String()
	}
	return names
}

// shownWords is how many words a message lists: more of them nobody reads.
const shownWords = 16

// NoSuchWord says that what was typed is none of the words.
func NoSuchWord(typed string, words []string) error {
	wrong := "must be one of " + strings.Join(words, ", ")
	if more := len(words) - shownWords; more > 0 {
		wrong = fmt.Sprintf("must be one of %s and %d more", strings.Join(words[:shownWords], ", "), more)
	}
	return &Refusal{wrong, problem.DidYouMean("", typed, words)}
}

// Seed is that of a random number generator.
type Seed uint64

func (s *Seed) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errors.New("must be a whole number from 0 to 18446744073709551615")
	}
	*s = Seed(n)
	return nil
}

func (s *Seed) String() string { return strconv.FormatUint(uint64(*s), 10) }
func (s *Seed) Type() string   { return "N" }

// SizeText uses the largest binary unit that gives a whole number.
func SizeText(bytes int64) string {
	for _, unit := range []int{2, 1, 0} {
		if size := int64(byteUnits[unit].size); bytes >= size && bytes%size == 0 {
			return strconv.FormatInt(bytes/size, 10) + byteUnits[unit].name
		}
	}
	return strconv.FormatInt(bytes, 10)
}

// mostInt is the largest size that is an int everywhere.
const mostInt = math.MaxInt32

// MaxDesign is the largest number of trials of a design. Package sprt builds no larger
// design, as its lattice would not fit into memory, nor may a suite ask for one.
const MaxDesign = 20_000
