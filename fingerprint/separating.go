package fingerprint

import (
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/special"
	"github.com/tribunal-dev/tribunal/stats/sample"
)

// separatingEvent is the event that all baseline trials share a value of a column that
// not all trials share: whoever departs from it is of the candidate's side. T²
// hardly sees a few such trials among many columns. So is the event that all values far above the others are the
// candidate's.
type separatingEvent struct {
	columns []int   // positions among the tested columns; several, if the same trials depart in each
	apart   []bool  // rows that depart
	p       float64 // hypergeometric probability of the event under permutation
}

// separatingEvents returns the events that are rare enough to count at the level
// alpha, and the number by which their probabilities are to be multiplied. It is no
// matter whether they happened: a value takes part if enough trials have it, in
// each scenario, to fill the baseline's side. Events that could not be significant
// if they happened are not counted (Tarone 1990, Biometrics 46:515).
func (p *pool) separatingEvents(alpha float64) (events []separatingEvent, multiplicity int) {
	place := make(map[string]int) // among the events, by who departs
	for j := range p.tested {
		column := p.column(j)
		var found []separatingEvent
		for _, value := range p.shared(column) {
			found = append(found, p.separatingEvent(column, value))
		}
		// The value that all but a few trials share may be "not far out".
		if far := p.farOut(column); far != nil {
			found = append(found, p.separatingEvent(far, 0))
		}
		for _, e := range found {
			if !(e.p <= alpha) {
				continue
			}
			// Columns in which the same trials depart are one event: counting it twice would only raise the
			// multiplicity.
			key := keyOf(e.apart)
			if i, ok := place[key]; ok {
				events[i].columns = append(events[i].columns, j)
				continue
			}
			e.columns = []int{j}
			place[key] = len(events)
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b separatingEvent) int { return byValue(a.p, b.p) })
	events = events[:min(len(events), 64)] // as many as a set of them holds
	// Tarone's number: the smallest k so that at most k events could be significant at alpha/k.
	for multiplicity = 1; ; multiplicity++ {
		able := 0
		for able < len(events) && events[able].p*float64(multiplicity) <= alpha {
			able++
		}
		if able <= multiplicity {
			return events[:able], multiplicity
		}
	}
}

// fence is how many robust standard deviations from the median of its stratum a value is far out. It is chosen:
// of normal numbers, fewer than one in a million are.
const fence = 5

// farOut is 1 for values that are far above the median of their stratum, and 0 for others; NaN where the value is
// unknown. It is nil where none is, or where most values are the same.
func (p *pool) farOut(column []float64) []float64 {
	away := make([]float64, len(column))
	var sizes []float64
	for _, s := range p.strata {
		known := slices.DeleteFunc(slices.Clone(column[s.from:s.to]), math.IsNaN)
		middle := math.NaN()
		if len(known) > 0 {
			middle = sample.Median(known)
		}
		for i := s.from; i < s.to; i++ {
			away[i] = column[i] - middle
			if len(known) > 0 {
				sizes = append(sizes, math.Abs(away[i]))
			}
		}
	}
	if len(sizes) == 0 {
		return nil
	}
	// The median of the sizes of normal numbers is 0.6745 standard deviations.
	limit := fence * sample.Median(sizes) / 0.6745
	if limit == 0 {
		return nil
	}
	any := false
	for i, x := range away {
		switch {
		case math.IsNaN(x):
		case x > limit:
			away[i] = 1
			any = true
		default:
			away[i] = 0
		}
	}
	if !any {
		return nil
	}
	return away
}

// observedEvents returns the columns that are constant on the baseline's side alone,
// as events. They are for the report, significant or not; those of the test are chosen without a look at
// the sides.
func (p *pool) observedEvents() (events []separatingEvent) {
	for j := range p.tested {
		column := p.column(j)
		first, constant := math.NaN(), true
		for i, x := range column {
			if p.side[i] || math.IsNaN(x) {
				continue
			}
			if math.IsNaN(first) {
				first = x
			}
			constant = constant && !differ(first, x)
		}
		if constant && !math.IsNaN(first) {
			e := p.separatingEvent(column, first)
			e.columns = []int{j}
			events = append(events, e)
		}
	}
	return events
}

// column returns the values of a tested column, a row each; NaN where it is unknown. All rows of a
// stratum know it, or none does.
func (p *pool) column(j int) []float64 {
	column := make([]float64, len(p.values))
	for i, row := range p.values {
		column[i] = row[j]
		if p.vectors != nil && !p.vectors[i].Values[p.tested[j]].Known {
			column[i] = math.NaN()
		}
	}
	return column
}

// shared returns the values that enough trials have to fill the baseline's side,
// but not all.
//
// Values are sorted, and runs of equal ones compared in length: that does not depend on the sides, only on
// how many trials each has.
func (p *pool) shared(column []float64) (values []float64) {
	baseline := 0 // rows that know the column
	for _, s := range p.strata {
		if !math.IsNaN(column[s.from]) {
			baseline += s.baseline
		}
	}
	sorted := slices.DeleteFunc(slices.Clone(column), math.IsNaN)
	slices.SortFunc(sorted, byValue)
	for from := 0; from < len(sorted); {
		to := from + 1
		for to < len(sorted) && !differ(sorted[to], sorted[from]) {
			to++
		}
		if to-from >= baseline && to-from < len(sorted) {
			values = append(values, sorted[from])
		}
		from = to
	}
	return values
}

// separatingEvent returns the event that all baseline trials have the value. Its
// probability is that the baseline's trials of each scenario are drawn among those that
// have the value; it is NaN where they are too few for that.
func (p *pool) separatingEvent(column []float64, value float64) separatingEvent {
	e := separatingEvent{apart: make([]bool, len(column))}
	logP := 0.0
	for _, s := range p.strata {
		same := 0
		for i := s.from; i < s.to; i++ {
			e.apart[i] = differ(column[i], value)
			if !e.apart[i] {
				same++
			}
		}
		if same < s.baseline {
			return separatingEvent{p: math.NaN()}
		}
		baseline := float64(s.baseline)
		// C(same, baseline) / C(n, baseline) in each scenario: all baseline trials drawn among those that
		// share the value.
		logP += special.LogChoose(float64(same), baseline) - special.LogChoose(float64(s.to-s.from), baseline)
	}
	e.p = math.Exp(logP)
	return e
}

// keyOf writes flags as a text, which a map can have as its key.
func keyOf(flags []bool) string {
	var key strings.Builder
	for _, flag := range flags {
		if flag {
			key.WriteByte('1')
		} else {
			key.WriteByte('0')
		}
	}
	return key.String()
}

// eventSets returns for each row the set of events in which it departs. Bit 0 is the
// rarest event.
func eventSets(events []separatingEvent, rows int) []uint64 {
	sets := make([]uint64, rows)
	for bit, e := range events {
		for i, apart := range e.apart {
			if apart {
				sets[i] |= 1 << bit
			}
		}
	}
	return sets
}

// happened returns the set of events in which no baseline trial departs. It is one word of bits, so that a
// permutation costs one OR for each of the baseline's trials.
func happened(eventsOf []uint64, baseline func(yield func(row int) bool)) uint64 {
	all := uint64(0)
	for row := range baseline {
		all |= eventsOf[row]
	}
	return ^all
}
