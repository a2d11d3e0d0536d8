package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/stats"
)

// The types below are values of flags. Set refuses a value with an error that
// says what the value must be; the flag and the value are named by the caller.

// refusal is such an error with a hint.
type refusal struct{ problem, hint string }

func (r *refusal) Error() string { return r.problem }

// parseNumber reads a number that fits, or says what it must be. NaN has to be refused by
// fits, as ParseFloat reads it.
func parseNumber(text, must string, fits func(float64) bool) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !fits(x) {
		return 0, &refusal{problem: "must be " + must}
	}
	return x, nil
}

// parseShare is parseNumber for a number up to 1. Whoever gives it as a percentage is told
// how it is written.
func parseShare(text, must string, fits func(float64) bool) (float64, error) {
	x, err := parseNumber(text, must, fits)
	if err == nil {
		return x, nil
	}
	// Only "95%", or a number that is at least 2, is taken for a percentage: 1.5 may be a
	// slip.
	number, percent := strings.CutSuffix(text, "%")
	if x, err := strconv.ParseFloat(number, 64); err == nil && (percent || x >= 2) && x > 0 && fits(x/100) {
		return 0, &refusal{"must be " + must, fmt.Sprintf("%s %% is %g", number, x/100)}
	}
	return 0, err
}

// level is a number strictly between 0 and 1.
type level float64

func (l *level) Set(text string) error {
	x, err := parseShare(text, "a number strictly between 0 and 1", func(x float64) bool { return x > 0 && x < 1 })
	if err == nil {
		*l = level(x)
	}
	return err
}

func (l *level) String() string { return strconv.FormatFloat(float64(*l), 'g', -1, 64) }
func (l *level) Type() string   { return "P" }

// deviations is a positive number of standard deviations, at most ten: sides that far apart do not overlap.
type deviations float64

func (d *deviations) Set(text string) error {
	x, err := parseShare(text, "a number above 0 and at most 10", func(x float64) bool { return x > 0 && x <= 10 })
	if err == nil {
		*d = deviations(x)
	}
	return err
}

func (d *deviations) String() string { return strconv.FormatFloat(float64(*d), 'g', -1, 64) }
func (d *deviations) Type() string   { return "SD" }

// finite is any number but NaN and the infinities.
type finite float64

func (f *finite) Set(text string) error {
	x, err := parseNumber(text, "a finite number", func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) })
	if err == nil {
		*f = finite(x)
	}
	return err
}

func (f *finite) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }
func (f *finite) Type() string   { return "X" }

// proportion is a number from 0 to 1.
type proportion float64

func (p *proportion) Set(text string) error {
	x, err := parseShare(text, "a number from 0 to 1", func(x float64) bool { return x >= 0 && x <= 1 })
	if err == nil {
		*p = proportion(x)
	}
	return err
}

func (p *proportion) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }
func (p *proportion) Type() string   { return "C" }

// part is a number above 0 and at most 1.
type part float64

func (p *part) Set(text string) error {
	x, err := parseShare(text, "a number above 0 and at most 1", func(x float64) bool { return x > 0 && x <= 1 })
	if err == nil {
		*p = part(x)
	}
	return err
}

func (p *part) String() string { return strconv.FormatFloat(float64(*p), 'g', -1, 64) }
func (p *part) Type() string   { return "C" }

// belowOne is a threshold: a level with a word on why it is not 1.
type belowOne float64

func (b *belowOne) Set(text string) error {
	if x, err := strconv.ParseFloat(text, 64); err == nil && x == 1 {
		return &refusal{
			"cannot be tested: no number of passes shows that a system never fails",
			"the nearest is a threshold such as 0.999; 0.95 takes far fewer trials",
		}
	}
	return (*level)(b).Set(text)
}

func (b *belowOne) String() string { return (*level)(b).String() }
func (b *belowOne) Type() string   { return "P" }

// amount is a number that is not negative.
type amount float64

// Set reads an amount. The upper limit is chosen: with more than a million millions
// something else is meant, and sums of such amounts stay finite.
func (a *amount) Set(text string) error {
	const most = 1e12
	x, err := parseNumber(text, "a number that is not negative", func(x float64) bool { return x >= 0 && x <= most })
	if err == nil {
		*a = amount(x)
	}
	return err
}

func (a *amount) String() string { return strconv.FormatFloat(float64(*a), 'g', -1, 64) }
func (a *amount) Type() string   { return "X" }

// pointer returns the amount for an option that is nil where nobody gave one.
func (a amount) pointer() *float64 {
	x := float64(a)
	return &x
}

// count is a whole number within limits.
type count struct {
	value int
	// Both are allowed themselves.
	least, most int
}

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
	// What is only too large for an int gets the message of a number that is too large.
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return errors.New("must be a whole number")
	case strings.HasPrefix(text, "-"):
		return errors.New("must not be negative")
	case err == nil && n < c.least:
		return fmt.Errorf("must be at least %d", c.least)
	case err != nil || n > c.most:
		return fmt.Errorf("must be at most %d", c.most)
	}
	c.value = n
	return nil
}

func (c *count) String() string { return strconv.Itoa(c.value) }
func (c *count) Type() string   { return "N" }

// ratio is "K/N": so many passes among so many trials.
type ratio stats.Counts

func (r *ratio) Set(text string) error {
	passes, trials, ok := strings.Cut(text, "/")
	if !ok {
		return errors.New("must be passes/trials, such as 93/100")
	}
	k, n := count{most: maxCompared}, count{most: maxCompared}
	if err := k.Set(strings.TrimSpace(passes)); err != nil {
		return fmt.Errorf("has passes that cannot be used: %q %w", passes, err)
	}
	if err := n.Set(strings.TrimSpace(trials)); err != nil {
		return fmt.Errorf("has trials that cannot be used: %q %w", trials, err)
	}
	if n.value == 0 {
		return errors.New("has no trials: nothing can be said of none")
	}
	if k.value > n.value {
		return errors.New("has more passes than trials")
	}
	*r = ratio{Passes: k.value, Trials: n.value}
	return nil
}

// String is "" for the zero value, so that the help shows no default.
func (r *ratio) String() string {
	if r.Trials == 0 {
		return ""
	}
	return stats.Counts(*r).String()
}
func (r *ratio) Type() string { return "K/N" }

// The largest numbers of trials that flags may give. A comparison takes time and
// memory in proportion.
const (
	maxTrials   = 100_000_000
	maxCompared = 1_000_000
)

// byteSize is a number of bytes, such as 64MiB.
type byteSize int

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
func (b *byteSize) Set(text string) error {
	bytes, err := parseSize(text, mostInt)
	if err == nil {
		*b = byteSize(bytes)
	}
	return err
}

// parseSize reads a size of at most so many bytes.
func parseSize(text string, most int64) (int64, error) {
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

func (b *byteSize) String() string { return sizeText(int64(*b)) }
func (b *byteSize) Type() string   { return "SIZE" }

// word is one of a list of named values.
type word[T fmt.Stringer] struct {
	// The zero value unless another default is set or the flag is given.
	value T
	kind  string // what it names, such as METHOD
	// In the order of the help; one that is left out cannot be given.
	words []T
	list  string // where all of them are listed, for a list that is long
}

func (w *word[T]) Set(text string) error {
	for _, candidate := range w.words {
		if candidate.String() == text {
			w.value = candidate
			return nil
		}
	}
	err := noSuchWord(text, w.names())
	if none, ok := errors.AsType[*refusal](err); ok && none.hint == "" {
		none.hint = w.list
	}
	return err
}

func (w *word[T]) String() string { return w.value.String() }
func (w *word[T]) Type() string   { return w.kind }

// usage returns the text for help, with the list.
func (w *word[T]) usage(text string) string {
	names := w.names()
	last := len(names) - 1
	return text + ": " + strings.Join(names[:last], ", ") + " or " + names[last]
}

func (w *word[T]) names() []string {
	names := make([]string, len(w.words))
	for i, candidate := range w.words {
		names[i] = candidate.String()
	}
	return names
}

// rule is a rule that is read by its own parser.
type rule[R fmt.Stringer] struct {
	value R
	kind  string // what it is called, such as RULE
	parse func(string) (R, error)
}

func (r *rule[R]) Set(text string) error {
	value, err := r.parse(text)
	// The rule that cannot be read is quoted by the caller, with the name of the flag.
	if e, ok := errors.AsType[*ingest.RuleError](err); ok {
		return &refusal{e.Problem, e.Advice}
	}
	r.value = value
	return err
}

func (r *rule[R]) String() string { return r.value.String() }
func (r *rule[R]) Type() string   { return r.kind }

// shownWords is how many words a message lists: more of them nobody reads.
const shownWords = 16

// noSuchWord says that what was typed is none of the words.
func noSuchWord(typed string, words []string) error {
	problem := "must be one of " + strings.Join(words, ", ")
	if more := len(words) - shownWords; more > 0 {
		problem = fmt.Sprintf("must be one of %s and %d more", strings.Join(words[:shownWords], ", "), more)
	}
	return &refusal{problem, didYouMean("", typed, words)}
}

// seed is that of a random number generator.
type seed uint64

func (s *seed) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return errors.New("must be a whole number from 0 to 18446744073709551615")
	}
	*s = seed(n)
	return nil
}

func (s *seed) String() string { return strconv.FormatUint(uint64(*s), 10) }
func (s *seed) Type() string   { return "N" }
