package record

import (
	"bufio"
	"io"
	"regexp"
	"slices"
)

// SplitRuns knows the runs whose records are spread over several files of a stream, as exports
// of traces are that overlap or were cut by time. Its methods may be called on nil, which
// knows none.
type SplitRuns struct {
	last map[string]int // by id, the last file that names it, for those that several name
	kept map[string]any // what is known of a run so far, by id
	ids  []string       // of those, in the order in which they were kept
	file int            // that is read
}

// NewSpread returns what is known of runs by the last file that names each, of those that
// several files name.
func NewSpread(last map[string]int) *SplitRuns { return &SplitRuns{last: last, kept: map[string]any{}} }

// Turn says which file is read from now on.
func (s *SplitRuns) Turn(file int) {
	if s != nil {
		s.file = file
	}
}

// Keep keeps what is known of a run for a later file that names it, and reports whether
// there is one.
func (s *SplitRuns) Keep(id string, known any) bool {
	if s == nil || s.last[id] <= s.file {
		return false
	}
	s.kept[id] = known
	if !slices.Contains(s.ids, id) {
		s.ids = append(s.ids, id)
	}
	return true
}

// Take returns what earlier files said of a run, nil if they said nothing. It is forgotten.
func (s *SplitRuns) Take(id string) any {
	if s == nil {
		return nil
	}
	known, isKept := s.kept[id]
	if isKept {
		delete(s.kept, id)
		s.ids = slices.DeleteFunc(s.ids, func(other string) bool { return other == id })
	}
	return known
}

// Due returns what is known of the runs that no later file names, and of which the file that was read said nothing: it
// named them for another reason. They are forgotten.
func Due[T any](s *SplitRuns) (due []T) {
	if s == nil {
		return nil
	}
	for _, id := range slices.Clone(s.ids) {
		if known, ok := s.kept[id].(T); ok && s.last[id] <= s.file {
			s.Take(id)
			due = append(due, known)
		}
	}
	return due
}

// IDsIn hands out what a pattern finds in the lines of a text, of which it looks at the beginnings alone.
func IDsIn(text io.Reader, pattern *regexp.Regexp, found func(id string)) error {
	lines := bufio.NewReaderSize(text, PrefixBytes)
	for {
		line, err := lines.ReadSlice('\n')
		if m := pattern.FindSubmatch(line); m != nil {
			found(string(m[1]))
		}
		for err == bufio.ErrBufferFull {
			_, err = lines.ReadSlice('\n')
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		}
	}
}
