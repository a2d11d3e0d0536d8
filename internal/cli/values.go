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

// level is a number strictly between 0 and 1.
type level float64

func (l *level) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && x > 0 && x < 1 { // NaN is not
		*l = level(x)
		return nil
	}
	refused := &refusal{problem: "must be a number strictly between 0 and 1"}
	number, percent := strings.CutSuffix(text, "%")
	if x, err := strconv.ParseFloat(number, 64); err == nil && (percent || x >= 2) && x > 0 && x < 100 {
		refused.hint = fmt.Sprintf("%s %% is %g", number, x/100)
	}
	return refused
}

func (l *level) String() string { return strconv.FormatFloat(float64(*l), 'g', -1, 64) }
func (l *level) Type() string   { return "P" }

// finite is any number but NaN and the infinities.
type finite float64

func (f *finite) Set(text string) error {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
		return errors.New("must be a finite number")
	}
	*f = finite(x)
	return nil
}

func (f *finite) String() string { return strconv.FormatFloat(float64(*f), 'g', -1, 64) }
func (f *finite) Type() string   { return "X" }

// count is a whole number within limits.
type count struct {
	value       int
	least, most int
}

func (c *count) Set(text string) error {
	n, err := strconv.Atoi(text)
	switch {
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

var byteUnits = []struct {
	name string
	size int
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9},
	{"B", 1}, {"", 1},
}

func (b *byteSize) Set(text string) error {
	problem := errors.New("must be a size such as 64MiB, 500KB or 1048576")
	for _, unit := range byteUnits {
		digits, ok := cutSuffixFold(text, unit.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(digits), 10, 31)
		switch {
		case errors.Is(err, strconv.ErrRange), err == nil && n > uint64(math.MaxInt32/unit.size):
			return errors.New("must be less than 2 GiB")
		case err != nil:
			return problem
		case n == 0:
			return errors.New("must be at least 1 byte")
		}
		*b = byteSize(int(n) * unit.size)
		return nil
	}
	return problem
}

func cutSuffixFold(text, suffix string) (before string, found bool) {
	at := len(text) - len(suffix)
	if at < 0 || !strings.EqualFold(text[at:], suffix) {
		return text, false
	}
	return text[:at], true
}

func (b *byteSize) String() string {
	for _, unit := range []int{2, 1, 0} {
		if size := byteUnits[unit].size; int(*b) >= size && int(*b)%size == 0 {
			return strconv.Itoa(int(*b)/size) + byteUnits[unit].name
		}
	}
	return strconv.Itoa(int(*b))
}
func (b *byteSize) Type() string { return "SIZE" }

// word is one of a list of named values.
type word[T fmt.Stringer] struct {
	value T
	kind  string // what it names, such as METHOD
	words []T
}

func (w *word[T]) Set(text string) error {
	for _, candidate := range w.words {
		if candidate.String() == text {
			w.value = candidate
			return nil
		}
	}
	return noSuchWord(text, w.names())
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
	if e, ok := errors.AsType[*ingest.RuleError](err); ok {
		return &refusal{e.Problem, e.Advice}
	}
	r.value = value
	return err
}

func (r *rule[R]) String() string { return r.value.String() }
func (r *rule[R]) Type() string   { return r.kind }

// noSuchWord says that what was typed is none of the words.
func noSuchWord(typed string, words []string) error {
	return &refusal{"must be one of " + strings.Join(words, ", "), didYouMean("", typed, words)}
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
