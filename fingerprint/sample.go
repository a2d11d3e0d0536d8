package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"time"

	"github.com/tribunal-dev/tribunal/trial"
)

// Sample holds what the vectors of several trials are made of: the counts of each
// trial by tool, by pair of tools and by action, a few measures, its scenario, a digest of its
// input, and its outcome. Its zero value is
// empty. It keeps nothing of a trial but that and strings, so that a stream of
// trials may use its memory again.
type Sample struct {
	// Stopped says that a sequential test ended the recording, so that how many trials there
	// are depends on their outcomes. Trials are then compared with those of the same outcome.
	Stopped bool

	trials                   []record
	tools, actions, pairs    names
	scenarios, inputs        names
	toolCounts, actionCounts []count // trial after trial
	pairCounts               []count // of tools called one after the other, trial after trial
	errors                   int
	first, last              time.Time // when trials began; the zero time where none says so
	tally                    tally
}

// record is one trial of a sample.
type record struct {
	scenario       int           // its number
	input          int           // its number, from 1; 0 is unknown
	outcome        trial.Outcome // [trial.Unjudged] where nothing told it
	tools, actions span          // of toolCounts and actionCounts
	pairs          span          // of pairCounts
	recorded       bool          // the steps are known
	paired         bool          // so are the pairs of tools
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
// Both fit: a step takes more memory than a number.
type count struct{ name, steps int32 }

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
		outcome:      t.Outcome,
		recorded:     t.Steps != nil,
		paired:       t.Steps != nil,
		steps:        len(t.Steps),
		outputTokens: t.TotalOutputTokens(),
		cost:         recordedCost(t),
		duration:     t.DurationSeconds,
	}
	if t.Output != nil {
		r.complexity = trial.Some(s.tally.complexity.perByte(t.Output.Text()))
	}
	if len(t.Input) > 0 {
		r.input = s.inputs.index(digestOf(t.Input)) + 1
	}
	s.dated(t.StartedAt)
	s.countSteps(t.Steps, &r)
	s.trials = append(s.trials, r)
}

// recordedCost is unknown where the cost is an estimate: it follows from the tokens and a table of prices, and a table
// that changed is no behaviour.
func recordedCost(t *trial.Trial) trial.Optional[float64] {
	if t.CostBasis != trial.RecordedCost {
		return trial.Optional[float64]{}
	}
	return t.TotalCostUSD()
}

// digestOf names an input: equal inputs have one name, and it says nothing of what they are.
func digestOf(input trial.Raw) string {
	sum := sha256.Sum256(input)
	return hex.EncodeToString(sum[:8])
}

// dated widens the time in which the trials began.
func (s *Sample) dated(start trial.Timestamp) {
	if start == "" {
		return
	}
	at, err := start.Time()
	if err != nil {
		return
	}
	if s.first.IsZero() || at.Before(s.first) {
		s.first = at
	}
	if s.last.IsZero() || at.After(s.last) {
		s.last = at
	}
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
