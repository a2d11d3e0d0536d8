package coverage

import "testing"

// By hand: the shares of the targets are 0.6/0.6, 0.5/1, 0.3/0.9 and 0.2/0.25; state is not measured, and model has no
// weight.
func TestFurthest(t *testing.T) {
	measurement := func(d Dimension, value, weight float64) Measurement {
		return Measurement{Dimension: d, Value: &value, Weight: weight}
	}
	r := &Result{Dimensions: []Measurement{
		measurement(ToolDimension, .6, 1), measurement(PathDimension, .5, 1), {Dimension: StateDimension, Weight: 1},
		measurement(BoundaryDimension, .3, 2), measurement(ModelDimension, 0, 0),
	}}
	targets := map[Dimension]float64{ToolDimension: .6, BoundaryDimension: .9, StateDimension: .1, ModelDimension: .5}
	for _, c := range []struct {
		name   string
		change func()
		want   Dimension
	}{
		{"boundary, at a third of its target", func() {}, BoundaryDimension},
		{"path, once the target of boundary is low", func() { targets[BoundaryDimension] = .5 }, PathDimension},
		{"the first of two that are equal", func() { targets[ToolDimension] = 1; targets[PathDimension] = 5. / 6 },
			ToolDimension},
		{"none where all reach their targets", func() {
			targets = map[Dimension]float64{ToolDimension: .6, PathDimension: .4, BoundaryDimension: .3}
		}, ""},
	} {
		c.change()
		got, ok := r.Furthest(targets)
		if got.Dimension != c.want || ok != (c.want != "") {
			t.Errorf("%s: %+v, %v", c.name, got, ok)
		}
	}
	if got := len(r.Standings(targets)); got != 3 {
		t.Errorf("%d standings, and 3 dimensions are measured and weigh", got)
	}
}
