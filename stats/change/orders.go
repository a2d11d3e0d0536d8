package change

// orders returns a function that draws the next order of what is exchangeable between the runs from..to-1, all
// orders alike. What it returns is overwritten by the next.
func (t *stretch) orders(from, to int) func() *order {
	if t.options.Unit == Runs {
		return t.ordersOfRuns(from, to)
	}
	return t.ordersOfTrials(from, to)
}

// ordersOfRuns exchanges whole runs.
func (t *stretch) ordersOfRuns(from, to int) func() *order {
	o := &order{sums: append([]float64(nil), t.sums[from:to]...), sizes: append([]int(nil), t.sizes[from:to]...)}
	return func() *order {
		t.random.Shuffle(len(o.sums), func(i, j int) {
			o.sums[i], o.sums[j] = o.sums[j], o.sums[i]
			o.sizes[i], o.sizes[j] = o.sizes[j], o.sizes[i]
		})
		return o
	}
}

// ordersOfTrials exchanges trials between runs, which keep their sizes. It hands the values out to the places of the
// trials: only values that are not 0 need be, and of passes and failures the fewer of both.
func (t *stretch) ordersOfTrials(from, to int) func() *order {
	o := &order{sums: make([]float64, to-from), sizes: t.sizes[from:to]}
	sum, trials := t.total(from, to)
	places := make([]int32, 0, trials)
	for i, n := range o.sizes {
		for range n {
			places = append(places, int32(i))
		}
	}
	values := t.valuesOf(from, to)
	fewer := int(sum) // passes
	failures := t.kind == rates && 2*fewer > trials
	if failures {
		fewer = trials - fewer
	}
	if t.kind == means {
		fewer = len(values)
	}
	return func() *order {
		for i := range o.sums {
			o.sums[i] = 0
			if failures {
				o.sums[i] = float64(o.sizes[i])
			}
		}
		// The shuffle of Fisher and Yates, ended where the rest needs no order.
		for k := range fewer {
			j := k + t.random.IntN(trials-k)
			places[k], places[j] = places[j], places[k]
			switch {
			case failures:
				o.sums[places[k]]--
			case t.kind == rates:
				o.sums[places[k]]++
			default:
				o.sums[places[k]] += values[k]
			}
		}
		return o
	}
}

// valuesOf returns the numbers of the runs one after the other; nil for rates.
func (t *stretch) valuesOf(from, to int) (all []float64) {
	if t.kind == rates {
		return nil
	}
	for _, values := range t.values[from:to] {
		all = append(all, values...)
	}
	return all
}
