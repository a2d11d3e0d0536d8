package fingerprint

import (
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// MapSample returns the map of one sample: its trials in the plane of the two widest
// principal axes of the columns that a comparison would test. There is no separation,
// no axis has a difference, and no point is the candidate's. A scenario that was tried
// once has no mean to differ from and is left out, unless the options pool the
// scenarios. Without a column that varies there are no axes.
//
// It refuses fewer than three trials, and trials of which no two are of the same
// scenario, with [ErrTooFewTrials].
func MapSample(s *Sample, o Options) (*Map, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	v := o.Vocabulary
	if v == nil {
		v = NewVocabulary(s)
	}
	// As for a budget: a pool with one trial of each scenario on one side, for a pool needs two sides.
	p, err := calibrate(v.columns, v.Vectors(s), o)
	if err != nil {
		return nil, err
	}
	m := new(Map)
	for _, j := range p.tested {
		m.Columns = append(m.Columns, v.columns[j])
	}
	rows := make([][]float64, len(p.vectors))
	if len(p.tested) > 0 {
		single, _ := singleTrials(p)
		rows, err = m.setAxes(single)
		if err != nil {
			return nil, err
		}
	}
	for i, row := range rows {
		point := Point{Scenario: p.vectors[i].Scenario}
		if len(row) > 0 {
			point.X = row[0]
		}
		if len(row) > 1 {
			point.Y = row[1]
		}
		m.Points = append(m.Points, point)
	}
	return m, nil
}

// setAxes fills in the principal axes of the rows, and returns the rows in their
// coordinates.
func (m *Map) setAxes(rows [][]float64) ([][]float64, error) {
	d := len(rows[0])
	a, ok := principal(shrink(matrix(rows)).covariance)
	if !ok {
		return nil, fmt.Errorf("principal axes of %d columns: the decomposition does not converge", d)
	}
	total := 0.0
	for _, v := range a.variances {
		total += v
	}
	k := min(a.rank(), 2)
	for axis := range k {
		loadings := make([]float64, d)
		mat.Col(loadings, axis, a.vectors)
		m.Axes = append(m.Axes, Axis{Share: a.variances[axis] / total, Loadings: loadings})
	}
	return a.project(rows, k), nil
}
