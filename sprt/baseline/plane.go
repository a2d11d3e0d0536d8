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
// A path of n rounds with x and y events has A^n · B^x · C^y, with A the probability of neither event and
// B, C the odds x/A and y/A. Side by side this needs that the sides are independent, for then both events
// at once have x·y/A; of matched pairs both never happen, for a pair is fixed or broken.
//
// The search is that of columns in one more dimension, with one problem in place of many: see
// [column.induce] and [prices].
//
// Likelihoods are carried relative to those of a reference, as in [column].

// cells are the probabilities of a round: that neither, only x, only y, or both events
// happen. They add up to 1. Events of matched pairs exclude each other: both is 0 there.
type cells struct{ neither, x, y, both float64 }

// law is the probability of paths under one value of the nuisance parameter: A^n B^x C^y,
// relative to the reference. The lists hold powers by n, x and y: a likelihood is three look-ups and two
// products.
type law struct{ n, x, y []float64 } // powers

// model is what a round does at a value of the nuisance parameter.
type model struct {
	same, half, lower cells // unchanged, lower by delta/2, and lower by delta
}

// plane is the lattice with what the search needs.
type plane struct {
	h           Hypotheses
	rounds      int
	giveUp      float64   // cost of an Inconclusive in rounds; +Inf if it must not be
	rates       []float64 // values of the nuisance parameter, as points of the grid from 0 to 1
	savings     []float64 // weight of the rounds at each value of the nuisance parameter
	reference   cells
	same, lower []law
	half        []law
	neverBad    bool  // without any event the test never fails: see [newPlane]
	mostX       []int // largest x by rounds; beyond it lies next to nothing
	mostY       []int
	stops       stopPlane
	rows        [4][]float64 // costs of Fail, Pass, a round, and the best; by x, then y
	width       int          // of a row of the memory: the largest y and 2 more
}

// stopPlane says when the test stops: at n rounds with x, it passes at y or less, and
// fails at y or more. The lists are by n and x. At -1 no y passes; at one more than the largest y none fails. An int16
// holds them: rounds are at most MostRounds.
type stopPlane struct{ pass, fail [][]int16 }

// beyond is the probability, under every model, of leaving the part of the lattice that
// is looked at. Its share of an error is added to what is proved: see beyondRest.
const beyond = 1e-10

// lawOf returns the powers of a model relative to the reference, where each factor of a
// path is its probability of neither event for every round, and the odds of an event.
func (p *plane) lawOf(c cells) law {
	powers := func(x float64) []float64 {
		list := make([]float64, p.rounds+1)
		list[0] = 1
		for i := 1; i <= p.rounds; i++ {
			list[i] = list[i-1] * x
		}
		return list
	}
	r := p.reference
	return law{
		n: powers(c.neither / r.neither),
		x: powers(ratio(c.x, c.neither) / (r.x / r.neither)),
		y: powers(ratio(c.y, c.neither) / (r.y / r.neither)),
	}
}

// ratio is x/y, and 0 where x is: where neither event is impossible and x too, 0/0 would not be a number.
func ratio(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x / y
}

// newPlane makes the lattice for models at values of the nuisance parameter.
//
// Where under a model nothing happens but rounds without events, and nothing changed, a
// test must not fail without events: that would be a false Fail for certain. Every valid
// test does so, and the search need not learn it.
func newPlane(h Hypotheses, k kind, rounds int, giveUp float64, rates, savings []float64) *plane {
	p := &plane{h: h, rounds: rounds, giveUp: giveUp, rates: rates, savings: savings, reference: k.reference}
	mostX, mostY := 0.0, 0.0
	for _, rate := range rates {
		m := k.at(rate)
		p.neverBad = p.neverBad || m.same.neither == 1
		p.same = append(p.same, p.lawOf(m.same))
		p.half = append(p.half, p.lawOf(m.half))
		p.lower = append(p.lower, p.lawOf(m.lower))
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
	for i := range p.rows {
		p.rows[i] = make([]float64, (p.mostX[rounds]+2)*p.width)
	}
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

// addEnds adds to the last row the weight times the likelihood ratio.
func (p *plane) addEnds(row []float64, weight float64, l law) {
	if weight == 0 {
		return
	}
	weight *= l.n[p.rounds]
	for x := 0; x <= p.mostX[p.rounds]; x++ {
		// All further x have a likelihood of 0 too.
		if l.x[x] == 0 {
			return
		}
		line, w := row[x*p.width:], weight*l.x[x]
		for y := 0; y <= p.mostY[p.rounds]; y++ {
			line[y] += w * l.y[y]
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
	fail, pass, round, value := p.rows[0], p.rows[1], p.rows[2], p.rows[3]
	for _, row := range p.rows {
		clear(row)
	}
	for j := range p.rates {
		p.addEnds(fail, q.fail[j], p.same[j])
		p.addEnds(pass, q.pass[j], p.lower[j])
		p.addEnds(round, p.savings[j]/2, p.same[j])
		p.addEnds(round, p.savings[j]/4, p.half[j])
		p.addEnds(round, p.savings[j]/4, p.lower[j])
	}
	p.decide(fail, pass, round, value)
	// Rows are overwritten in place: the points after (x,y) are at x and x+1, y and y+1, which are still
	// those of row n+1.
	for n := p.rounds - 1; n >= 1; n-- {
		for x := 0; x <= p.mostX[n]; x++ {
			p.induceLine(n, x, fail, pass, round, value)
		}
	}
	r, w := p.reference, p.width
	// The first round is always run.
	first := func(row []float64) float64 {
		return r.neither*row[0] + r.y*row[1] + r.x*row[w] + r.both*row[w+1]
	}
	return first(round) + first(value)
}

// decide sets the stop points and values of the last row. For each x: Pass up to some y, then no decision
// where it is allowed and cheapest, then Fail.
func (p *plane) decide(fail, pass, round, value []float64) {
	n := p.rounds
	for x := 0; x <= p.mostX[n]; x++ {
		at := x * p.width
		y := 0
		for ; y <= p.mostY[n]; y++ {
			i := at + y
			if giveUp := p.giveUp * round[i]; pass[i] > fail[i] && !p.clean(x, y) || pass[i] > giveUp {
				break
			}
			value[i] = pass[i]
		}
		p.stops.pass[n][x] = int16(y - 1)
		for ; y <= p.mostY[n]; y++ {
			i := at + y
			giveUp := p.giveUp * round[i]
			if (fail[i] <= giveUp || math.IsInf(p.giveUp, 1)) && !p.clean(x, y) {
				break
			}
			value[i] = giveUp
		}
		p.stops.fail[n][x] = int16(y)
		for ; y <= p.mostY[n]; y++ {
			value[at+y] = fail[at+y]
		}
	}
}

// induceLine computes the values of one line, in place of those of the row after it, and
// sets its stop points.
//
// As in a column, the points of a line that go on are one range; the value keeps the better choice where it
// is not.
func (p *plane) induceLine(n, x int, fail, pass, round, value []float64) {
	r, w, most := p.reference, p.width, p.mostY[n]
	at, above := x*w, (x+1)*w
	// The mean over the four points after a point, under the reference.
	mean := func(row []float64, y int) float64 {
		return r.neither*row[at+y] + r.y*row[at+y+1] + r.x*row[above+y] + r.both*row[above+y+1]
	}
	low, high := most+1, -1
	for y := 0; y <= most; y++ {
		failed, passed, cost := mean(fail, y), mean(pass, y), mean(round, y)
		v := cost + mean(value, y)
		stop := min(failed, passed)
		if p.clean(x, y) {
			stop = passed
		}
		if v < stop {
			if low > y {
				low = y
			}
			high = y
		} else {
			v = stop
		}
		fail[at+y], pass[at+y], round[at+y], value[at+y] = failed, passed, cost, v
	}
	// What lies beyond stays 0, for the row before.
	for _, row := range p.rows {
		if most+1 < w {
			row[at+most+1] = 0
		}
	}
	// Nothing goes on: the limits meet where Pass becomes the dearer.
	if low > high {
		for low = 0; low <= most && (pass[at+low] <= fail[at+low] || p.clean(x, low)); low++ {
		}
		high = low - 1
	}
	p.stops.pass[n][x], p.stops.fail[n][x] = int16(low-1), int16(high+1)
}

// clean reports whether the test must not fail at a point.
func (p *plane) clean(x, y int) bool { return p.neverBad && x == 0 && y == 0 }

// planeStop is a point at which the test ends, with its probability at the reference.
type planeStop struct {
	n, x, y     int
	probability float64
	outcome     sprt.Outcome
}

// arrive calls stop for each point at which the test ends. It walks forwards, with two rows in turn, and
// ends early when nothing goes on.
func (p *plane) arrive(s stopPlane, stop func(planeStop)) {
	going, next := p.rows[0], p.rows[1]
	clear(going)
	going[0] = 1
	r, w := p.reference, p.width
	for n := 1; n <= p.rounds; n++ {
		clear(next)
		for x := 0; x <= p.mostX[n-1]; x++ {
			at, above := x*w, (x+1)*w
			for y := 0; y <= p.mostY[n-1]; y++ {
				g := going[at+y]
				if g == 0 {
					continue
				}
				next[at+y] += g * r.neither
				next[at+y+1] += g * r.y
				next[above+y] += g * r.x
				next[above+y+1] += g * r.both
			}
		}
		any := false
		for x := 0; x <= p.mostX[n]; x++ {
			pass, fail := int(s.pass[n][x]), int(s.fail[n][x])
			for y := 0; y <= p.mostY[n]; y++ {
				i := x*w + y
				if next[i] == 0 {
					continue
				}
				o := sprt.Undecided
				switch {
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
				stop(planeStop{n, x, y, next[i], o})
				next[i] = 0
			}
			// What leaves the part of the lattice that is looked at is lost.
			if p.mostY[n]+1 < w {
				next[x*w+p.mostY[n]+1] = 0
			}
		}
		// The same in the other direction.
		if p.mostX[n] < p.mostX[p.rounds]+1 {
			clear(next[(p.mostX[n]+1)*w : (p.mostX[n]+2)*w])
		}
		if !any {
			return
		}
		going, next = next, going
	}
}

// at is the likelihood of a point relative to the reference.
func (l law) at(s planeStop) float64 { return l.n[s.n] * l.x[s.x] * l.y[s.y] }

// evaluate returns the score of the stop points. Its weights are those of induce: half unchanged, a quarter
// each half way and at the drop.
func (p *plane) evaluate() score {
	total := newScore(len(p.rates))
	p.arrive(p.stops, func(s planeStop) {
		for j := range p.rates {
			same, lower := s.probability*p.same[j].at(s), s.probability*p.lower[j].at(s)
			average := p.savings[j] * (same/2 + lower/4 + s.probability*p.half[j].at(s)/4)
			total.expected += float64(s.n) * average
			switch s.outcome {
			case sprt.Fail:
				total.fail[j] += same
			case sprt.Pass:
				total.pass[j] += lower
			default:
				total.open += average
			}
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
	q, limit := firstPrices(len(p.rates)), roomOf(p.h, len(p.rates))
	result := planeResult{bound: math.Inf(-1), objective: math.Inf(1)}
	// Every test that is tried counts twice: its cost raises the bound, and if it is feasible it may be the
	// best one.
	try := func(q prices) (total score, feasible bool) {
		bound := p.induce(q) - q.allowed(limit)
		result.bound = math.Max(result.bound, bound)
		total = p.evaluate()
		if feasible = total.excess(limit) <= 1-margin; feasible {
			if objective := total.objective(p.giveUp); objective < result.objective {
				result.stops, result.score, result.objective = p.stops.clone(), total, objective
			}
		}
		return total, feasible
	}
	var safe, unsafe prices
	for round := range planeRounds + planeSafer {
		if err := ctx.Err(); err != nil {
			return planeResult{}, false, err
		}
		if progress != nil {
			progress(float64(round) / (planeRounds + planeSafer + planeSections + planePolish))
		}
		total, feasible := try(q)
		if feasible {
			safe = q.clone()
		} else {
			unsafe = q.clone()
		}
		safer := max(round-planeRounds+1, 0)
		if safer > 0 && feasible {
			break
		}
		q.move(limit, total, 1.5/(1+float64(min(round, planeRounds))/6), 1-planeStep*float64(safer))
	}
	// Halving on the logarithmic scale of prices: the more they are, the safer the test, roughly.
	for range planeSections {
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
	// where the last test was feasible and a little below where it was not.
	q, share := safe.clone(), 1.0
	for round := range planePolish {
		if err := ctx.Err(); err != nil {
			return planeResult{}, false, err
		}
		if progress != nil {
			const before = planeRounds + planeSafer + planeSections
			progress(float64(before+round) / (before + planePolish))
		}
		total, feasible := try(q)
		if feasible {
			share += planeUp
		} else {
			share -= planeDown
		}
		q.move(limit, total, planeSmall/(1+float64(round)/20), share)
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
