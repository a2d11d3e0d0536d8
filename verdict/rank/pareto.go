package rank

// points sets the sum of the means on all axes but the pass rate, of each result.
func (r *Result) points() {
	for i := range r.Results {
		e := &r.Results[i]
		e.Points = nil
		sum, known := 0.0, len(r.Axes) > 1
		for _, a := range r.Axes[1:] {
			if mean := a.Ranks[i].Mean; mean != nil {
				sum += *mean
			} else {
				known = false
			}
		}
		if known {
			e.Points = &sum
		}
	}
}

// pareto says of each result whether another one is as good in everything and better in something: in points, or the
// pass rate where there are none, in cost and in time. What not all results tell is left out.
func (r *Result) pareto() {
	var goods [][]float64 // by result; more is better
	add := func(value func(i int) *float64, sign float64) bool {
		values := make([]float64, len(r.Results))
		for i := range r.Results {
			x := value(i)
			if x == nil {
				return false
			}
			values[i] = sign * *x
		}
		goods = append(goods, values)
		return true
	}
	if !add(func(i int) *float64 { return r.Results[i].Points }, 1) {
		add(func(i int) *float64 { return r.Axes[0].Ranks[i].Mean }, 1)
	}
	add(func(i int) *float64 { return r.Results[i].CostUSD }, -1)
	add(func(i int) *float64 { return r.Results[i].Duration }, -1)
	for i := range r.Results {
		r.Results[i].Efficient = true
		for j := range r.Results {
			if beats(goods, j, i) {
				r.Results[i].Efficient = false
			}
		}
	}
}

// beats reports whether the first is as good in everything, and better in something.
func beats(goods [][]float64, first, second int) bool {
	better := false
	for _, values := range goods {
		if values[first] < values[second] {
			return false
		}
		better = better || values[first] > values[second]
	}
	return better
}
