package baseline

import (
	"context"
	"math"
	"slices"

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
// Likelihoods are carried relative to those of a reference, as in [column]. Here it is the mean over all rates,
// each as likely as any other: an urn, in which an event is the likelier the more there were. Against it no
// likelihood is more than (n+1)², whatever the rates, so that many rounds neither overflow nor vanish. See [densities].

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
	last      *likelihoods // of the last round
	now       *likelihoods // of the round that errors are at
	stops     stopPlane
	reached   [][][2]int16 // by rounds, then x: see [plane.within]
	costs     []costs      // by x, then y
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
	p.reached = make([][][2]int16, rounds+1)
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

// addEnds adds to the last row the weights times the likelihoods relative to the reference.
func (p *plane) addEnds(weights []float64, density *densities, add func(place int, cost float64)) {
	for x := 0; x <= p.mostX[p.rounds]; x++ {
		from, to := p.within(p.rounds, x)
		for y := from; y <= to; y++ {
			low, list := density.at(x, y)
			sum := 0.0
			for i, r := range list {
				sum += weights[low+i] * r
			}
			add(x*p.width+y, sum)
		}
	}
}

// induce finds the stop points of least cost under prices, and returns that cost. Costs
// beyond the part of the lattice that is looked at count as none, so what is returned is
// never too high.
//
// The recursion is V(n,x,y) = min(Fail, Pass, round + mean of V at the four points after it), as in
// [column.induce].
func (p *plane) induce(q prices) float64 {
	if p.costs == nil {
		p.costs = make([]costs, (p.mostX[p.rounds]+2)*p.width)
	}
	clear(p.costs)
	p.ends(q)
	p.decide()
	// Rows are overwritten in place: the points after (x,y) are at x and x+1, y and y+1, which are still
	// those of row n+1.
	for n := p.rounds - 1; n >= 1; n-- {
		for x := 0; x <= p.mostX[n]; x++ {
			p.induceLine(n, x)
		}
	}
	// The first round is always run.
	r, w := p.step(0, 0, 0), p.width
	first := func(cost func(c *costs) float64) float64 {
		c := p.costs
		return r.neither*cost(&c[0]) + r.y*cost(&c[1]) + r.x*cost(&c[w]) + r.both*cost(&c[w+1])
	}
	return first(func(c *costs) float64 { return c.round + c.value })
}

// step is what the reference does in the round after n with x and y events.
func (p *plane) step(n, x, y int) cells {
	if p.matched {
		all := float64(n + 3)
		c := cells{x: float64(x+1) / all, y: float64(y+1) / all}
		c.neither = 1 - c.x - c.y
		return c
	}
	a, b := float64(x+1)/float64(n+2), float64(y+1)/float64(n+2)
	return cells{neither: (1 - a) * (1 - b), x: a * (1 - b), y: (1 - a) * b, both: a * b}
}

// mostYAt is the largest y beside x: a pair is fixed or broken, not both.
func (p *plane) mostYAt(n, x int) int {
	if p.matched {
		return min(p.mostY[n], n-x)
	}
	return p.mostY[n]
}

// ends sets the costs after the last round.
func (p *plane) ends(q prices) {
	if p.last == nil {
		p.last = newLikelihoods(p)
		p.last.advance(p.rounds)
	}
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
		p.addEnds(weighted(weights, cost/2), &p.last.same, add)
		p.addEnds(weighted(weights, cost/4), &p.last.half, add)
		p.addEnds(weighted(weights, cost/4), &p.last.lower, add)
		return row
	}
	if p.lastRound == nil {
		p.lastRound = averaged(p.savings, 1)
		if !math.IsInf(p.giveUp, 1) {
			p.open = averaged(p.openings, p.giveUp)
		}
	}
	p.addEnds(q.fail, &p.last.same, func(i int, cost float64) { p.costs[i].fail = cost })
	p.addEnds(q.pass, &p.last.lower, func(i int, cost float64) { p.costs[i].pass = cost })
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
func (p *plane) induceLine(n, x int) {
	w, most := p.width, p.mostYAt(n, x)
	at, above := x*w, (x+1)*w
	low, high := most+1, -1
	from, to := p.within(n, x)
	// As in step.
	scale := 1 / float64(n+2)
	if p.matched {
		scale = 1 / float64(n+3)
	}
	a := float64(x+1) * scale
	if from <= to {
		here, beside := p.costs[at:at+to+2], p.costs[above:above+to+2]
		clean := -1 // the y at which the test must not fail
		switch {
		case p.neverBad && x == 0:
			clean = 0
		case p.alwaysBad && x == n:
			clean = n
		}
		// The mean over the four points after a point, under the reference: first over those with this x and the next.
		// Of matched pairs both events never happen at once.
		rest := 1 - a
		var left costs
		if c, d := &here[from], &beside[from]; p.matched {
			left = *c
		} else {
			left = costs{rest*c.fail + a*d.fail, rest*c.pass + a*d.pass, rest*c.round + a*d.round, rest*c.value + a*d.value}
		}
		for y := from; y <= to; y++ {
			b := float64(y+1) * scale
			c, d := &here[y+1], &beside[y+1]
			var right, next costs
			if p.matched {
				d, right = &beside[y], *c
				none := rest - b
				next.fail = none*left.fail + a*d.fail + b*right.fail
				next.pass = none*left.pass + a*d.pass + b*right.pass
				next.round = none*left.round + a*d.round + b*right.round
				next.value = none*left.value + a*d.value + b*right.value
			} else {
				right.fail = rest*c.fail + a*d.fail
				right.pass = rest*c.pass + a*d.pass
				right.round = rest*c.round + a*d.round
				right.value = rest*c.value + a*d.value
				next.fail = (1-b)*left.fail + b*right.fail
				next.pass = (1-b)*left.pass + b*right.pass
				next.round = (1-b)*left.round + b*right.round
				next.value = (1-b)*left.value + b*right.value
			}
			next.value += next.round
			stop := min(next.fail, next.pass)
			if y == clean {
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

// within is reach within the lattice, computed once.
func (p *plane) within(n, x int) (from, to int) {
	if p.reached[n] == nil {
		p.reached[n] = make([][2]int16, p.mostX[n]+1)
		for x := range p.reached[n] {
			from, to := p.reach(n, x)
			most := p.mostYAt(n, x)
			p.reached[n][x] = [2]int16{int16(min(from, most+1)), int16(min(to, most))}
		}
	}
	r := p.reached[n][x]
	return int(r[0]), int(r[1])
}

// clean reports whether the test must not fail at a point.
func (p *plane) clean(n, x, y int) bool {
	return p.neverBad && x == 0 && y == 0 || p.alwaysBad && x == n && y == n
}

// planeStop is a point at which the test ends, with its probability at the reference.
type planeStop struct {
	n, x, y     int
	probability float64
	outcome     sprt.Outcome
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

// arrive calls stop for each point at which the test ends. It walks forwards over the points at which the test goes on,
// with two rows in turn, and ends early when nothing goes on.
func (p *plane) arrive(s stopPlane, stop func(planeStop)) {
	if p.going[0] == nil {
		for i := range p.going {
			p.going[i] = make([]float64, (p.mostX[p.rounds]+2)*p.width)
		}
	}
	going, next := p.going[0], p.going[1]
	going[0] = 1
	w := p.width
	for n := 1; n <= p.rounds; n++ {
		scale := 1 / float64(n+1)
		if p.matched {
			scale = 1 / float64(n+2)
		}
		for x := 0; x <= p.mostX[n-1]; x++ {
			from, to := p.between(s, n-1, x)
			if from > to {
				continue
			}
			a := float64(x+1) * scale
			line := going[x*w : x*w+to+1]
			here, above := next[x*w:x*w+to+2], next[(x+1)*w:(x+1)*w+to+2]
			for y := from; y <= to; y++ {
				g := line[y]
				line[y] = 0
				b := float64(y+1) * scale
				if p.matched {
					here[y] += g * (1 - a - b)
					here[y+1] += g * b
					above[y] += g * a
					continue
				}
				here[y] += g * (1 - a) * (1 - b)
				here[y+1] += g * (1 - a) * b
				above[y] += g * a * (1 - b)
				above[y+1] += g * a * b
			}
		}
		any := false
		for x := 0; x <= min(p.mostX[n-1]+1, p.mostX[p.rounds]+1); x++ {
			from, to := p.between(s, n-1, x)
			fromLess, toLess := p.between(s, n-1, x-1)
			from, to = min(from, fromLess), max(to, toLess)+1
			// What leaves the part of the lattice that is looked at is lost.
			if x > p.mostX[n] {
				if from <= to {
					clear(next[x*w+from : x*w+to+1])
				}
				continue
			}
			pass, fail := int(s.pass[n][x]), int(s.fail[n][x])
			for y := from; y <= to; y++ {
				i := x*w + y
				if next[i] == 0 {
					continue
				}
				o := sprt.Undecided
				switch {
				case y > p.mostY[n]:
				case y <= pass:
					o = sprt.Pass
				case y >= fail:
					o = sprt.Fail
				case n == p.rounds:
					o = sprt.Inconclusive
				default:
					any = true
					continue
				}
				if o != sprt.Undecided {
					stop(planeStop{n, x, y, next[i], o})
				}
				next[i] = 0
			}
		}
		if !any {
			return
		}
		going, next = next, going
	}
}

// evaluate returns the score of the stop points, and the cost of an Inconclusive by the weights of that. Those of
// rounds are as in induce: half unchanged, a quarter each half way and at the drop.
func (p *plane) evaluate() (total score, open float64) {
	total = newScore(len(p.models))
	now := newLikelihoods(p)
	p.arrive(p.stops, func(s planeStop) {
		now.advance(s.n)
		averaged := func(density *densities, share float64, error []float64) {
			low, list := density.at(s.x, s.y)
			rounds, opened, left := 0.0, 0.0, 0.0
			for i, r := range list {
				j, r := low+i, r*s.probability
				rounds += p.savings[j] * r
				if error != nil {
					error[j] += r
				}
				if s.outcome == sprt.Inconclusive {
					opened += p.openings[j] * r
					left += p.savings[j] * r
				}
			}
			total.expected += share * rounds * float64(s.n)
			total.open += share * left
			open += share * opened
		}
		var failed, passed []float64
		switch s.outcome {
		case sprt.Fail:
			failed = total.fail
		case sprt.Pass:
			passed = total.pass
		}
		averaged(&now.same, 0.5, failed)
		averaged(&now.half, 0.25, nil)
		averaged(&now.lower, 0.25, passed)
	})
	return total, open
}

// errors are those of the stop points, by model.
func (p *plane) errors() score {
	total := newScore(len(p.models))
	if p.now == nil {
		p.now = newLikelihoods(p)
	}
	now := p.now
	now.restart()
	p.arrive(p.stops, func(s planeStop) {
		var low int
		var list, errors []float64
		switch s.outcome {
		case sprt.Fail:
			now.same.advance(s.n)
			low, list = now.same.at(s.x, s.y)
			errors = total.fail[low:]
		case sprt.Pass:
			now.lower.advance(s.n)
			low, list = now.lower.at(s.x, s.y)
			errors = total.pass[low:]
		}
		for i, r := range list {
			errors[i] += s.probability * r
		}
	})
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
	first, sections, polish := few(planeRounds, 10), few(planeSections, 2), few(planePolish, 12)
	larger := planeRounds / float64(first)
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
		share = 1 - planeStep*larger*float64(safer)
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
