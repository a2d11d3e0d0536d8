package fingerprint

import "math"

// Map shows the trials in the plane of the two widest principal axes of what was
// tested: values without the means of their scenario, in standard deviations.
type Map struct {
	Columns []Column `json:"columns"` // that were tested: what loadings refer to
	Axes    []Axis   `json:"axes"`    // two at most
	Points  []Point  `json:"points"`  // scenario by scenario, the baseline's trials first
	// Separation are the loadings of the direction in which the sides differ most, as
	// measured by the covariance within them (Fisher's discriminant): by column, of length
	// 1, towards the candidate.
	Separation []float64 `json:"separation"`
}

// Axis is a principal axis.
type Axis struct {
	Share float64 `json:"share"` // of the variance, from 0 to 1
	// Difference is candidate minus baseline, in standard deviations of all trials along
	// the axis; 0 on the map of one sample.
	Difference float64   `json:"difference"`
	Loadings   []float64 `json:"loadings"` // by column, each from -1 to 1; the vector has length 1
}

// Point is a trial on the map.
type Point struct {
	Scenario  string  `json:"scenario"`  // of the trial
	Candidate bool    `json:"candidate"` // false: a trial of the baseline
	X         float64 `json:"x"`         // along the first axis, in standard deviations of a column
	Y         float64 `json:"y"`         // along the second; 0 if there is one axis only
}

// trialMap returns the map. The sums are those of the picked side, whose sign is 1 if
// it is the candidate's.
func (t *permutationTest) trialMap(columns []Column, sign float64) Map {
	p := t.pool
	d := len(t.sums)
	var m Map
	for _, j := range p.tested {
		m.Columns = append(m.Columns, columns[j])
	}
	total, scale := 0.0, 0.0
	for _, v := range t.axes.variances {
		total += v
		scale += v / float64(d)
	}
	loadings := func(k int) []float64 { return t.rotation[k*d : (k+1)*d] }
	m.Separation = make([]float64, d)
	for k := range t.axes.rank() {
		// The difference of the sides along an axis, towards the candidate.
		along := sign * dot(loadings(k), t.sums)
		variance := t.axes.variances[k]
		if k < 2 {
			m.Axes = append(m.Axes, Axis{
				Share:      variance / total,
				Difference: along / p.weight / math.Sqrt(variance),
				Loadings:   append([]float64(nil), loadings(k)...),
			})
		}
		// The covariance of all trials has the same direction as that within the sides.
		for j := range d {
			m.Separation[j] += along * loadings(k)[j] / ((1-t.shrinkage)*variance + t.shrinkage*scale)
		}
	}
	if length := math.Sqrt(dot(m.Separation, m.Separation)); length > 0 {
		for j := range m.Separation {
			m.Separation[j] /= length
		}
	}
	for i, row := range p.residuals {
		point := Point{Scenario: p.vectors[i].Scenario, Candidate: p.side[i]}
		if len(m.Axes) > 0 {
			point.X = dot(m.Axes[0].Loadings, row)
		}
		if len(m.Axes) > 1 {
			point.Y = dot(m.Axes[1].Loadings, row)
		}
		m.Points = append(m.Points, point)
	}
	return m
}

// dot is the scalar product.
func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
