package baseline

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/stats"
)

// Rounds is a sequential test that runs both sides, one trial of each in every round. It
// is made by [SideBySide] and [Matched], and is not changed by its methods.
//
// What it counts are events of the baseline and of the candidate. Side by side these are
// the failures of each. Of matched pairs they are the pairs that only the candidate
// passed, and those that only the baseline did: the pairs that were fixed and broke.
type Rounds struct {
	matched    bool
	hypotheses Hypotheses
	stops      stopPlane
	ends       []roundsEnd // by rounds, then events of the baseline, then of the candidate
	cache      familyCache
}

// roundsEnd is a point at which the test ends. The logarithm is of the number of sequences of rounds that
// end there, not stopped before.
type roundsEnd struct {
	rounds, baseline, candidate int
	logPaths                    float64
	outcome                     sprt.Outcome
}

// Hypotheses are what the test tells apart. Of matched pairs the guarded rates are those
// of discordant pairs, that one of the sides passed and the other did not.
func (r *Rounds) Hypotheses() Hypotheses { return r.hypotheses }

// Matched reports whether the test is one of matched pairs.
func (r *Rounds) Matched() bool { return r.matched }

// MaxRounds is the number of rounds after which the test ends in any case.
func (r *Rounds) MaxRounds() int { return len(r.stops.pass) - 1 }

// Outcome returns where the test stands after so many rounds with so many events of the
// baseline and of the candidate. Counts that no test comes to are Inconclusive.
func (r *Rounds) Outcome(rounds, baseline, candidate int) sprt.Outcome {
	if rounds < 1 {
		return sprt.Undecided
	}
	if rounds > r.MaxRounds() || baseline < 0 || candidate < 0 || baseline >= len(r.stops.pass[rounds]) {
		return sprt.Inconclusive
	}
	switch {
	case candidate <= int(r.stops.pass[rounds][baseline]):
		return sprt.Pass
	case candidate >= int(r.stops.fail[rounds][baseline]):
		return sprt.Fail
	// Between the limits after the last round.
	case rounds == r.MaxRounds():
		return sprt.Inconclusive
	}
	return sprt.Undecided
}

// Digest identifies the test: "sha256:" and the hash of its hypotheses and stop points.
func (r *Rounds) Digest() string {
	h := sha256.New()
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	y := r.hypotheses
	fmt.Fprintf(h, "tribunal rounds 1\n%v %s %s %s %s %s\n",
		r.matched, text(y.Delta), text(y.Alpha), text(y.Beta), text(y.Guarded.Low), text(y.Guarded.High))
	for n := 1; n <= r.MaxRounds(); n++ {
		for x, pass := range r.stops.pass[n] {
			fmt.Fprintf(h, "%d %d\n", pass, r.stops.fail[n][x])
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// At returns the exact characteristics at pass rates of the baseline and the candidate,
// of a test of two sides that are independent: the expected trials are rounds. Of matched
// pairs use [Rounds.AtPairs]. All fields are NaN where a rate is not from 0 to 1.
func (r *Rounds) At(baseline, candidate float64) Characteristics {
	if r.matched || !(baseline >= 0 && baseline <= 1 && candidate >= 0 && candidate <= 1) {
		nan := math.NaN()
		return Characteristics{nan, nan, nan, nan, nan, nan}
	}
	c := r.characteristics(func(e roundsEnd) float64 {
		return times(e.rounds-e.baseline, math.Log(baseline)) + times(e.baseline, math.Log1p(-baseline)) +
			times(e.rounds-e.candidate, math.Log(candidate)) + times(e.candidate, math.Log1p(-candidate))
	})
	c.Baseline, c.Candidate = baseline, candidate
	return c
}

// AtPairs returns the exact characteristics where a pair is fixed and breaks with given
// probabilities, of a test of matched pairs; the rates of the sides are left at 0. All
// fields are NaN where these are no probabilities.
func (r *Rounds) AtPairs(fixed, broke float64) Characteristics {
	if !r.matched || !(fixed >= 0 && broke >= 0 && fixed+broke <= 1) {
		nan := math.NaN()
		return Characteristics{nan, nan, nan, nan, nan, nan}
	}
	return r.characteristics(func(e roundsEnd) float64 {
		return times(e.rounds-e.baseline-e.candidate, math.Log1p(-fixed-broke)) +
			times(e.baseline, math.Log(fixed)) + times(e.candidate, math.Log(broke))
	})
}

// characteristics adds up the ends, each with the probability of one of its paths. What the lattice leaves
// out, and what rounding loses, counts as Inconclusive.
func (r *Rounds) characteristics(logPath func(e roundsEnd) float64) (c Characteristics) {
	covered := 0.0
	for _, e := range r.ends {
		x := math.Exp(e.logPaths + logPath(e))
		covered += x
		c.ExpectedTrials += float64(e.rounds) * x
		switch e.outcome {
		case sprt.Pass:
			c.Pass += x
		case sprt.Fail:
			c.Fail += x
		default:
			c.Inconclusive += x
		}
	}
	c.Inconclusive += math.Max(0, 1-covered)
	return c
}

// Errors returns the largest errors over the guarded range; what the lattice leaves out is
// part of them.
func (r *Rounds) Errors() Errors {
	r.cache.errors.Do(func() {
		fail := r.maximum(func(e roundsEnd) bool { return e.outcome == sprt.Fail }, false, r.hypotheses.Alpha)
		pass := r.maximum(func(e roundsEnd) bool { return e.outcome == sprt.Pass }, true, r.hypotheses.Beta)
		r.cache.proved = Errors{Alpha: fail.bound, Beta: pass.bound, AlphaAt: fail.at, BetaAt: pass.at}
	})
	return r.cache.proved
}

// maximum returns the largest probability of the ends over the guarded range: of sides
// that are alike, or with the candidate lower by delta.
func (r *Rounds) maximum(in func(e roundsEnd) bool, dropped bool, target float64) peak {
	var terms []term
	for _, e := range r.ends {
		if in(e) {
			terms = append(terms, r.term(e, dropped))
		}
	}
	linears, over := r.factors(dropped)
	p := newPolynomial(linears, terms, over)
	// What the lattice leaves out might be errors: it is taken to be.
	p.rest += beyondRest
	if r.hypotheses.Guarded == EveryRate() {
		return p.within(over, target, everyTolerance)
	}
	return p.maximum(over, target)
}

// everyTolerance is the relative distance of a proved error to the largest one seen, where every rate is guarded;
// chosen for time.
const everyTolerance = 2e-3

// beyondRest bounds what is lost of the lattice: both kinds of events, in every round.
const beyondRest = 2 * beyond

// factors are the linear factors of an end as a function of the nuisance parameter, and
// its range.
func (r *Rounds) factors(dropped bool) ([factors]linear, stats.Interval) {
	h := r.hypotheses
	switch {
	case !r.matched && dropped:
		return rateFactors(h.Delta), h.lowered()
	case !r.matched:
		return rateFactors(0), h.Guarded
	case dropped:
		over := stats.Interval{Low: h.Delta, High: h.Guarded.High}
		// Of matched pairs the nuisance parameter is the probability d of discordant pairs: 1-d, and after
		// a drop (d-delta)/2 of pairs that are fixed and (d+delta)/2 of those that break. The halves are in
		// the logarithm of the term.
		return [factors]linear{{1, -1}, {-h.Delta, 1}, {h.Delta, 1}, {1, 0}}, over
	}
	// Unchanged, both kinds have d/2: the powers of d are added up.
	return [factors]linear{{1, -1}, {0, 1}, {1, 0}, {1, 0}}, stats.Interval{Low: 0, High: h.Guarded.High}
}

// term is an end as a function of the nuisance parameter. It has the powers of [Rounds.factors], in their
// order.
func (r *Rounds) term(e roundsEnd, dropped bool) term {
	baseline, candidate := float64(e.baseline), float64(e.candidate)
	if !r.matched {
		drop := 0.0
		if dropped {
			drop = r.hypotheses.Delta
		}
		return end{e.rounds - e.baseline, e.baseline, e.rounds - e.candidate, e.candidate, e.logPaths}.term(drop)
	}
	concordant, halves := float64(e.rounds)-baseline-candidate, e.logPaths-(baseline+candidate)*math.Ln2
	if dropped {
		return term{[factors]float64{concordant, baseline, candidate}, halves}
	}
	return term{[factors]float64{concordant, baseline + candidate}, halves}
}

// PValues returns the p-values of a test that ended after so many rounds with so many
// events of the baseline and of the candidate. Ends are ordered, and the p-values
// computed, as those of [Family.PValues]. An error says that the test cannot end there.
func (r *Rounds) PValues(rounds, baseline, candidate int) (PValues, error) {
	at, err := r.place(rounds, baseline, candidate)
	if err != nil {
		return PValues{}, err
	}
	ends := r.ranked()
	return PValues{
		Unchanged: math.Min(1, r.pValue(ends, at, false)),
		Dropped:   math.Min(1, r.pValue(ends, at, true)),
	}, nil
}

// pValue is one of the two, of an end by its place.
func (r *Rounds) pValue(ends []rankedEnd, at int, dropped bool) float64 {
	seen := ends[at]
	if seen.severity == deciding(dropped) {
		return r.evidence(dropped).pValue(r.ends[at].key())
	}
	var terms []term
	for i, e := range r.ends {
		if ends[i].asExtreme(seen, dropped) {
			terms = append(terms, r.term(e, dropped))
		}
	}
	target := r.hypotheses.Alpha
	if dropped {
		target = r.hypotheses.Beta
	}
	linears, over := r.factors(dropped)
	p := newPolynomial(linears, terms, over)
	p.rest += beyondRest
	return math.Max(p.within(over, 0, looseTolerance).bound, math.Nextafter(target, 1))
}

// ranked orders the ends, once; by their places.
func (r *Rounds) ranked() []rankedEnd {
	r.cache.ranks.Do(func() {
		same, sameRange := r.factors(false)
		lower, lowerRange := r.factors(true)
		unchanged, dropped := &polynomial{factors: same}, &polynomial{factors: lower}
		for _, e := range r.ends {
			// Numbers of paths cancel in a ratio of likelihoods.
			e.logPaths = 0
			ratio := dropped.largest(r.term(e, true), lowerRange) - unchanged.largest(r.term(e, false), sameRange)
			r.cache.ends = append(r.cache.ends, rankedEnd{severity: severity(e.outcome), ratio: ratio, own: true})
		}
	})
	return r.cache.ends
}

// evidence returns the p-values of the ends that decide, once for each hypothesis.
func (r *Rounds) evidence(dropped bool) *evidence {
	side, target, top := 0, r.hypotheses.Alpha, r.Errors().Alpha
	if dropped {
		side, target, top = 1, r.hypotheses.Beta, r.Errors().Beta
	}
	r.cache.once[side].Do(func() {
		var ends []decidingEnd
		for i, x := range r.ranked() {
			if x.severity == deciding(dropped) {
				ends = append(ends, x.decided(r.ends[i].key(), r.term(r.ends[i], dropped), dropped))
			}
		}
		linears, over := r.factors(dropped)
		m := newMesh(linears, over, cellsFor(over, float64(r.MaxRounds())))
		r.cache.evidence[side] = newEvidence(m, ends, nil, target, top, beyondRest, 0)
	})
	return r.cache.evidence[side]
}

func (e roundsEnd) key() endKey { return endKey{e.rounds, e.baseline, e.candidate} }

// place returns where an end stands among the ends; an error if the test cannot end there.
func (r *Rounds) place(rounds, baseline, candidate int) (int, error) {
	wanted := roundsEnd{rounds: rounds, baseline: baseline, candidate: candidate}
	at, found := slices.BinarySearchFunc(r.ends, wanted, roundsEnd.compare)
	if !found {
		return 0, fmt.Errorf("the test cannot end after %d rounds with %d and %d events", rounds, baseline, candidate)
	}
	return at, nil
}

// compare is the order of the list of ends.
func (e roundsEnd) compare(other roundsEnd) int {
	return cmp.Or(
		cmp.Compare(e.rounds, other.rounds),
		cmp.Compare(e.baseline, other.baseline),
		cmp.Compare(e.candidate, other.candidate),
	)
}

// RoundsPlan is a test in rounds with what the search learned about it.
type RoundsPlan struct {
	Test   *Rounds
	Errors Errors // proved
	// Expected is the mean number of rounds, each with a trial of both sides, averaged as
	// [Options.Favour] says.
	Expected float64
	// Bound is a lower bound of what Expected, and MaxTrials for every Inconclusive (which counts
	// a little at every rate), can be for any test of these hypotheses and limits, from Lagrangian duality; Gap is how
	// far the test is above it, as a share.
	Bound, Gap float64
	// Inconclusive is the probability of no decision, averaged likewise.
	Inconclusive float64
	// FixedRounds is the fewest rounds with which a fixed sample keeps both errors; 0 if no
	// number up to MostRounds does.
	FixedRounds int
}

// MostRounds is the largest number of rounds that is planned for.
const MostRounds = 600

// kind is what the two forms of a test in rounds differ in.
type kind struct {
	matched bool
	every   bool                    // nothing is left out of the guarded range
	at      func(x float64) model   // at a point of the grid, from 0 to 1
	saving  func(x float64) float64 // weight of the rounds there
}

// planRounds plans either form: the shortest fixed sample first, then a test of at most overhead times its
// rounds, with a larger margin of the errors each time the proved ones are above their targets. Steps is
// the number of steps of the grid for so many rounds.
func planRounds(ctx context.Context, h Hypotheses, o Options, k kind,
	steps func(rounds int) int) (RoundsPlan, error) {
	question := keptQuestion{Form: "side by side", Hypotheses: h, MaxTrials: o.MaxTrials, Favour: o.Favour}
	if k.matched {
		question.Form = "matched"
	}
	if plan, ok := loadRounds(ctx, question, k); ok {
		return plan, nil
	}
	// A lattice for a number of rounds, with the grid of the nuisance parameter from 0 to 1 on the scale of
	// its kind.
	lattice := func(rounds int, giveUp float64) *plane {
		grid := steps(rounds)
		var points, savings []float64
		total := 0.0
		for i := range grid + 1 {
			x := float64(i) / float64(grid)
			points = append(points, x)
			savings = append(savings, k.saving(x))
			total += savings[i]
		}
		for i := range savings {
			savings[i] /= total
		}
		return newPlane(h, k, rounds, giveUp, points, savings)
	}
	fixed, err := fixedRounds(ctx, func(rounds int) bool {
		return lattice(rounds, math.Inf(1)).fixedFeasible(ctx)
	})
	if err != nil {
		return RoundsPlan{}, err
	}
	// As in [Stored]: a test that is too short to decide always may be Inconclusive, at the cost of all its
	// rounds.
	rounds, giveUp := o.MaxTrials, math.Inf(1)
	switch {
	case rounds == 0 && fixed == 0 && !(k.every && h.apart(MostRounds)):
		return RoundsPlan{}, &InfeasibleError{Hypotheses: h, MaxTrials: MostRounds}
	case rounds == 0 && fixed == 0:
		rounds = MostRounds
	case rounds == 0 && k.every:
		rounds = min(int(math.Ceil(overheadOfEvery*float64(fixed))), MostRounds)
	case rounds == 0:
		rounds = min(int(math.Ceil(overhead*float64(fixed))), MostRounds)
	}
	if rounds < fixed || fixed == 0 {
		giveUp = float64(rounds)
	}
	for longer := 0; ; longer++ {
		plan, found, err := lattice(rounds, giveUp).plan(ctx, k, o.Progress)
		switch {
		case err != nil:
			return RoundsPlan{}, err
		case found:
			plan.FixedRounds = fixed
			plan.save(ctx, question)
			return plan, nil
		case o.MaxTrials > 0 || rounds == MostRounds || longer == mostLonger:
			return RoundsPlan{}, &InfeasibleError{Hypotheses: h, MaxTrials: rounds}
		}
		// Where the fixed sample is short, the search may find nothing within what it is allowed to take beside it.
		rounds = min(rounds+max(1, rounds/8), MostRounds)
	}
}

// mostLonger is how often a test that may take as many rounds as it needs is looked for in an eighth more; chosen.
const mostLonger = 8

// plan looks for a test on the lattice whose errors are proved to be within the targets.
func (p *plane) plan(ctx context.Context, k kind, progress func(float64)) (plan RoundsPlan, found bool, err error) {
	margin := float64(planeMargin)
	if k.every || k.matched {
		margin = wideMargin
	}
	for ; margin < lastMargin; margin *= 2 {
		found, ok, err := p.search(ctx, margin, progress)
		if err != nil || !ok {
			return RoundsPlan{}, false, err
		}
		test := p.test(k, found.stops)
		plan := RoundsPlan{Test: test, Errors: test.Errors(), Expected: found.score.expected,
			Bound: found.bound, Gap: found.objective/found.bound - 1, Inconclusive: found.score.open}
		if plan.Errors.Within(p.h) {
			return plan, true, nil
		}
	}
	return RoundsPlan{}, false, nil
}

// test is the test with stop points on the lattice.
func (p *plane) test(k kind, stops stopPlane) *Rounds {
	test := &Rounds{matched: k.matched, hypotheses: p.h, stops: stops}
	logScale := math.Log(p.scale())
	parts := make([][]roundsEnd, len(p.parts))
	p.arrive(stops, func(i int, s planeStop) {
		parts[i] = append(parts[i], roundsEnd{s.n, s.x, s.y, math.Log(s.paths) + logScale, s.outcome})
	})
	for n := 1; n <= p.rounds; n++ {
		for i, list := range parts {
			row := 0
			for row < len(list) && list[row].rounds == n {
				row++
			}
			test.ends, parts[i] = append(test.ends, list[:row]...), list[row:]
		}
	}
	return test
}

// overheadOfEvery is the overhead of a test that guards every rate: what a longer one saves it saves in the middle of
// the rates alone, and a lattice grows with the cube of its rounds. It is chosen.
const overheadOfEvery = 1.1

// apart reports whether so many rounds tell the hypotheses apart where agents mostly are, at a rate of .95, by the
// normal approximation of a fixed sample of two independent sides, 2z²p(1-p)/delta².
func (h Hypotheses) apart(rounds int) bool {
	const rate = 0.95
	z := dist.NormalUpperQuantile(h.Alpha) + dist.NormalUpperQuantile(h.Beta)
	return 2*z*z*rate*(1-rate)/(h.Delta*h.Delta) <= float64(rounds)
}

// planeMargin is the first margin of the errors on the grid. It covers what errors rise between two points
// of the grid; it doubles until the proof holds. It is chosen.
const planeMargin = 5e-4

// wideMargin is the first margin where every rate is guarded, and of matched pairs: it saves searching again. It is
// chosen.
const wideMargin = 4e-3

// fixedRounds returns the fewest rounds with which a fixed sample keeps both errors on
// the grid, to within 2 %; 0 if none up to MostRounds does. It looks for no fewer than 9: from 16 down it
// halves once.
func fixedRounds(ctx context.Context, feasible func(rounds int) bool) (int, error) {
	high := 16
	for !feasible(high) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if high == MostRounds {
			return 0, nil
		}
		high = min(2*high, MostRounds)
	}
	low := high / 2
	for high-low > max(1, high/50) {
		if middle := (low + high) / 2; feasible(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high, ctx.Err()
}

// fixedFeasible reports whether one look after the last round keeps both errors on the
// grid.
//
// The best test with one look is, for given prices, the cheaper of Fail and Pass at each point; prices move
// as in the search, and a cost above that of the targets proves that no test keeps them.
func (p *plane) fixedFeasible(ctx context.Context) bool {
	points := p.lastPoints()
	prices, limit := firstPrices(len(p.models)), roomOf(p.h, len(p.models))
	// What passes beside an x are the points before a cut, which is looked for from where the last one was.
	cuts, total := make([]int, len(points)), newScore(len(p.models))
	for _, line := range points {
		for i := range line {
			line[i].same.add(total.fail, 1)
		}
	}
	for round := range fixedRoundsOfPrices {
		if ctx.Err() != nil {
			return false
		}
		for x, line := range points {
			passes := func(q *lastPoint) bool { return q.lower.weigh(prices.pass) <= q.same.weigh(prices.fail) }
			for ; cuts[x] > 0 && !passes(&line[cuts[x]-1]); cuts[x]-- {
				line[cuts[x]-1].move(total, -1)
			}
			for ; cuts[x] < len(line) && passes(&line[cuts[x]]); cuts[x]++ {
				line[cuts[x]].move(total, 1)
			}
		}
		if total.excess(limit) <= 1 {
			return true
		}
		if prices.cost(total) > prices.allowed(limit)*(1+1e-9) {
			return false
		}
		prices.move(limit, total, 1.5/(1+float64(round)/12), 1)
	}
	return false
}

// lastPoint is a point after the last round: its probabilities unchanged, and after a drop.
type lastPoint struct{ same, lower chances }

// chances are those of a point under models from the first on that makes it at all likely.
type chances struct {
	low  int
	list []float64
}

// weigh adds up the chances, each times a weight.
func (c *chances) weigh(weights []float64) (sum float64) {
	weights = weights[c.low:]
	for i, x := range c.list {
		sum += weights[i] * x
	}
	return sum
}

// add adds the chances to errors, or with a sign of -1 takes them away.
func (c *chances) add(errors []float64, sign float64) {
	errors = errors[c.low:]
	for i, x := range c.list {
		errors[i] += sign * x
	}
}

// move lets a point that failed pass, or with a sign of -1 one that passed fail.
func (q *lastPoint) move(total score, sign float64) {
	q.same.add(total.fail, -sign)
	q.lower.add(total.pass, sign)
}

// lastPoints are those after the last round, by x and rising y. What no model makes likely is left out, to save time:
// it is for a search for a number of rounds, which is no proof.
func (p *plane) lastPoints() [][]lastPoint {
	n := p.rounds
	list := make([][]lastPoint, p.mostX[n]+1)
	all, logScale := newLikelihoods(p), math.Log(p.scale())
	ways := make([]float64, n+1)
	for k := range ways {
		ways[k] = logChoose(n, k)
	}
	spread.Over(len(list), func(x int) {
		same, lower := all.same.own(), all.lower.own()
		for y := 0; y <= p.mostYAt(n, x); y++ {
			var paths float64
			if p.matched {
				paths = ways[x+y] + logChoose(x+y, x)
			} else {
				paths = ways[x] + ways[y]
			}
			chance, most := math.Exp(paths-logScale), 0.0
			chancesOf := func(r *densities) chances {
				low, list := r.at(n, x, y)
				list = slices.Clone(list)
				for i := range list {
					list[i] *= chance
					most = math.Max(most, list[i])
				}
				return chances{low, list}
			}
			if q := (lastPoint{chancesOf(&same), chancesOf(&lower)}); most > beyond {
				list[x] = append(list[x], q)
			}
		}
	})
	return list
}

// fixedRoundsOfPrices is how often prices move before so many rounds count as too few; chosen.
const fixedRoundsOfPrices = 80
