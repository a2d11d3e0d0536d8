package fingerprint

import (
	"iter"
	"slices"

	"github.com/tribunal-dev/tribunal/trial"
)

// Vocabulary fixes the columns of vectors: which tools and actions have one of
// their own.
type Vocabulary struct {
	columns        []Column
	tools, actions map[string]int // name -> column
	otherTools     int            // column of the tools that have none
	otherActions   int            // column of the actions that have none
	measures       int            // the first column of measured
	pairs          map[string]int // name -> column
	ends           int            // the first column of a pair, behind all others
}

// Vector is a trial as numbers, one for each column, in the columns' own units and
// not transformed. Unknown values stay unknown.
type Vector struct {
	Scenario string // trials of one scenario are compared with each other
	// Input names what the system was given, "" where that is unknown. Trials of an input
	// that both sides tried are compared with each other; those of one that a side alone
	// tried change sides together.
	Input string
	// Outcome is asked of samples that a sequential test ended.
	Outcome trial.Outcome
	Values  []trial.Optional[float64] // one for each column
}

// NewVocabulary returns the vocabulary of the samples together. A tool or action
// gets a column if it was used in at least three trials and in 2 % of them; the
// others share one column for tools and one for actions. Of pairs of tools called one
// after the other, those of the most trials have a column, fifty at most.
//
// A comparison of two samples must have the vocabulary of both together, which
// [Compare] makes by itself, or one that was fixed before either of them was seen.
// The vocabulary of the baseline alone depends on the labels that the test
// exchanges: a rare tool has a column if more of those who called it happen to be
// the baseline's, and shares one if they are the candidate's. Two samples of one
// system whose tools have random names would then differ by construction.
func NewVocabulary(samples ...*Sample) *Vocabulary {
	trials := 0
	for _, s := range samples {
		trials += s.Len()
	}
	// 2 % of the trials, rounded up.
	least := max(3, (trials+49)/50)
	tools := frequent(samples, least, func(s *Sample) (*names, []count) { return &s.tools, s.toolCounts })
	actions := frequent(samples, least, func(s *Sample) (*names, []count) { return &s.actions, s.actionCounts })

	v := &Vocabulary{tools: make(map[string]int), actions: make(map[string]int), pairs: make(map[string]int)}
	for _, name := range tools {
		v.tools[name] = v.append(Column{toolPrefix + name, ToolCalls, Log1p})
	}
	v.otherTools = v.append(Column{"other_tools", otherToolCalls, Log1p})
	for _, name := range actions {
		v.actions[name] = v.append(Column{actionPrefix + name, actionSteps, Log1p})
	}
	v.otherActions = v.append(Column{"other_actions", otherActionSteps, Log1p})
	// Own columns of tools and actions come first, so that a vector's counts are one range.
	v.measures = len(v.columns)
	v.columns = append(v.columns, measured()...)
	v.ends = len(v.columns)
	for _, name := range frequentPairs(samples, least) {
		v.pairs[name] = v.append(Column{pairPrefix + name, toolPair, Log1p})
	}
	return v
}

// mostPairs is how many pairs of tools have a column. The number is chosen.
const mostPairs = 50

// frequentPairs are the pairs of the most trials, sorted by name. Which they are does not depend on the sides.
func frequentPairs(samples []*Sample, least int) []string {
	trials := make(map[string]int)
	pairs := func(s *Sample) (*names, []count) { return &s.pairs, s.pairCounts }
	words := frequent(samples, least, pairs)
	if len(words) <= mostPairs {
		return words
	}
	for _, s := range samples {
		for _, c := range s.pairCounts {
			trials[s.pairs.words[c.name]]++
		}
	}
	slices.SortStableFunc(words, func(a, b string) int { return trials[b] - trials[a] })
	words = words[:mostPairs]
	slices.Sort(words)
	return words
}

// append adds a column, and returns its place.
func (v *Vocabulary) append(c Column) int {
	v.columns = append(v.columns, c)
	return len(v.columns) - 1
}

// frequent returns the names that at least so many trials used, sorted. Each trial
// has one count for a name. Counts of a trial name a tool once: a count is a trial.
func frequent(samples []*Sample, least int, source func(*Sample) (*names, []count)) (words []string) {
	trials := make(map[string]int)
	for _, s := range samples {
		names, counts := source(s)
		for _, c := range counts {
			trials[names.words[c.name]]++
		}
	}
	for word, n := range trials {
		if n >= least {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

// Columns returns the columns, in the order of a vector's values.
func (v *Vocabulary) Columns() []Column { return slices.Clone(v.columns) }

// Vector returns the vector of a trial, also of one that ended in an error.
func (v *Vocabulary) Vector(t *trial.Trial) Vector {
	var s Sample
	s.add(t)
	return v.Vectors(&s)[0]
}

// Vectors returns the vectors of the trials of a sample, in their order.
func (v *Vocabulary) Vectors(s *Sample) []Vector {
	vectors := make([]Vector, 0, s.Len())
	for _, vector := range v.Each(s) {
		vectors = append(vectors, vector)
	}
	return vectors
}

// Each yields the vectors of the trials of a sample, in their order and with their numbers from 0. It holds few of them
// at a time.
func (v *Vocabulary) Each(s *Sample) iter.Seq2[int, Vector] {
	return func(yield func(int, Vector) bool) {
		const together = 1000
		var trials []int
		for from := 0; from < s.Len(); from += together {
			trials = trials[:0]
			for i := from; i < min(from+together, s.Len()); i++ {
				trials = append(trials, i)
			}
			for i, vector := range v.some(s, trials) {
				if !yield(from+i, vector) {
					return
				}
			}
		}
	}
}

// some returns the vectors of trials, which are named by their places in the sample.
func (v *Vocabulary) some(s *Sample, trials []int) []Vector {
	tools := columnsOf(s.tools.words, v.tools, v.otherTools)
	actions := columnsOf(s.actions.words, v.actions, v.otherActions)
	pairs := columnsOf(s.pairs.words, v.pairs, -1)
	vectors := make([]Vector, len(trials))
	// One array for all rows; a full slice expression keeps a row from growing into the next.
	values := make([]trial.Optional[float64], len(trials)*len(v.columns))
	for i, place := range trials {
		r := &s.trials[place]
		row := values[i*len(v.columns) : (i+1)*len(v.columns) : (i+1)*len(v.columns)]
		if r.recorded {
			// A tool that was not called has a count of 0, which is known where steps were recorded.
			for j := range v.measures {
				row[j].Known = true
			}
			add(row, tools, s.toolCounts[r.tools.from:r.tools.to])
			add(row, actions, s.actionCounts[r.actions.from:r.actions.to])
		}
		r.measure(row[v.measures:v.ends])
		if r.paired {
			for j := v.ends; j < len(row); j++ {
				row[j].Known = true
			}
			add(row, pairs, s.pairCounts[r.pairs.from:r.pairs.to])
		}
		vectors[i] = Vector{Scenario: s.scenarios.words[r.scenario], Outcome: r.outcome, Values: row}
		if r.input > 0 {
			vectors[i].Input = s.inputs.words[r.input-1]
		}
	}
	return vectors
}

// columnsOf returns the column of each name. It is looked up once for each name, not for each trial.
func columnsOf(words []string, column map[string]int, other int) []int {
	columns := make([]int, len(words))
	for i, word := range words {
		j, ok := column[word]
		if !ok {
			j = other
		}
		columns[i] = j
	}
	return columns
}

// add adds to a row the counts of tools, actions or pairs. Rare tools add up in the column that they share;
// rare pairs have none.
func add(row []trial.Optional[float64], column []int, counts []count) {
	for _, c := range counts {
		if j := column[c.name]; j >= 0 {
			row[j].Value += float64(c.steps)
		}
	}
}

// measure fills in the columns of measured.
func (r *record) measure(row []trial.Optional[float64]) {
	for j, c := range measured() {
		row[j] = r.value(c.Kind)
	}
}

// value returns what a column of the kind holds of the trial.
func (r *record) value(k Kind) trial.Optional[float64] {
	switch k {
	case outputTokens:
		return trial.Optional[float64]{Value: float64(r.outputTokens.Value), Known: r.outputTokens.Known}
	case OutputComplexity:
		return r.complexity
	case Cost:
		return r.cost
	case duration:
		return r.duration
	case maxDepth:
		return trial.Optional[float64]{Value: float64(r.depth.Value), Known: r.depth.Known}
	}
	// What follows is counted from steps.
	if !r.recorded {
		return trial.Optional[float64]{}
	}
	switch k {
	case StepCount:
		return trial.Some(float64(r.steps))
	case branches:
		return trial.Some(float64(r.branches))
	case anyError:
		return trial.Some(float64(min(r.failed, 1)))
	case recoveredShare: // 0 without a failed step, as in AgentAssay's Algorithm 3
		return trial.Some(float64(r.recovered) / float64(max(r.failed, 1)))
	case costPerStep:
		return trial.Optional[float64]{Value: r.cost.Value / float64(max(r.steps, 1)), Known: r.cost.Known}
	}
	return trial.Optional[float64]{}
}
