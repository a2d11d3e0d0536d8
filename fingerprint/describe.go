package fingerprint

import (
	"math"
	"slices"
)

// Departure is a column in which all baseline trials have the same value and some
// candidate trials another. It is tested by itself.
type Departure struct {
	Column Column  `json:"column"`
	Value  float64 `json:"value"`  // of the baseline, in the unit of the column
	Trials int     `json:"trials"` // of the candidate that depart from it
	P      float64 `json:"p"`      // exact probability that all of them fall to the candidate
	// AdjustedP is P times the number of such columns that could be significant,
	// whether they were constant or not (Tarone 1990).
	AdjustedP float64 `json:"adjusted_p"`
}

// describe fills in what says what the change is.
func (c *Comparison) describe(t *permutation, columns []Column) {
	p := t.pool
	c.Shrinkage = t.shrinkage
	c.EffectiveDimension = t.axes.participation()
	c.Components = t.axes.components(explained)
	r := p.relabeling()
	t.measure(r)
	sign := 1.0 // sums are of the picked side
	if !r.pickedCandidate {
		sign = -1
	}
	for k, j := range p.tested {
		c.Columns[j].Difference = sign * t.sums[k] / p.weight
	}
	c.Distance = t.distance()
	c.Map = t.chart(columns, sign)
	c.depart(p, columns)
}

// depart lists the columns that are constant on the baseline's side alone.
func (c *Comparison) depart(p *pool, columns []Column) {
	events, multiple := p.departures(c.Alpha)
	for _, e := range p.observedDepartures() {
		d := Departure{Column: columns[p.tested[e.columns[0]]], P: e.p, AdjustedP: 1}
		for _, able := range events {
			if slices.Equal(able.apart, e.apart) {
				d.AdjustedP = math.Min(1, e.p*float64(multiple))
			}
		}
		for row, apart := range e.apart {
			if apart {
				d.Trials++
			} else if !p.side[row] {
				d.Value = p.vectors[row].Values[p.tested[e.columns[0]]].Or(d.Value)
			}
		}
		c.Departures = append(c.Departures, d)
	}
}

// distance returns the Mahalanobis distance of the sides, on the shrunk covariance
// within them. It follows from that of all trials by Sherman and Morrison's formula.
// Sides that do not overlap at all on an unshrunk covariance have no finite one; it
// is 0 then.
func (t *permutation) distance() float64 {
	p := t.pool
	d := len(t.sums)
	scale := 0.0
	for _, v := range t.axes.variances {
		scale += v / float64(d)
	}
	total := 0.0
	for k := range t.axes.rank() {
		y := 0.0
		for j := range d {
			y += t.rotation[k*d+j] * t.sums[j] / p.weight
		}
		total += y * y / ((1-t.shrinkage)*t.axes.variances[k] + t.shrinkage*scale)
	}
	between := p.weight / float64(len(p.values)) * (1 - t.shrinkage)
	if rest := 1 - between*total; rest > 1e-9 {
		return math.Sqrt(total / rest)
	}
	return 0
}

// observedDepartures returns the columns that are constant on the baseline's side
// alone, as events.
func (p *pool) observedDepartures() (events []departure) {
	for j := range p.tested {
		first, constant := math.NaN(), true
		column := make([]float64, len(p.values))
		for i, row := range p.values {
			column[i] = row[j]
			if !p.side[i] {
				if math.IsNaN(first) {
					first = row[j]
				}
				constant = constant && !differ(first, row[j])
			}
		}
		if constant {
			e := p.departure(column, first)
			e.columns = []int{j}
			events = append(events, e)
		}
	}
	return events
}
