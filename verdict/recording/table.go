package recording

import (
	"iter"
	"math"

	"github.com/tribunal-dev/tribunal/trial"
)

// table holds observations by columns, so that what is not known of trials takes no memory, and what they share is
// kept once.
type table struct {
	rows      int
	scenarios []string          // in the order in which they come
	number    map[string]uint32 // of a scenario
	last      uint32            // the scenario of the last row

	scenario [][]uint32 // in chunks, and so the marks
	marks    [][]uint8
	index    words // numbers of trials, where mark says that they are known
	input    words // hashes
	metrics  [metricCount]words
	told     [metricCount]int // rows that have a metric
	outputs  []string         // of the first rows
	counts   map[int]int      // of rows that are several trials

	beyond int // rows from which on columns are put aside; 0 never does
	aside  *spillFile
}

// What a mark says: the outcome, the basis of the cost, and whether the number of the trial is known.
const (
	markOutcome = 0x0f
	markBasis   = 4 // bits to the left, two of them
	markIndex   = 0x80
)

// basisMarks are the marks of bases of a cost.
var basisMarks = [...]trial.CostBasis{trial.RecordedCost, trial.EstimatedCost, trial.CostAtMost}

// add appends an observation.
func (t *table) add(o Observation) {
	if t.number == nil {
		t.number = map[string]uint32{}
		for i := range t.metrics {
			t.metrics[i].missing = math.Float64bits(math.NaN())
		}
	}
	if t.rows == 0 || t.scenarios[t.last] != o.Scenario {
		at, known := t.number[o.Scenario]
		if !known {
			at = uint32(len(t.scenarios))
			t.number[o.Scenario] = at
			t.scenarios = append(t.scenarios, o.Scenario)
		}
		t.last = at
	}
	at := t.rows / chunkWords
	if at == len(t.scenario) {
		t.scenario, t.marks = append(t.scenario, nil), append(t.marks, nil)
	}
	t.scenario[at] = append(t.scenario[at], t.last)
	m := uint8(o.Outcome)
	for i, b := range basisMarks {
		if b == o.Basis {
			m |= uint8(i) << markBasis
		}
	}
	if o.Index.Known {
		m |= markIndex
	}
	t.marks[at] = append(t.marks[at], m)
	t.index.add(uint64(o.Index.Value), t.aside)
	t.input.add(o.Input, t.aside)
	for i, x := range o.Metrics {
		bits := t.metrics[i].missing
		if !math.IsNaN(x) {
			bits = math.Float64bits(x)
			t.told[i]++
		}
		t.metrics[i].add(bits, t.aside)
	}
	if o.Output != "" {
		for len(t.outputs) < t.rows {
			t.outputs = append(t.outputs, "")
		}
		t.outputs = append(t.outputs, o.Output)
	}
	if o.Count != 1 {
		t.count(t.rows, o.Count)
	}
	if t.rows++; t.rows == t.beyond {
		t.putAside()
	}
}

// count sets how many trials a row is.
func (t *table) count(row, trials int) {
	if t.counts == nil {
		t.counts = map[int]int{}
	}
	t.counts[row] = trials
}

// putAside begins to put columns aside.
func (t *table) putAside() {
	if t.aside = newAside(); t.aside == nil {
		return
	}
	for i := range columnCount {
		t.column(i).putAside(t.aside)
	}
}

// countOf is how many trials a row is.
func (t *table) countOf(row int) int {
	if n, several := t.counts[row]; several {
		return n
	}
	return 1
}

func (t *table) scenarioOf(row int) int { return int(t.scenario[row/chunkWords][row%chunkWords]) }

func (t *table) outcome(row int) trial.Outcome {
	return trial.Outcome(t.marks[row/chunkWords][row%chunkWords] & markOutcome)
}

func (t *table) basis(row int) trial.CostBasis {
	return basisMarks[t.marks[row/chunkWords][row%chunkWords]&^markIndex>>markBasis]
}

// at returns one row.
func (t *table) at(row int) Observation {
	var numbers [columnCount]uint64
	for i := range numbers {
		numbers[i] = t.column(i).at(row, t.aside)
	}
	return t.observation(row, &numbers)
}

// The columns of numbers: one for each metric, and two more.
const (
	indexColumn = int(metricCount) + iota
	inputColumn
	columnCount
)

// column returns a column of numbers.
func (t *table) column(i int) *words {
	switch i {
	case indexColumn:
		return &t.index
	case inputColumn:
		return &t.input
	}
	return &t.metrics[i]
}

// observation returns a row whose columns have such numbers.
func (t *table) observation(row int, numbers *[columnCount]uint64) Observation {
	m := t.marks[row/chunkWords][row%chunkWords]
	o := Observation{
		Scenario: t.scenarios[t.scenarioOf(row)], Outcome: trial.Outcome(m & markOutcome), Input: numbers[inputColumn],
		Basis: t.basis(row), Count: t.countOf(row),
	}
	if m&markIndex != 0 {
		o.Index = trial.Some(int(numbers[indexColumn]))
	}
	for i := range o.Metrics {
		o.Metrics[i] = math.Float64frombits(numbers[i])
	}
	if row < len(t.outputs) {
		o.Output = t.outputs[row]
	}
	return o
}

// all returns all rows in their order.
func (t *table) all() iter.Seq2[int, Observation] {
	return func(yield func(int, Observation) bool) {
		var cursors [columnCount]cursor
		for i := range cursors {
			cursors[i] = cursor{column: t.column(i), from: t.aside}
		}
		var numbers [columnCount]uint64
		for row := range t.rows {
			for i := range cursors {
				numbers[i] = cursors[i].at(row)
			}
			if !yield(row, t.observation(row, &numbers)) {
				return
			}
		}
	}
}

// numbers returns the numbers of a column by rows.
func (t *table) numbers(w *words) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		c := cursor{column: w, from: t.aside}
		for row := range t.rows {
			if !yield(row, c.at(row)) {
				return
			}
		}
	}
}
