package fingerprint

import (
	"math"
	"slices"
)

// SeparatingEvent is a column in which all baseline trials have the same value and some
// candidate trials another. It is tested by itself.
type SeparatingEvent struct {
	Column Column  `json:"column"` // what they differ in
	Value  float64 `json:"value"`  // of all baseline trials, in the unit of the column
	Trials int     `json:"trials"` // candidate trials with another value
	P      float64 `json:"p"`      // exact probability, under H0, that all of them fall to the candidate
	// AdjustedP is P times the number of such columns that could be significant,
	// whether they were constant or not (Tarone 1990).
	AdjustedP float64 `json:"adjusted_p"`
}

// describe fills in what says what the change is. Sums are of the picked side, so that
// sign is 1 where the candidate's is the picked one and -1 where it is not. It measures the observed
// permutation once more, since run leaves that of its last one.
func (c *Comparison) describe(t *permutationTest, columns []Column) {
	p := t.pool
	c.Shrinkage = t.shrinkage
	c.measure(t.axes)
	observed := p.permutation()
	t.measure(observed)
	sign := 1.0
	if !observed.pickedCandidate {
		sign = -1
	}
	for k, j := range p.tested {
		// The sum of the picked side's residuals, divided by Σ baseline·candidate/trials of what knows the column, is the
		// weighted mean difference.
		c.Columns[j].Difference = sign * t.sums[k] / p.weightOf(k)
	}
	c.Distance = t.distance()
	c.Map = t.trialMap(columns, sign)
	c.addSeparatingEvents(p, columns)
}

// measure says how many dimensions the axes have, in effect.
func (c *Comparison) measure(a axes) {
	c.EffectiveDimension = a.components(explained)
	c.Participation = a.participation()
}

// addSeparatingEvents lists the columns that are constant on the baseline's side alone.
func (c *Comparison) addSeparatingEvents(p *pool, columns []Column) {
	events, multiplicity := p.separatingEvents(c.Alpha)
	for _, e := range p.observedEvents() {
		column := p.tested[e.columns[0]]
		found := SeparatingEvent{Column: columns[column], P: e.p, AdjustedP: 1}
		// Events that could not be significant were not counted: they keep an adjusted p-value of 1.
		for _, able := range events {
			if slices.Equal(able.apart, e.apart) {
				found.AdjustedP = math.Min(1, e.p*float64(multiplicity))
			}
		}
		for row, apart := range e.apart {
			if apart {
				found.Trials++
			} else if !p.side[row] {
				found.Value = p.vectors[row].Values[column].Or(found.Value)
			}
		}
		c.SeparatingEvents = append(c.SeparatingEvents, found)
	}
}

// distance returns the Mahalanobis distance of the sides, on the shrunk covariance
// within them. It follows from that of all trials by Sherman and Morrison's formula.
// Sides that do not overlap at all on an unshrunk covariance have no finite one; it
// is 0 then.
func (t *permutationTest) distance() float64 {
	p := t.pool
	d := len(t.sums)
	scale := 0.0 // mean variance of the columns
	for _, v := range t.axes.variances {
		scale += v / float64(d)
	}
	total := 0.0 // squared distance, on the covariance of all trials
	for k := range t.axes.rank() {
		y := 0.0
		for j := range d {
			y += t.rotation[k*d+j] * t.sums[j] / p.weight
		}
		total += y * y / ((1-t.shrinkage)*t.axes.variances[k] + t.shrinkage*scale)
	}
	// The share of the difference itself in the covariance of all trials: T = W + between·dd'. Sherman and
	// Morrison: d'W⁻¹d = total/(1 - between·total).
	between := p.weight / float64(len(p.values)) * (1 - t.shrinkage)
	if rest := 1 - between*total; rest > 1e-9 {
		return math.Sqrt(total / rest)
	}
	return 0
}
