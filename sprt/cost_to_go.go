package sprt

// Which points of a design are worth moving. The effect of giving one point another
// outcome is the share of paths that arrive there times the difference of what
// follows, so one pass forward (the shares) and one backward (the costs-to-go) give
// the effects of all moves.

// costToGo is what follows from a point, per path that arrives: contributions to
// alpha, to beta and to the objective, in trials.
type costToGo struct{ alpha, beta, objective float64 }

// times is the cost-to-go of a share of the paths.
func (c costToGo) times(share float64) costToGo {
	return costToGo{alpha: share * c.alpha, beta: share * c.beta, objective: share * c.objective}
}

// minus is what changes where d follows no more, but c.
func (c costToGo) minus(d costToGo) costToGo {
	return costToGo{alpha: c.alpha - d.alpha, beta: c.beta - d.beta, objective: c.objective - d.objective}
}

// effects returns the moves of the points next to the edges of the undecided ones,
// with their effects. Beyond the band they are approximate.
//
// An effect is exact for one move alone; two moves together are checked anew, for the first changes the
// paths that arrive at the second.
func (l *latticeBand) effects(b Boundaries) []effect {
	rows := l.costsToGo(b)
	var list []effect
	arriving := make([]float64, l.trials+2) // by failures: the share of paths that arrive
	arriving[0] = 1
	low, high := 0, 0
	for n := 1; n <= l.trials && low <= high; n++ {
		advance(arriving, n, low, high)
		high++
		first, last := low, high
		for first <= last && b.at(n, first) == Pass {
			first++
		}
		for last >= first && b.at(n, last) == Fail {
			last--
		}
		if l.look(n) {
			for _, m := range l.moves(n, low, first, last, high) {
				from := l.costToGo(b.at(n, m.failures), n, m.failures, rows)
				to := l.costToGo(m.to, n, m.failures, rows)
				list = append(list, effect{m, to.minus(from).times(arriving[m.failures])})
			}
		}
		clear(arriving[low:first])
		clear(arriving[last+1 : high+1])
		low, high = first, last
	}
	return list
}

// moves returns the moves of one row, where paths arrive at low..high failures and
// go on at first..last.
func (l *latticeBand) moves(n, low, first, last, high int) []move {
	var list []move
	going := Undecided
	if n == l.trials {
		going = Inconclusive
	}
	if n == l.trials && l.forced() {
		// The last trial decides: the edge between Pass and Fail moves.
		if first > low {
			list = append(list, move{n, first - 1, Fail})
		}
		if first <= high {
			list = append(list, move{n, first, Pass})
		}
		return list
	}
	// Narrower: the lowest point that goes on passes, or the highest fails.
	if first <= last {
		list = append(list, move{n, first, Pass}, move{n, last, Fail})
	}
	// Wider: a point that stops goes on.
	if first > low {
		list = append(list, move{n, first - 1, going})
	}
	if last < high {
		list = append(list, move{n, last + 1, going})
	}
	return list
}

// costsToGo computes, backwards, what follows from every point of the band, by trials
// and then by failures from the band's lowest on. All rows are kept here, unlike in the search for the best
// boundaries: every point may be moved.
func (l *latticeBand) costsToGo(b Boundaries) [][]costToGo {
	rows := make([][]costToGo, l.trials+1)
	for n := l.trials; n >= 1; n-- {
		rows[n] = make([]costToGo, len(l.predictive[n]))
		for i := range rows[n] {
			failures := l.low[n] + i
			rows[n][i] = l.costToGo(b.at(n, failures), n, failures, rows)
		}
	}
	return rows
}

// costToGo returns what follows from a point with the given outcome. Of the paths that
// go on, the share (failures+1)/(n+1) has a failure next.
func (l *latticeBand) costToGo(o Outcome, n, failures int, rows [][]costToGo) costToGo {
	switch o {
	case Pass:
		return costToGo{beta: l.probability(l.lower, l.h.Lower(), n, failures)}
	case Fail:
		return costToGo{alpha: l.probability(l.upper, l.h.Threshold, n, failures)}
	case Inconclusive:
		return costToGo{objective: l.giveUp * l.predictiveAt(n, failures)}
	}
	passed := l.following(n+1, failures, rows)
	failed := l.following(n+1, failures+1, rows)
	failing := float64(failures+1) / float64(n+1)
	passing := float64(n+1-failures) / float64(n+1)
	return costToGo{
		alpha:     passing*passed.alpha + failing*failed.alpha,
		beta:      passing*passed.beta + failing*failed.beta,
		objective: l.predictiveAt(n, failures) + passing*passed.objective + failing*failed.objective,
	}
}

// following reads a row; beyond the band a test ends, with the verdict of that side.
func (l *latticeBand) following(n, failures int, rows [][]costToGo) costToGo {
	i := failures - l.low[n]
	switch {
	case i < 0:
		return l.costToGo(Pass, n, failures, rows)
	case i >= len(rows[n]):
		return l.costToGo(Fail, n, failures, rows)
	}
	return rows[n][i]
}
