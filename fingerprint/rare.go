package fingerprint

import (
	"math"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/special"
)

// departure is the event that all baseline trials share a value of a column that
// not all trials share: whoever departs from it is of the candidate's side. T²
// hardly sees a few such trials among many columns.
type departure struct {
	columns []int // positions among the tested columns; several, if the same trials depart in each
	values  []float64
	apart   []bool  // rows that depart
	p       float64 // probability of the event under relabeling
}

// departures returns the events that are rare enough to count at the level alpha,
// and the number by which their probabilities are to be multiplied. It is no
// matter whether they happened: a value takes part if enough trials have it, in
// each scenario, to fill the baseline's side. Events that could not be significant
// if they happened are not counted (Tarone 1990, Biometrics 46:515).
func (p *pool) departures(alpha float64) (events []departure, multiple int) {
	found := make(map[string]int)
	for j := range p.tested {
		column := make([]float64, len(p.values))
		for i, row := range p.values {
			column[i] = row[j]
		}
		for _, value := range p.common(column) {
			e := p.departure(column, value)
			if !(e.p <= alpha) {
				continue
			}
			key := keyOf(e.apart)
			if i, ok := found[key]; ok {
				events[i].columns, events[i].values = append(events[i].columns, j), append(events[i].values, value)
				continue
			}
			e.columns, e.values = []int{j}, []float64{value}
			found[key] = len(events)
			events = append(events, e)
		}
	}
	slices.SortStableFunc(events, func(a, b departure) int { return byValue(a.p, b.p) })
	events = events[:min(len(events), 64)]
	for multiple = 1; ; multiple++ {
		able := 0
		for able < len(events) && events[able].p*float64(multiple) <= alpha {
			able++
		}
		if able <= multiple {
			return events[:able], multiple
		}
	}
}

// common returns the values that enough trials have to fill the baseline's side,
// but not all.
func (p *pool) common(column []float64) (values []float64) {
	baseline, _ := p.sides()
	sorted := slices.Clone(column)
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

func (p *pool) departure(column []float64, value float64) departure {
	e := departure{apart: make([]bool, len(column))}
	logP := 0.0
	for _, s := range p.strata {
		same := 0
		for i := s.from; i < s.to; i++ {
			if e.apart[i] = differ(column[i], value); !e.apart[i] {
				same++
			}
		}
		if same < s.baseline {
			return departure{p: math.NaN()}
		}
		baseline := float64(s.baseline)
		logP += special.LogChoose(float64(same), baseline) - special.LogChoose(float64(s.to-s.from), baseline)
	}
	e.p = math.Exp(logP)
	return e
}

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

// masks returns for each row the set of events that it departs in.
func masks(events []departure, rows int) []uint64 {
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

// happened returns the set of events in which no baseline trial departs. Bit 0 is
// the rarest.
func happened(departs []uint64, baseline func(yield func(row int) bool)) uint64 {
	all := uint64(0)
	for row := range baseline {
		all |= departs[row]
	}
	return ^all
}
