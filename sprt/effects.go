package sprt

// Which points of a design are worth moving. The effect of giving one point another
// outcome is the share of paths that arrive there times the difference of what
// follows, so one pass forward and one backward give the effects of all moves.

// worth is what follows from a point, per path that arrives: contributions to
// alpha, to beta and to the objective.
type worth struct{ alpha, beta, objective float64 }

// effects returns the moves of the points next to the edges of the undecided ones,
// with their effects. Beyond the field's band they are approximate.
func (f *field) effects(b Boundaries) []effect {
	rows := f.worths(b)
	var list []effect
	arriving := make([]float64, f.trials+2)
	arriving[0] = 1
	low, high := 0, 0
	for n := 1; n <= f.trials && low <= high; n++ {
		advance(arriving, n, low, high)
		high++
		first, last := low, high
		for first <= last && b.at(n, first) == Pass {
			first++
		}
		for last >= first && b.at(n, last) == Fail {
			last--
		}
		if f.look(n) {
			for _, m := range f.moves(n, low, first, last, high) {
				from, to := f.worth(b.at(n, m.failures), n, m.failures, rows), f.worth(m.to, n, m.failures, rows)
				share := arriving[m.failures]
				list = append(list, effect{m, share * (to.alpha - from.alpha), share * (to.beta - from.beta), share * (to.objective - from.objective)})
			}
		}
		for i := low; i < first; i++ {
			arriving[i] = 0
		}
		for i := last + 1; i <= high; i++ {
			arriving[i] = 0
		}
		low, high = first, last
	}
	return list
}

// moves returns the moves of one row, where paths arrive at low..high failures and
// go on at first..last.
func (f *field) moves(n, low, first, last, high int) []move {
	var list []move
	going := Undecided
	if n == f.trials {
		going = Inconclusive
	}
	if n == f.trials && f.forced() {
		// The last trial decides: the edge between Pass and Fail moves.
		if first > low {
			list = append(list, move{n, first - 1, Fail})
		}
		if first <= high {
			list = append(list, move{n, first, Pass})
		}
		return list
	}
	if first <= last {
		list = append(list, move{n, first, Pass}, move{n, last, Fail})
	}
	if first > low {
		list = append(list, move{n, first - 1, going})
	}
	if last < high {
		list = append(list, move{n, last + 1, going})
	}
	return list
}

// worths computes, backwards, what follows from every point of the band.
func (f *field) worths(b Boundaries) [][]worth {
	rows := make([][]worth, f.trials+1)
	for n := f.trials; n >= 1; n-- {
		rows[n] = make([]worth, len(f.mass[n]))
		for i := range rows[n] {
			failures := f.low[n] + i
			rows[n][i] = f.worth(b.at(n, failures), n, failures, rows)
		}
	}
	return rows
}

// worth returns what follows from a point with the given outcome.
func (f *field) worth(o Outcome, n, failures int, rows [][]worth) worth {
	switch o {
	case Pass:
		return worth{beta: f.probability(f.lower, f.h.Lower(), n, failures)}
	case Fail:
		return worth{alpha: f.probability(f.upper, f.h.Threshold, n, failures)}
	case Inconclusive:
		return worth{objective: f.giveUp * f.predictive(n, failures)}
	}
	stays, moves := f.following(n+1, failures, rows), f.following(n+1, failures+1, rows)
	up := float64(failures+1) / float64(n+1)
	same := float64(n+1-failures) / float64(n+1)
	return worth{
		alpha:     same*stays.alpha + up*moves.alpha,
		beta:      same*stays.beta + up*moves.beta,
		objective: f.predictive(n, failures) + same*stays.objective + up*moves.objective,
	}
}

// following reads a row; beyond the band a test ends, with the verdict of that side.
func (f *field) following(n, failures int, rows [][]worth) worth {
	i := failures - f.low[n]
	switch {
	case i < 0:
		return f.worth(Pass, n, failures, rows)
	case i >= len(rows[n]):
		return f.worth(Fail, n, failures, rows)
	}
	return rows[n][i]
}
