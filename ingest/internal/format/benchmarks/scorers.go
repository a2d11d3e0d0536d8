package benchmarks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// scorers are those of a file, of which one judges: the one that is alone, or that the options name.
type scorers struct {
	in     *record.Input
	seen   []string // names, in their order
	judged bool     // the one that judges was seen
}

// mostNames is how many names of scorers and filters are told; chosen.
const mostNames = 20

// choose returns which of the scorers of a trial judges, and false if none does.
func (s *scorers) choose(names []string) (name string, ok bool) {
	for _, n := range names {
		if !slices.Contains(s.seen, n) && len(s.seen) < mostNames {
			s.seen = append(s.seen, n)
		}
	}
	name = s.in.Options.Scorer
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	ok = slices.Contains(names, name)
	s.judged = s.judged || ok
	return name, ok
}

// setScore sets a score, of which 1 and 0 are a pass and a fail.
func setScore(t *record.Trace, score trial.Optional[float64]) {
	switch t.Score = score; score {
	case trial.Some(1.0):
		t.Outcome = trial.Pass
	case trial.Some(0.0):
		t.Outcome = trial.Fail
	}
}

// end says what of the scores was not used.
func (s *scorers) end() error {
	list := strings.Join(s.seen, ", ")
	switch name := s.in.Options.Scorer; {
	case name != "" && !s.judged && len(s.seen) > 0:
		return &trial.FileError{
			File: s.in.File, Problem: fmt.Sprintf("has no score of the scorer %q", prose.Excerpt(name)),
			Advice: "its scorers are " + prose.Excerpt(list),
		}
	case name == "" && len(s.seen) > 1:
		s.in.Notes.Remark("there are several scorers, and none was chosen to judge: " + list)
	}
	return nil
}
