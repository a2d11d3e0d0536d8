package trial

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/ordinal"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// DuplicateError says that a trial is recorded twice.
type DuplicateError struct {
	Variant  string // of the trial; may be ""
	Scenario string // of the trial
	Index    int    // its number
	First    Place  // where it was seen first
	Again    Place  // where it was seen again
}

// Error is the message and the hint.
func (e *DuplicateError) Error() string { return fault.WithHint(e.Message(), e.Hint()) }

// Message says which trial it is, and where it is recorded.
func (e *DuplicateError) Message() string {
	trial := fmt.Sprintf("trial %d of scenario %q", e.Index, prose.Excerpt(e.Scenario))
	if e.Variant != "" {
		trial += fmt.Sprintf(" of variant %q", prose.Excerpt(e.Variant))
	}
	several := e.First.File != e.Again.File
	first, again := linePhrase(e.First, several), linePhrase(e.Again, several)
	return fault.At(e.Again.String(), trial+" is "+first+" and again "+again)
}

// Hint says what to do about it.
func (e *DuplicateError) Hint() string {
	return "drop one, or let both count with AllowDuplicates; of runs that are each numbered anew, count the trials " +
		"with TrialRule"
}

// Option returns the option that the hint names: that of a reader of trials.
func (e *DuplicateError) Option() string { return "AllowDuplicates" }

// ExitCode is that of input that cannot be used.
func (e *DuplicateError) ExitCode() int { return exit.Input }

// linePhrase names the line, and the file where there are several. In an archive there
// are no lines.
func linePhrase(p Place, several bool) string {
	switch {
	case p.Line == 0:
		return "in " + prose.FileName(p.File)
	case several:
		return fmt.Sprintf("on line %d of %s", p.Line, prose.FileName(p.File))
	}
	return fmt.Sprintf("on line %d", p.Line)
}

// KeySet holds the keys of trials, (variant, scenario, number), and where each
// was seen, to find those that are recorded twice. Its zero value is empty.
//
// Trials whose numbers rise by one at equal distances in the file, as when the
// scenarios are run one after the other or in turn, take 32 bytes a run. In any
// other order a trial takes about 20 bytes, and at most 24. A map of Go takes five times
// the memory of the whole reading of a million trials, and doubles its time.
type KeySet struct {
	groups  ordinal.Keys[group]
	numbers []*numbers // of each group
	files   []string
}

type group struct{ variant, scenario string }

// Add adds the key of the trial and its place. It returns a [DuplicateError] if
// the key is in the set already. A trial without a number has no key.
func (s *KeySet) Add(t *Trial) error {
	if !t.Index.Known {
		return nil
	}
	index := int64(t.Index.Value)
	place, isNew := s.groups.Place(group{t.Variant, t.Scenario})
	if isNew {
		s.numbers = append(s.numbers, &numbers{highest: math.MinInt64})
	}
	first, isNew := s.numbers[place].add(index, s.spot(t.Place))
	if isNew {
		return nil
	}
	return &DuplicateError{
		Variant: t.Variant, Scenario: t.Scenario, Index: t.Index.Value,
		First: Place{File: s.files[first.file()], Line: first.line()}, Again: t.Place,
	}
}

// spot is a place in one word: 24 bits of file and 40 bits of line, which is at
// least 1, so that 0 is no spot.
type spot uint64

const (
	lineBits = 40
	lineMask = 1<<lineBits - 1
)

// line is the line, from 1.
func (s spot) line() int { return int(s & lineMask) }

// file is the place of the file among those of the set.
func (s spot) file() int { return int(s >> lineBits) }

// spot packs a place. Files come one after the other, so the last is looked at
// first.
func (s *KeySet) spot(p Place) spot {
	file := len(s.files) - 1
	if file < 0 || s.files[file] != p.File {
		s.files = append(s.files, p.File)
		file++
	}
	line := min(max(int64(p.Line), 1), lineMask)
	return spot(file)<<lineBits | spot(line)
}
