package monitor

import (
	"math"

	"github.com/tribunal-dev/tribunal/fingerprint"
	"github.com/tribunal-dev/tribunal/trial"
)

// centre is the mean fingerprint of some trials.
type centre struct {
	vocabulary   *fingerprint.Vocabulary
	columns      []fingerprint.Column
	means, units []float64 // NaN where nothing is known of a column
}

// leastUnit is the standard deviation of a column at the least, on its scale, so that one which never varied counts
// when it does, and not without bound. It is chosen: of a count, once instead of never is two to three of it.
const leastUnit = 0.25

// newCentre returns the centre of the trials of a sample.
func newCentre(s *fingerprint.Sample) *centre {
	c := &centre{vocabulary: fingerprint.NewVocabulary(s)}
	c.columns = c.vocabulary.Columns()
	vectors := c.vocabulary.Vectors(s)
	for j := range c.columns {
		var sum, squares, n float64
		for _, v := range vectors {
			if x, known := c.value(v, j); known {
				sum, squares, n = sum+x, squares+x*x, n+1
			}
		}
		mean := sum / n
		unit := math.Sqrt(max(leastUnit*leastUnit, squares/n-mean*mean))
		c.means, c.units = append(c.means, mean), append(c.units, unit)
	}
	return c
}

// value returns a column of a vector on its scale.
func (c *centre) value(v fingerprint.Vector, j int) (float64, bool) {
	x := v.Values[j]
	switch c.columns[j].Transform {
	case fingerprint.Log1p:
		return math.Log1p(x.Value), x.Known
	case fingerprint.Log1pThousandths:
		return math.Log1p(1000 * x.Value), x.Known
	}
	return x.Value, x.Known
}

// distance returns how far a trial is from the centre: the root of the mean square over columns, in standard
// deviations. It is unknown of a trial without steps.
func (c *centre) distance(t *trial.Trial) (float64, bool) {
	if t.Steps == nil {
		return 0, false
	}
	return c.of(c.vocabulary.Vector(t))
}

func (c *centre) of(v fingerprint.Vector) (float64, bool) {
	var sum, n float64
	for j := range c.columns {
		x, known := c.value(v, j)
		if !known || math.IsNaN(c.means[j]) {
			continue
		}
		d := (x - c.means[j]) / c.units[j]
		sum, n = sum+d*d, n+1
	}
	if n == 0 || math.IsInf(sum, 0) {
		return 0, false
	}
	return math.Sqrt(sum / n), true
}
