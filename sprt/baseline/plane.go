package baseline

import (
	"context"
	"math"
	"runtime"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/sprt"
)

// A plane is the lattice of a test that takes both sides in rounds: after n rounds x and
// y count two kinds of events, and a path to a point has a likelihood that depends on
// (n, x, y) alone. Side by side these are the failures of the baseline and of the
// candidate; of matched pairs the pairs that were fixed and that broke. In both, the more
// y and the fewer x, the worse the candidate.
//
// Side by side this needs that the sides are independent; of matched pairs both events never happen at once,
// for a pair is fixed or broken.
//
// The search is that of columns in one more dimension, with one problem in place of many: see
// [column.induce] and [prices].
//
// A cost at a point is that of one path to it, so that it is the sum of those at the points after it, and paths are
// counted. Of likelihoods and numbers of paths one is times [plane.scale], and the other divided by it, so that
// neither overflows or vanishes. See [densities].

// cells are the probabilities of a round: that neither, only x, only y, or both events
// happen. They add up to 1. Events of matched pairs exclude each other: both is 0 there.
type cells struct{ neither, x, y, both float64 }

// model is what a round does at a value of the nuisance parameter.
type model struct {
	same, half, lower cells // unchanged, lower by delta/2, and lower by delta
}

// plane is the lattice with what the search needs.
type plane struct {
	h         Hypotheses
	rounds    int
	giveUp    float64   // cost of an Inconclusive in rounds; +Inf if it must not be
	models    []model   // at values of the nuisance parameter, the points of the grid from 0 to 1
	savings   []float64 // weight of the rounds at each of them
	openings  []float64 // weight of an Inconclusive at each of them: see [openShare]
	matched   bool
	neverBad  bool  // without any event the test never fails: see [newPlane]
	alwaysBad bool  // nor with nothing but events of both sides
	mostX     []int // largest x by rounds; beyond it lies next to nothing
	mostY     []int
	known     *likelihoods
	stops     stopPlane
	reached   [][][2]int16 // by rounds, then x: see [plane.within]
	costs     []costs      // by x, then y
	parts     [][2]int     // lines that are gone over side by side
	seams     [][]costs    // of [plane.back], by rounds and part
	going     [2][]float64 // of [plane.arrive]; all 0 but while it runs
	lastRound []float64    // what a round costs at the last, likewise
	open      []float64    // and an Inconclusive; nil if it must not be
	width     int          // of a row of the memory: the largest y and 2 more
}

// stopPlane says when the test stops: at n rounds with x, it passes at y or less, and
// fails at y or more. The lists are by n and x. At -1 no y passes; at one more than the largest y none fails. An int16
// holds them: rounds are at most MostRounds.
type stopPlane struct{ pass, fail [][]int16 }

// costs are those of a Fail, a Pass, a round, and of the best choice at a point.
type costs struct{ fail, pass, round, value float64 }

// plus are the sums of these and those of another point.
func (c costs) plus(d costs) costs {
	return costs{c.fail + d.fail, c.pass + d.pass, c.round + d.round, c.value + d.value}
}

// beyond is the probability, under every model, of leaving the part of the lattice that
// is looked at. Its share of an error is added to what is proved: see beyondRest.
const beyond = 1e-10

// newPlane makes the lattice for models at values of the nuisance parameter.
//
// Where under a model nothing happens but rounds without events, and nothing changed, a
// test must not fail without events: that would be a false Fail for certain. Nor where all
// trials of both sides fail. Every valid test does so, and the search need not learn it.
func newPlane(h Hypotheses, k kind, rounds int, giveUp float64, rates, savings []float64) *plane {
	p := &plane{h: h, rounds: rounds, giveUp: giveUp, savings: savings, matched: k.matched}
	mostX, mostY := 0.0, 0.0
	for i, rate := range rates {
		m := k.at(rate)
		p.models = append(p.models, m)
		p.neverBad = p.neverBad || m.same.neither == 1
		p.alwaysBad = p.alwaysBad || m.same.both == 1
		p.openings = append(p.openings, math.Max(savings[i], openShare/float64(len(rates))))
		// The lattice must hold the most events that any of the models makes likely.
		for _, c := range []cells{m.same, m.half, m.lower} {
			mostX, mostY = math.Max(mostX, c.x+c.both), math.Max(mostY, c.y+c.both)
		}
	}
	p.mostX, p.mostY = mostEvents(rounds, mostX), mostEvents(rounds, mostY)
	p.stops = stopPlane{make([][]int16, rounds+1), make([][]int16, rounds+1)}
	for n := 1; n <= rounds; n++ {
		p.stops.pass[n], p.stops.fail[n] = make([]int16, p.mostX[n]+1), make([]int16, p.mostX[n]+1)
	}
	// One line more on each side than is looked at, so that the mean over the next row needs no case for
	// the edge.
	p.width = p.mostY[rounds] + 2
	p.parts = partsOf(p.mostX[rounds] + 1)
	return p
}

// mostEvents returns, by rounds, the number of events that is exceeded with next to no
// probability if each round has one with at most the given probability: by Chernoff's
// bound, and growing by one a round at most.
//
// P(K >= k) <= exp(-n·D(k/n, p)) (Chernoff 1952; Hoeffding 1963). The limit is beyond/rounds in every
// round, so all rounds together lose beyond at most.
func mostEvents(rounds int, probability float64) []int {
	limit := math.Log(beyond / float64(rounds))
	most := make([]int, rounds+1)
	for n := 1; n <= rounds; n++ {
		k := most[n-1]
		for k < n && -float64(n)*divergence(float64(k+1)/float64(n), probability) > limit {
			k++
		}
		most[n] = min(k, most[n-1]+1)
	}
	return most
}

// divergence is that of Kullback and Leibler of two coins, 0 if the first is lower. It is x·log(x/p) +
// (1-x)·log((1-x)/(1-p)), in nats.
func divergence(x, p float64) float64 {
	if x <= p || p == 0 {
		return 0
	}
	d := x * math.Log(x/p)
	if x < 1 {
		d += (1 - x) * math.Log((1-x)/(1-p))
	}
	return d
}

// openShare is what an Inconclusive counts for at all rates together, beside its weight where rounds are saved.
// It is chosen: without it a test would give up at once where rates are unlikely.
const openShare = 0.2

// scale is 2 to the power of the rounds or one more: a power of 4. After so many rounds a path is as likely as 1/scale
// times that where each of the four things that can happen is as likely as any other.
func (p *plane) scale() float64 { return math.Ldexp(1, (p.rounds+1)/2*2) }

// likelihoods are those of the models.
func (p *plane) likelihoods() *likelihoods {
	if p.known == nil {
		p.known = newLikelihoods(p)
	}
	return p.known
}

// addEnds adds to the last row the weights times the likelihoods.
func (p *plane) addEnds(weights []float64, all *densities, add func(place int, cost float64)) {
	const lines = 16 // at a time
	most := p.mostX[p.rounds]
	spread.Over(most/lines+1, func(part int) {
		density := all.own()
		for x := part * lines; x <= min(part*lines+lines-1, most); x++ {
			from, to := p.within(p.rounds, x)
			for y := from; y <= to; y++ {
				low, list := density.at(p.rounds, x, y)
				sum := 0.0
				for i, r := range list {
					sum += weights[low+i] * r
				}
				add(x*p.width+y, sum)
			}
		}
	})
}

// induce finds the stop points of least cost under prices, and returns that cost. Costs
// beyond the part of the lattice that is looked at count as none, so what is returned is
// never too high.
//
// The recursion is V(n,x,y) = min(Fail, Pass, round + sum of V at the points after it), as in
// [column.induce], of costs of a path.
func (p *plane) induce(q prices) float64 {
	if p.costs == nil {
		p.costs = make([]costs, (p.mostX[p.rounds]+2)*p.width)
		p.reached = make([][][2]int16, p.rounds+1)
		spread.Over(len(p.reached), p.setReached)
	}
	clear(p.costs)
	p.ends(q)
	p.decide()
	p.back()
	// The first round is always run.
	c, w := p.costs, p.width
	first := c[0].round + c[0].value + c[1].round + c[1].value + c[w].round + c[w].value
	if !p.matched {
		first += c[w+1].round + c[w+1].value
	}
	return first / p.scale()
}

// partsOf parts lines of a lattice, the last one of each not among them, so that each takes about as long: those of
// many events begin late.
func partsOf(lines int) (list [][2]int) {
	const fewest = 16 // lines of a part, about
	count := min(runtime.GOMAXPROCS(0), lines/fewest+1)
	from := 0
	for i := range count {
		to := int(float64(lines) * (1 - math.Sqrt(1-float64(i+1)/float64(count))))
		list = append(list, [2]int{from, to})
		from = to
	}
	return list
}

// back computes the rows from the last to the first, in place: the points after (x,y) are at x and x+1, y and y+1,
// which are still those of row n+1. A line needs the next one alone, so that parts of the lattice go back side by side:
// each hands its first line to the part before.
func (p *plane) back() {
	parts := p.parts
	if p.seams == nil {
		p.seams = make([][]costs, (p.rounds+1)*len(parts))
	}
	lines := make([]chan []costs, len(parts)+1) // by part, the first line of the row after
	for i := range lines {
		lines[i] = make(chan []costs, p.rounds)
	}
	spread.AtOnce(len(parts), func(i int) {
		from, to := parts[i][0], parts[i][1]
		for n := p.rounds - 1; n >= 1; n-- {
			if i > 0 {
				seam := &p.seams[n*len(parts)+i]
				*seam = append((*seam)[:0], p.line(from)...)
				lines[i] <- *seam
			}
			last := p.line(min(to, p.mostX[p.rounds]+1))
			if i+1 < len(parts) {
				last = <-lines[i+1]
			}
			for x := from; x < to && x <= p.mostX[n]; x++ {
				beside := last
				if x+1 < to {
					beside = p.line(x + 1)
				}
				p.induceLine(n, x, beside)
			}
		}
	})
}

// line are the costs beside x.
func (p *plane) line(x int) []costs { return p.costs[x*p.width : (x+1)*p.width] }

// mostYAt is the largest y beside x: a pair is fixed or broken, not both.
func (p *plane) mostYAt(n, x int) int {
	if p.matched {
		return min(p.mostY[n], n-x)
	}
	return p.mostY[n]
}

// ends sets the costs after the last round.
func (p *plane) ends(q prices) {
	last := p.likelihoods()
	weighted := func(weights []float64, share float64) []float64 {
		list := make([]float64, len(weights))
		for j, w := range weights {
			list[j] = w * share
		}
		return list
	}
	// What a round and an Inconclusive cost does not depend on prices.
	averaged := func(weights []float64, cost float64) []float64 {
		row := make([]float64, len(p.costs))
		add := func(i int, cost float64) { row[i] += cost }
		p.addEnds(weighted(weights, cost/2), &last.same, add)
		p.addEnds(weighted(weights, cost/4), &last.half, add)
		p.addEnds(weighted(weights, cost/4), &last.lower, add)
		return row
	}
	if p.lastRound == nil {
		p.lastRound = averaged(p.savings, 1)
		if !math.IsInf(p.giveUp, 1) {
			p.open = averaged(p.openings, p.giveUp)
		}
	}
	p.addEnds(q.fail, &last.same, func(i int, cost float64) { p.costs[i].fail = cost })
	p.addEnds(q.pass, &last.lower, func(i int, cost float64) { p.costs[i].pass = cost })
	for i, cost := range p.lastRound {
		p.costs[i].round = cost
	}
}

// giveUpAt is what an Inconclusive costs at a place of the last row.
func (p *plane) giveUpAt(i int) float64 {
	if p.open == nil {
		return math.Inf(1)
	}
	return p.open[i]
}

// decide sets the stop points and values of the last row. For each x: Pass up to some y, then no decision
// where it is allowed and cheapest, then Fail.
func (p *plane) decide() {
	n := p.rounds
	for x := 0; x <= p.mostX[n]; x++ {
		at := x * p.width
		y := 0
		for ; y <= p.mostY[n]; y++ {
			c := &p.costs[at+y]
			if c.pass > c.fail && !p.clean(n, x, y) || c.pass > p.giveUpAt(at+y) {
				break
			}
			c.value = c.pass
		}
		p.stops.pass[n][x] = int16(y - 1)
		for ; y <= p.mostY[n]; y++ {
			c := &p.costs[at+y]
			if (c.fail <= p.giveUpAt(at+y) || p.open == nil) && !p.clean(n, x, y) {
				break
			}
			c.value = p.giveUpAt(at + y)
		}
		p.stops.fail[n][x] = int16(y)
		for ; y <= p.mostY[n]; y++ {
			c := &p.costs[at+y]
			c.value = c.fail
		}
	}
}

// induceLine computes the values of one line, in place of those of the row after it, and
// sets its stop points.
//
// As in a column, the points of a line that go on are one range: from the first that is no Pass to the last that is no
// Fail. The value keeps the better choice where it is not.
func (p *plane) induceLine(n, x int, beside []costs) {
	most, matched := p.mostYAt(n, x), p.matched
	at := x * p.width
	low, high := most+1, -1
	from, to := p.within(n, x)
	if from <= to {
		here := p.costs[at : at+to+2]
		beside = beside[:len(here)]
		clean := -1 // the y at which the test must not fail
		switch {
		case p.neverBad && x == 0:
			clean = 0
		case p.alwaysBad && x == n:
			clean = n
		}
		// The sum over the points after a point: first over those with this x and the next. Of matched pairs both events
		// never happen at once.
		left := here[from]
		if !matched {
			left = left.plus(beside[from])
		}
		for y := from; y <= to; y++ {
			right := here[y+1]
			if matched {
				left = left.plus(beside[y])
			} else {
				right = right.plus(beside[y+1])
			}
			next := left.plus(right)
			next.value += next.round
			stop := next.fail
			if next.pass < next.fail || y == clean {
				stop = next.pass
			}
			// By more than rounding: where a round costs next to nothing, going on costs what stopping does.
			goes := next.value < stop*(1-1e-12)
			if goes || next.fail < next.pass && y != clean {
				low = min(low, y)
			}
			if goes || next.pass < next.fail {
				high = y
			}
			if !goes {
				next.value = stop
			}
			here[y], left = next, right
		}
	}
	// What is out of reach is 0, for the row before.
	after, until := p.within(n+1, x)
	if from > to {
		clear(p.costs[at+after : at+until+1])
	} else {
		clear(p.costs[at+min(after, from) : at+from])
		clear(p.costs[at+to+1 : at+max(until, to)+1])
	}
	low = min(low, to+1)
	high = max(high, low-1)
	p.stops.pass[n][x], p.stops.fail[n][x] = int16(low-1), int16(high+1)
}

// reach are the y beside x that come to be under any model with more than next to no probability. Side by side the
// rates of both events are as far apart as delta at most; the distance is on the scale of the arcsine.
func (p *plane) reach(n, x int) (from, to int) {
	if n < 2 {
		return 0, p.mostY[n]
	}
	if p.matched {
		// One step of both counts is at most 1 each way.
		half := 4.5 * math.Sqrt(float64(n)*p.h.Guarded.High)
		most := float64(x) + float64(n)*p.h.Delta + half
		return max(int(float64(x)-half), 0), min(int(math.Ceil(most)), p.mostY[n])
	}
	const distance = 3.0 // in 1/√n: beyond it probabilities are below exp(-distance²/2), and mostly its square; chosen
	scale := float64(n)
	share, half := float64(x)/scale, distance/math.Sqrt(scale)
	at := func(share, step float64) float64 {
		root := math.Sin(math.Min(math.Max(math.Asin(math.Sqrt(share))+step, 0), math.Pi/2))
		return root * root
	}
	least := at(share, -half)
	most := at(math.Min(at(share, half/2)+p.h.Delta, 1), half/2)
	most = math.Max(most, at(share, half))
	return max(int(least*scale), 0), min(int(math.Ceil(most*scale)), p.mostY[n])
}

// within is reach within the lattice.
func (p *plane) within(n, x int) (from, to int) {
	r := p.reached[n][x]
	return int(r[0]), int(r[1])
}

// setReached finds what within returns after n rounds.
func (p *plane) setReached(n int) {
	p.reached[n] = make([][2]int16, p.mostX[n]+1)
	for x := range p.reached[n] {
		from, to := p.reach(n, x)
		most := p.mostYAt(n, x)
		p.reached[n][x] = [2]int16{int16(min(from, most+1)), int16(min(to, most))}
	}
}

// clean reports whether the test must not fail at a point.
func (p *plane) clean(n, x, y int) bool {
	return p.neverBad && x == 0 && y == 0 || p.alwaysBad && x == n && y == n
}

// planeStop is a point at which the test ends, with the number of its paths, divided by [plane.scale].
type planeStop struct {
	n, x, y int
	paths   float64
	outcome sprt.Outcome
}

// between are the y beside x at which the test goes on after n rounds.
func (p *plane) between(s stopPlane, n, x int) (from, to int) {
	switch {
	case n == 0 && x == 0:
		return 0, 0
	case n == 0 || x < 0 || x > p.mostX[n]:
		return p.width, -1
	}
	return int(s.pass[n][x]) + 1, min(int(s.fail[n][x])-1, p.mostYAt(n, x))
}

// arrive calls stop for each point at which the test ends, by rising x and then y of each row. It walks forwards over
// the points at which the test goes on, with two rows in turn. Parts of the lattice go side by side, as in
// [plane.back]: each hands its last line to the part after it, and is told to stop with its own place.
func (p *plane) arrive(s stopPlane, stop func(part int, s planeStop)) {
	parts := p.parts
	if p.going[0] == nil {
		for i := range p.going {
			p.going[i] = make([]float64, (p.mostX[p.rounds]+2)*p.width)
		}
	}
	lines := make([]chan []float64, len(parts)+1) // by part, the last line of the row before of the part before
	for i := range lines {
		lines[i] = make(chan []float64, p.rounds)
	}
	p.going[0][0] = 1 / p.scale()
	spread.AtOnce(len(parts), func(i int) {
		going, next := p.going[0], p.going[1]
		line := func(x int) []float64 { return going[x*p.width : (x+1)*p.width] }
		from, to := parts[i][0], parts[i][1]
		ended := func(s planeStop) { stop(i, s) }
		for n := 1; n <= p.rounds; n++ {
			if i+1 < len(parts) {
				lines[i+1] <- slices.Clone(line(to - 1))
			}
			var before []float64
			if i > 0 {
				before = <-lines[i]
			}
			for x := from; x < to && x <= p.mostX[n-1]+1; x++ {
				p.arriveLine(s, n, x, line(x), before, next[x*p.width:(x+1)*p.width], ended)
				p.clearLine(s, n-1, x-1, before)
				before = line(x)
			}
			if to-1 <= p.mostX[n-1] {
				p.clearLine(s, n-1, to-1, line(to-1))
			}
			going, next = next, going
		}
	})
}

// clearLine sets to 0 what goes on of a line.
func (p *plane) clearLine(s stopPlane, n, x int, line []float64) {
	if from, to := p.between(s, n, x); from <= to && line != nil {
		clear(line[from : to+1])
	}
}

// arriveLine counts the paths to a line after n rounds, from what went on with as many x and with one fewer. What stops
// leaves the line.
func (p *plane) arriveLine(s stopPlane, n, x int, here, before, next []float64, stop func(s planeStop)) {
	from, to := p.between(s, n-1, x)
	fromLess, toLess := p.between(s, n-1, x-1)
	from, to = min(from, fromLess), max(to, toLess)
	// What leaves the part of the lattice that is looked at is lost.
	if from > to || x > p.mostX[n] {
		return
	}
	pass, fail := int(s.pass[n][x]), int(s.fail[n][x])
	down := 0.0 // one y fewer
	for y := from; y <= to+1; y++ {
		paths, level := 0.0, 0.0
		if y <= to {
			level = here[y]
			if before != nil {
				if p.matched {
					paths = before[y]
				} else {
					level += before[y]
				}
			}
		}
		paths += level + down
		down = level
		if paths == 0 || y > p.mostY[n] {
			continue
		}
		switch {
		case y <= pass:
			stop(planeStop{n, x, y, paths, sprt.Pass})
		case y >= fail:
			stop(planeStop{n, x, y, paths, sprt.Fail})
		case n == p.rounds:
			stop(planeStop{n, x, y, paths, sprt.Inconclusive})
		default:
			next[y] = paths
		}
	}
}

// evaluate returns the score of the stop points, and the cost of an Inconclusive by the weights of that. Those of
// rounds are as in induce: half unchanged, a quarter each half way and at the drop.
func (p *plane) evaluate() (total score, open float64) {
	type part struct {
		likelihoods
		score
		open float64
	}
	var parts []part
	for range p.parts {
		l := p.likelihoods()
		parts = append(parts, part{likelihoods{l.same.own(), l.half.own(), l.lower.own()}, newScore(len(p.models)), 0})
	}
	p.arrive(p.stops, func(i int, s planeStop) {
		t := &parts[i]
		averaged := func(density *densities, share float64, error []float64) {
			low, list := density.at(s.n, s.x, s.y)
			rounds, opened, left := 0.0, 0.0, 0.0
			for i, r := range list {
				j, r := low+i, r*s.paths
				rounds += p.savings[j] * r
				if error != nil {
					error[j] += r
				}
				if s.outcome == sprt.Inconclusive {
					opened += p.openings[j] * r
					left += p.savings[j] * r
				}
			}
			t.expected += share * rounds * float64(s.n)
			t.score.open += share * left
			t.open += share * opened
		}
		var failed, passed []float64
		switch s.outcome {
		case sprt.Fail:
			failed = t.fail
		case sprt.Pass:
			passed = t.pass
		}
		averaged(&t.same, 0.5, failed)
		averaged(&t.half, 0.25, nil)
		averaged(&t.lower, 0.25, passed)
	})
	total = newScore(len(p.models))
	for i := range parts {
		total.add(parts[i].score)
		open += parts[i].open
	}
	return total, open
}

// errors are those of the stop points, by model.
func (p *plane) errors() score {
	type part struct {
		same, lower densities
		score
	}
	var parts []part
	for range p.parts {
		parts = append(parts, part{p.likelihoods().same.own(), p.likelihoods().lower.own(), newScore(len(p.models))})
	}
	p.arrive(p.stops, func(i int, s planeStop) {
		t := &parts[i]
		var low int
		var list, errors []float64
		switch s.outcome {
		case sprt.Fail:
			low, list = t.same.at(s.n, s.x, s.y)
			errors = t.fail[low:]
		case sprt.Pass:
			low, list = t.lower.at(s.n, s.x, s.y)
			errors = t.pass[low:]
		}
		for i, r := range list {
			errors[i] += s.paths * r
		}
	})
	total := newScore(len(p.models))
	for i := range parts {
		total.add(parts[i].score)
	}
	return total
}

// planeResult is what a search came to.
type planeResult struct {
	stops     stopPlane
	score     score
	objective float64 // expected rounds, and the cost of no decision where there may be one
	bound     float64 // the largest of the Lagrangian, over all prices tried
}

// search looks for feasible stop points of few expected rounds: prices move until the
// bound hardly rises, then with lower targets until the errors are within them by a
// margin, and at last on the line between prices that are feasible and those before. It
// returns false if it found none.
//
// A plane has no columns to choose from; in place of [search.choose] it moves prices on the line between a
// feasible test and one that is not, which comes near to the targets, and then goes in small steps around these.
func (p *plane) search(ctx context.Context, margin float64, progress func(share float64)) (planeResult, bool, error) {
	q, limit := firstPrices(len(p.models)), roomOf(p.h, len(p.models))
	result := planeResult{bound: math.Inf(-1), objective: math.Inf(1)}
	// Every test that is tried counts twice: its cost raises the bound, and if it is feasible it may be the
	// best one.
	try := func(q prices) (total score, feasible bool) {
		cost := p.induce(q)
		result.bound = math.Max(result.bound, cost-q.allowed(limit))
		total = p.errors()
		if feasible = total.excess(limit) <= 1-margin; feasible {
			// What the test costs but for its errors.
			if objective := cost - q.cost(total); objective < result.objective {
				result.stops, result.objective = p.stops.clone(), objective
			}
		}
		return total, feasible
	}
	// A long lattice takes fewer and larger steps, for time.
	few := func(many, least int) int { return min(many, max(many*planeLong/p.rounds, least)) }
	first, sections, polish := few(planeRounds, fewestRounds), few(planeSections, 2), few(planePolish, 12)
	larger := planeRounds / float64(first)
	step := planeStep * larger
	if first == fewestRounds && margin >= wideMargin {
		step *= planeLarger
	}
	shown := func(done int) {
		if progress != nil {
			progress(float64(done) / float64(first+planeSafer+sections+polish))
		}
	}
	var safe, unsafe prices
	share := 1.0
	for round := range first + planeSafer {
		if err := ctx.Err(); err != nil {
			return planeResult{}, false, err
		}
		shown(round)
		total, feasible := try(q)
		if feasible {
			safe = q.clone()
		} else {
			unsafe = q.clone()
		}
		safer := max(round-first+1, 0)
		if safer > 0 && feasible {
			break
		}
		share = 1 - step*float64(safer)
		q.move(limit, total, 1.5/(1+float64(min(round, first))*larger/6), share)
	}
	// Halving on the logarithmic scale of prices: the more they are, the safer the test, roughly.
	for range sections {
		if safe.fail == nil || unsafe.fail == nil {
			break
		}
		if err := ctx.Err(); err != nil {
			return planeResult{}, false, err
		}
		middle := safe.between(unsafe)
		if _, feasible := try(middle); feasible {
			safe = middle
		} else {
			unsafe = middle
		}
	}
	if safe.fail == nil {
		return result, false, nil
	}
	// Near these prices there are tests that leave less of the targets unused: small steps, with targets a little above
	// where the last test was feasible and a little below where it was not, from those that made one feasible on.
	q, share = safe.clone(), (1+share)/2
	for round := range polish {
		if err := ctx.Err(); err != nil {
			return planeResult{}, false, err
		}
		shown(first + planeSafer + sections + round)
		total, feasible := try(q)
		if feasible {
			share += planeUp
		} else {
			share -= planeDown
		}
		q.move(limit, total, planeSmall/(1+float64(round)*planePolish/float64(polish)/20), share)
	}
	p.stops = result.stops
	total, open := p.evaluate()
	result.score, result.objective = total, total.expected
	if !math.IsInf(p.giveUp, 1) {
		result.objective += p.giveUp * open
	}
	return result, true, nil
}

// Rounds of prices for a plane: for the bound, then for a feasible test with lower
// targets, then between prices, and at last in small steps around the best ones. All are chosen.
const (
	planeRounds   = 24
	planeSafer    = 40
	planeStep     = 0.002 // of the targets
	planeLarger   = 3     // times that, where every rate is guarded for many rounds
	fewestRounds  = 10
	planeSections = 8
	planePolish   = 80
	planeLong     = 60    // rounds beyond which there are fewer of these
	planeSmall    = 0.6   // the first of the small steps
	planeUp       = 0.001 // of the targets, after a feasible test
	planeDown     = 0.002 // after one that is not
)

func (s stopPlane) clone() stopPlane {
	c := stopPlane{make([][]int16, len(s.pass)), make([][]int16, len(s.fail))}
	for n := range s.pass {
		c.pass[n], c.fail[n] = slices.Clone(s.pass[n]), slices.Clone(s.fail[n])
	}
	return c
}
