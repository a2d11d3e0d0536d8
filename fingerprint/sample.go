package fingerprint

import (
	"iter"

	"github.com/tribunal-dev/tribunal/trial"
)

// Sample holds what the vectors of several trials are made of: the counts of each
// trial by tool and by action, a few measures, and its scenario. Its zero value is
// empty. It keeps nothing of a trial but that and strings, so that a stream of
// trials may use its memory again.
type Sample struct {
	trials                    []record
	tools, actions, scenarios names
	toolCounts, actionCounts  []count // trial after trial
	errors                    int
	tally                     tally
}

// record is one trial of a sample.
type record struct {
	scenario       int  // its number
	tools, actions span // of toolCounts and actionCounts
	recorded       bool // the steps are known
	steps          int
	branches       int // distinct pairs of tools called one after the other
	failed         int // steps
	recovered      int // of the failed steps, those that a success of the same tool follows
	depth          trial.Optional[int]
	outputTokens   trial.Optional[int64]
	complexity     trial.Optional[float64] // Lempel-Ziv phrases per byte of the output
	cost           trial.Optional[float64] // USD
	duration       trial.Optional[float64] // seconds
}

// span is a part of a list, without its end.
type span struct{ from, to int }

// count says in how many steps of a trial a tool was called, or an action taken.
type count struct{ name, steps int }

// names numbers words in the order of their first use.
type names struct {
	words  []string       // by their number
	number map[string]int // by word
}

// index returns the number of a word, a new one for a new word.
func (n *names) index(word string) int {
	i, ok := n.number[word]
	if !ok {
		if n.number == nil {
			n.number = make(map[string]int)
		}
		i = len(n.words)
		n.words = append(n.words, word)
		n.number[word] = i
	}
	return i
}

// Add adds a trial. A trial whose outcome is [trial.Error] reached no verdict and
// was cut off at some point that says nothing about the system: it is counted, and
// left out. The reader needs trial.StepFields, and trial.ContentFields for the
// complexity of the output.
func (s *Sample) Add(t *trial.Trial) {
	if t.Outcome == trial.Error {
		s.errors++
		return
	}
	s.add(t)
}

func (s *Sample) add(t *trial.Trial) {
	r := record{
		scenario:     s.scenarios.index(t.Scenario),
		recorded:     t.Steps != nil,
		steps:        len(t.Steps),
		outputTokens: t.TotalOutputTokens(),
		cost:         t.TotalCostUSD(),
		duration:     t.DurationSeconds,
	}
	if t.Output != nil {
		r.complexity = trial.Some(s.tally.complexity.perByte(t.Output.Text()))
	}
	s.countSteps(t.Steps, &r)
	s.trials = append(s.trials, r)
}

// Len returns the number of trials, without those that ended in an error.
func (s *Sample) Len() int { return len(s.trials) }

// Errors returns the number of trials that were left out because they ended in an
// error.
func (s *Sample) Errors() int { return s.errors }

// Tools returns the names of the tools that the trials called, in the order of
// their first call.
func (s *Sample) Tools() []string { return append([]string(nil), s.tools.words...) }

// Collect adds the trials of a stream to a new sample. It returns the first error
// of the stream.
func Collect(trials iter.Seq2[*trial.Trial, error]) (*Sample, error) {
	s := new(Sample)
	for t, err := range trials {
		if err != nil {
			return nil, err
		}
		s.Add(t)
	}
	return s, nil
}
