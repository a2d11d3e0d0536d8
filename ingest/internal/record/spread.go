package record

// SplitRuns knows the runs whose records are spread over several files of a stream, as exports
// of traces are that overlap or were cut by time. Its methods may be called on nil, which
// knows none.
type SplitRuns struct {
	last map[string]int // by id, the last file that names it, for those that several name
	kept map[string]any // what is known of a run so far, by id
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
	return true
}

// Take returns what earlier files said of a run, nil if they said nothing. It is forgotten.
func (s *SplitRuns) Take(id string) any {
	if s == nil {
		return nil
	}
	known := s.kept[id]
	delete(s.kept, id)
	return known
}
