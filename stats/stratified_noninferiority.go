package stats

import (
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/internal/dist"
)

// StratifiedNonInferiorityResult is the outcome of [StratifiedNonInferiority].
type StratifiedNonInferiorityResult struct {
	P float64 // small: the candidate is not worse by delta
	// Used is the share of the trials of both sides that a draw keeps: 1 where the strata have the same
	// shares of both sides and no trials depend on each other.
	Used float64
	// Mismatch is by how much the strata's shares of the two sides still differ (half the sum of the
	// differences): delta less that is what is tested.
	Mismatch float64
}

// StratifiedNonInferiority tests H0: the drop of the pass rate, averaged over the strata by their shares of
// the baseline's trials that are used, is delta or more, against H1: it is less. The rates of the strata may
// be anything, on both sides: where every stratum drops by delta or more, H0 holds for any weights. Trials
// are independent within their stratum, or their clusters are.
//
// Where the strata have the same shares on both sides, the statistic is the score of Farrington and Manning
// (1990) on the totals. A total over unequal rates has tails that are bounded by those of the binomial
// distribution of the same mean from one trial beyond the mean on (Hoeffding 1956, theorem 4), less than one
// beyond by nearMean, and by 1 before: first the candidate's total and then the baseline's is replaced so,
// and the p-value is the largest bound over the baseline's mean rate, proved by branch and bound. It is never
// below the true one.
//
// Where the shares differ, trials are left out at random until they do not, and of clusters all but one
// trial each; the p-value is a quantile of that over all ways of leaving out, divided by its level
// (Meinshausen, Meier & Buehlmann 2009, JASA 104:1671), by the exact distribution of what is kept: nothing is
// drawn. Shares that still differ count against the candidate in full. Which of both is done, and the level
// of the quantile, follow from the numbers of trials alone.
//
// It needs 0 < delta < 1. Without trials that both sides have in a stratum P is 1.
func StratifiedNonInferiority(
	ctx context.Context, strata []Stratum, clusters []ClusterStratum, delta float64,
) (StratifiedNonInferiorityResult, error) {
	none := StratifiedNonInferiorityResult{P: 1}
	if err := validateStrata(strata); err != nil {
		return none, err
	}
	if err := validateClusters(clusters); err != nil {
		return none, err
	}
	if err := argument.OpenUnit("delta", delta); err != nil {
		return none, err
	}
	s := thin(strata, clusters, delta)
	result := StratifiedNonInferiorityResult{P: 1, Used: s.used, Mismatch: s.mismatch}
	if s.totals[0] == 0 || s.totals[1] == 0 || s.mismatch >= delta {
		return result, nil
	}
	p, err := s.p(ctx, delta-s.mismatch, math.Inf(1))
	if err != nil {
		return none, err
	}
	result.P = p
	return result, nil
}

// thinnedStrata is what is kept of strata so that both sides have them in the same shares.
type thinnedStrata struct {
	units    []thinnedStratum
	totals   [2]int // trials that are kept: baseline, candidate
	fails    [2]int // among them, where everything is kept of strata without clusters
	used     float64
	mismatch float64
	level    float64 // of the quantile; 1 where everything is kept
	trials   int     // of both sides, whether they are kept or not
}

// thinnedStratum is one stratum: the trials that are kept of each side, of cells or of clusters.
type thinnedStratum struct {
	cell     [2]Counts
	clusters [2][]Counts // where these are there, one trial of each is kept
	kept     [2]int
}

// thin chooses what is kept: all, or what leaves equal shares, whichever finds a given drop more easily.
// Clusters keep one trial each in any case.
func thin(strata []Stratum, clusters []ClusterStratum, delta float64) thinnedStrata {
	if whole, ok := proportional(strata); ok && len(clusters) == 0 {
		return whole
	}
	var all []thinnedStratum
	for _, s := range strata {
		if s.Baseline.Trials > 0 && s.Candidate.Trials > 0 {
			all = append(all, thinnedStratum{
				cell: [2]Counts{s.Baseline, s.Candidate}, kept: [2]int{s.Baseline.Trials, s.Candidate.Trials},
			})
		}
	}
	for _, c := range clusters {
		if len(c.Baseline) > 0 && len(c.Candidate) > 0 {
			all = append(all, thinnedStratum{
				clusters: [2][]Counts{c.Baseline, c.Candidate}, kept: [2]int{len(c.Baseline), len(c.Candidate)},
			})
		}
	}
	whole := measured(all)
	best, merit := whole, whole.merit(delta)
	for _, ratio := range ratios(all) {
		less := measured(keepInRatio(all, ratio))
		if m := less.merit(delta); m > merit*(1+1e-9) {
			best, merit = less, m
		}
	}
	return best
}

// ratios are those of the two sides' trials in the strata and as a whole, at most a few dozen.
func ratios(all []thinnedStratum) []float64 {
	var list []float64
	total := [2]int{}
	for _, s := range all {
		list = append(list, float64(s.kept[1])/float64(s.kept[0]))
		total[0] += s.kept[0]
		total[1] += s.kept[1]
	}
	list = append(list, 1, float64(total[1])/float64(max(total[0], 1)))
	slices.Sort(list)
	list = slices.Compact(list)
	const most = 40
	if len(list) > most {
		few := make([]float64, most)
		for i := range few {
			few[i] = list[i*(len(list)-1)/(most-1)]
		}
		list = few
	}
	return list
}

// keepInRatio keeps of every cell as many trials as have this ratio, the candidate's over the baseline's.
func keepInRatio(all []thinnedStratum, ratio float64) []thinnedStratum {
	list := slices.Clone(all)
	for i, s := range list {
		if s.clusters[0] != nil {
			continue
		}
		base := min(s.kept[0], int(float64(s.kept[1])/ratio*(1+1e-12)))
		list[i].kept = [2]int{base, min(s.kept[1], int(math.Round(float64(base)*ratio)))}
	}
	return slices.DeleteFunc(list, func(s thinnedStratum) bool { return s.kept[0] == 0 || s.kept[1] == 0 })
}

// measured sets the totals, the mismatch of the shares and the level of the quantile.
func measured(units []thinnedStratum) thinnedStrata {
	t := thinnedStrata{units: units}
	for _, s := range units {
		for side := range s.kept {
			t.totals[side] += s.kept[side]
			t.trials += s.cell[side].Trials
			for _, c := range s.clusters[side] {
				t.trials += c.Trials
			}
		}
	}
	if t.totals[0] == 0 || t.totals[1] == 0 {
		return t
	}
	// Crosswise in integers: equal shares have a mismatch of exactly 0.
	sum := 0.0
	for _, s := range units {
		cross := int64(s.kept[0])*int64(t.totals[1]) - int64(s.kept[1])*int64(t.totals[0])
		sum += math.Abs(float64(cross))
	}
	t.mismatch = sum / 2 / float64(t.totals[0]) / float64(t.totals[1])
	t.used = float64(t.totals[0]+t.totals[1]) / float64(t.trials)
	t.level = quantileLevel(t.used)
	return t
}

// quantileLevel is the level of the quantile that costs least power at beta 10 %, by the normal
// distribution: the trials that are kept are the given share.
func quantileLevel(used float64) float64 {
	if used == 1 {
		return 1
	}
	best, least := 0.5, math.Inf(1)
	for _, level := range []float64{.5, .6, .75, .9, .95, .99} {
		need := dist.NormalUpperQuantile(.1*level) + dist.NormalUpperQuantile(1-level)*math.Sqrt(1-used)
		if need < least {
			best, least = level, need
		}
	}
	return best
}

// merit is the square of how many standard errors there are in what is tested, up to a factor of the rates.
func (t thinnedStrata) merit(delta float64) float64 {
	if t.totals[0] == 0 || t.totals[1] == 0 || t.mismatch >= delta {
		return 0
	}
	need := 2.56
	if t.level < 1 {
		need = dist.NormalUpperQuantile(.1*t.level) + dist.NormalUpperQuantile(1-t.level)*math.Sqrt(1-t.used) +
			1.28*math.Sqrt(t.used)
	}
	d := (delta - t.mismatch) / need
	return d * d / (1/float64(t.totals[0]) + 1/float64(t.totals[1]))
}

// p is the bound at the quantile of the score, over the level of that. It need not be found where it is shown to be
// above a limit, or not to be.
func (t thinnedStrata) p(ctx context.Context, delta, limit float64) (float64, error) {
	if fails, all := t.allFails(); all {
		over := rangeOf(t.totals[0], delta, fails[0])
		event := newPoolEvent(t.totals[0], t.totals[1], delta, over)
		event.orderUpTo(event.ordering(fails[0], fails[1]))
		return event.bound(ctx, over, limit)
	}
	over := wholeRange
	var quantile float64
	var err error
	if t.trials > mostWhole {
		quantile, over, err = t.quantileOfMany(ctx, delta)
	} else {
		quantile, err = t.quantile(ctx, newNonInferiorityEvent(t.totals[0], t.totals[1], delta))
	}
	if err != nil {
		return 1, err
	}
	event := newPoolEvent(t.totals[0], t.totals[1], delta, over)
	event.orderUpTo(quantile)
	p, err := event.bound(ctx, over, limit*t.level)
	return math.Min(1, p/t.level), err
}

// quantile is the least ordering value that so many of the ways of leaving out do not exceed.
func (t thinnedStrata) quantile(ctx context.Context, event *nonInferiorityEvent) (float64, error) {
	var laws [2]massFunction
	for side := range laws {
		law := massFunction{mass: []float64{1}}
		for _, s := range t.units {
			for _, part := range s.fails(side) {
				if law = law.plus(ctx, part).trimmed(quantileLoss); ctx.Err() != nil {
					return 0, context.Cause(ctx)
				}
			}
		}
		laws[side] = law
	}
	return event.quantile(ctx, laws, t.level, 60)
}

// quantile is the least ordering value that at most a table has with this probability, to so many bits, where the
// sides' failures have the given distributions: from above.
func (n *nonInferiorityEvent) quantile(
	ctx context.Context, laws [2]massFunction, level float64, bits int,
) (float64, error) {
	below := laws[1].cumulated()
	// The share of ways whose ordering value is at most the limit, along the edge. What trimming lost is
	// in no share, so the quantile only errs to the safe side.
	share := func(limit float64) float64 {
		sum, column := 0.0, -1
		for i, m := range laws[0].mass {
			row := laws[0].first + i
			for column+1 < len(below) && n.ordering(row, laws[1].first+column+1) <= limit {
				column++
			}
			if column >= 0 {
				sum += m * below[column]
			}
		}
		return sum
	}
	low, high := -40.0, 40.0
	if share(high) < level {
		return math.MaxFloat64, nil
	}
	for range bits {
		if ctx.Err() != nil {
			return 0, context.Cause(ctx)
		}
		middle := (low + high) / 2
		if share(middle) >= level {
			high = middle
		} else {
			low = middle
		}
	}
	return high, nil
}

// mostWhole is the number of trials of both sides up to which the whole range of the nuisance is searched where trials
// are left out.
const mostWhole = 200_000

// quantileSlack is what the quantile of many trials is above its level: for ways of leaving out that are not looked at,
// and for the rounding of distributions.
const quantileSlack = 1e-8

// quantileOfMany is quantile for many trials, with the part of the nuisance's range in which to search: that of the
// ways of leaving out whose baseline's failures are within all but quantileSlack of theirs. Each of these ways has a
// p-value by the interval of its own failures (Berger & Boos 1994), which is at most that by the hull of the intervals.
func (t thinnedStrata) quantileOfMany(ctx context.Context, delta float64) (float64, parameterRange, error) {
	var laws [2]massFunction
	for side := range laws {
		laws[side] = t.failsKept(side).masses(ctx, 0)
		if ctx.Err() != nil {
			return 0, wholeRange, context.Cause(ctx)
		}
	}
	rows := laws[0].trimmed(quantileSlack / 4)
	over := rangeOf(t.totals[0], delta, rows.first)
	over.high = rangeOf(t.totals[0], delta, rows.first+len(rows.mass)-1).high
	empty := newNonInferiorityEventOver(t.totals[0], t.totals[1], delta, parameterRange{})
	limit, err := empty.quantile(ctx, laws, math.Min(t.level+quantileSlack, 1), 32)
	return limit, over, err
}

// failsKept is the sum of the failures that are kept of one side; see [thinnedStratum.fails].
func (t thinnedStrata) failsKept(side int) (sum hypergeometricSum) {
	at := map[dist.Hypergeometric]int{}
	add := func(law dist.Hypergeometric) {
		if i, known := at[law]; known {
			sum.parts[i].times++
			return
		}
		at[law] = len(sum.parts)
		sum.parts = append(sum.parts, hypergeometricPart{law, 1})
	}
	for _, s := range t.units {
		if s.clusters[side] == nil {
			c := s.cell[side]
			add(dist.Hypergeometric{Population: c.Trials, Successes: c.Fails(), Draws: s.kept[side]})
			continue
		}
		for _, c := range s.clusters[side] {
			add(dist.Hypergeometric{Population: c.Trials, Successes: c.Fails(), Draws: 1})
		}
	}
	return sum
}

// quantileLoss is the probability that may be left out at an end of a distribution of what is kept.
const quantileLoss = 1e-18

// fails are the distributions of the failures that are kept of one side: of a cell a hypergeometric one,
// of clusters one trial each.
func (s thinnedStratum) fails(side int) (list []massFunction) {
	if s.clusters[side] == nil {
		c := s.cell[side]
		return []massFunction{hypergeometricMass(dist.Hypergeometric{
			Population: c.Trials, Successes: c.Fails(), Draws: s.kept[side],
		})}
	}
	for _, c := range s.clusters[side] {
		share := float64(c.Fails()) / float64(c.Trials)
		list = append(list, massFunction{mass: []float64{float64(c.Passes) / float64(c.Trials), share}})
	}
	return list
}

// cumulated returns P(X <= first+i).
func (f massFunction) cumulated() []float64 {
	list := make([]float64, len(f.mass))
	sum := 0.0
	for i, m := range f.mass {
		sum += m
		list[i] = sum
	}
	return list
}

// poolEvent is the event of a score on the totals of two sides whose trials have unequal rates. Its
// probability is bounded by the mean of a larger function of two binomial counts: see
// [StratifiedNonInferiority].
type poolEvent struct {
	*nonInferiorityEvent
	// What bounds the tails near the means, for every mean failure rate of the baseline between low and high.
	row    int     // P(baseline's failures >= row) is at most byRow; 1 for less, binomial for more
	byRow  float64 //
	cut    int     // P(candidate's failures <= cut) is at most byCut; 1 for more, binomial for less
	byCut  float64
	rowCut [2]int // the cuts of the rows row-1 and row
}

// newPoolEvent returns the event before its cuts are set, for a range of the nuisance.
func newPoolEvent(baseline, candidate int, delta float64, over parameterRange) *poolEvent {
	return &poolEvent{nonInferiorityEvent: newNonInferiorityEventOver(baseline, candidate, delta, over)}
}

// nearMean bounds P(S <= k) for a sum S of n independent trials with any rates and a mean of k+s,
// 0 < s <= 1, where tail is that probability of the binomial count of the same mean. By Hoeffding's theorem 3 the
// largest is that of a binomial count beside constants. Enumerated (up to 60 trials in full and 200 in part) it
// is that of n-k trials of one rate beside k that are 1, which none of them may add to, or at most
// nearMeanSlack above the tail; and never above exp(-s) or 1/2.
func nearMean(n, k int, s, tail float64) float64 {
	left := float64(n - k)
	alone := math.Pow(math.Max(1-s/left, 0), left)
	return math.Min(math.Max(math.Exp(-s), 0.5), math.Max(alone, tail+nearMeanSlack))
}

// nearMeanSlack is above what was enumerated, at most 0.0067.
const nearMeanSlack = 0.01

// meanRounding keeps the comparison of a count with a mean on the safe side of rounding.
const meanRounding = 1e-9

// many reports whether the search takes larger steps, each of which takes longer.
func (e *poolEvent) many() bool { return e.staircase.row.n+e.staircase.col.n > mostWhole }

// hold sets the bounds near the means so that they hold for all rates between low and high.
func (e *poolEvent) hold(low, high float64) {
	rows := float64(e.staircase.row.n)
	mean := rows*high + meanRounding
	e.row = int(math.Floor(mean)) + 1
	n := e.staircase.row.n
	tail := 1.0 // of many trials: it takes long, and hardly matters
	if e.byRow = 1; e.row <= n {
		if !e.many() {
			tail = dist.Binomial{N: n, P: math.Min(mean/rows, 1)}.Survival(e.row - 1)
		}
		e.byRow = nearMean(n, n-e.row, float64(e.row)-mean, tail)
	}
	mean = float64(e.staircase.col.n)*(low+e.delta) - meanRounding
	e.cut = int(math.Ceil(mean)) - 1
	n = e.staircase.col.n
	if e.byCut = 1; e.cut >= 0 && e.cut < n {
		if !e.many() {
			tail = dist.Binomial{N: n, P: math.Max(mean, 0) / float64(n)}.CDF(e.cut)
		}
		e.byCut = nearMean(n, e.cut, mean-float64(e.cut), tail)
	}
	for i := range e.rowCut {
		e.rowCut[i] = e.staircase.cut(min(e.row-1+i, e.staircase.row.n))
	}
}

// column bounds P(candidate's failures <= k) by what was filled in last, with the derivative by the rate
// but for its divisor.
func (e *poolEvent) column(k int) (below, slope float64) {
	s := e.staircase
	switch {
	case k > e.cut || k >= s.col.n:
		return 1, 0
	case k == e.cut:
		return e.byCut, 0
	case k < s.col.low || k > s.col.high:
		return s.below(k), 0
	}
	return s.cumulated[k-s.col.first], -s.col.mass[k-s.col.first] * float64(s.col.n-k)
}

// sum adds up the larger function over the rows, with its derivatives but for their divisors. Where the
// rows count by their tails, g(first) + the rises of g times the tails, it is a mean again.
func (e *poolEvent) sum(mean float64) (value, byRow, byCol float64) {
	before, slopeBefore := e.column(e.rowCut[0])
	at, slopeAt := e.column(e.rowCut[1])
	value = before*(1-e.byRow) + at*e.byRow
	byCol = slopeBefore*(1-e.byRow) + slopeAt*e.byRow
	for r := max(e.row+1, e.staircase.row.low); r <= e.staircase.row.high; r++ {
		below, slope := e.column(e.staircase.cut(r))
		weight := e.staircase.row.mass[r-e.staircase.row.first]
		value += weight * (below - at)
		byRow += weight * (below - at) * (float64(r) - mean)
		byCol += weight * (slope - slopeAt)
	}
	return value, byRow, byCol
}

// probability is the mean of the larger function, with its derivative.
func (e *poolEvent) probability(u float64) (value, slope float64) {
	e.staircase.row.fill(u, 1-u)
	e.staircase.fillCumulated(u+e.delta, 1-e.delta-u)
	value, byRow, byCol := e.sum(float64(e.staircase.row.n) * u)
	return value, byRow/(u*(1-u)) + byCol/(1-e.delta-u)
}

// box is the mean with the baseline at its highest rate and the candidate at its lowest.
func (e *poolEvent) box(low, high float64) float64 {
	e.staircase.row.fill(high, 1-high)
	e.staircase.fillCumulated(low+e.delta, 1-e.delta-low)
	value, _, _ := e.sum(0)
	return math.Min(value, 1)
}

// parameterRange is a part of the range of the nuisance, with the probability that the true one is not in it.
type parameterRange struct {
	low, high float64 // of t in [0,1]; see parameter
	outside   float64
}

var wholeRange = parameterRange{0, 1, 0}

// outsideRange is the probability that a rate may lie outside the range that is searched (Berger & Boos
// 1994); it is part of the p-value.
const outsideRange = 1e-6

// rangeOf is the exact interval of the mean failure rate of so many trials of the baseline. It holds for unequal rates
// too: the tails are far beyond one trial from the mean.
func rangeOf(trials int, delta float64, fails int) parameterRange {
	interval, err := ClopperPearson(Counts{fails, trials}, outsideRange)
	if err != nil {
		return wholeRange
	}
	margin := 1 / float64(trials) // tails within one trial of the mean are not bounded by binomial ones
	t := func(rate float64) float64 {
		return math.Asin(math.Sqrt(min(max(rate/(1-delta), 0), 1))) * 2 / math.Pi
	}
	low, high := t(interval.Low-margin), t(interval.High+margin)
	if low >= high {
		low = math.Max(0, high-1e-3)
		high = math.Min(1, low+1e-3)
	}
	return parameterRange{low, high, outsideRange}
}

// The search ends at this relative error of the bound, or after so many intervals; what is left open is
// in the p-value.
const (
	poolTolerance = 2e-3
	poolFloor     = 1e-7
	poolIntervals = 20_000
	// Of more than mostWhole trials, of which each step takes long.
	manyTolerance = 1e-2
	manyFloor     = 1e-5
)

// bound is the largest bound of the probability over a range of the nuisance. The search also ends where it is shown
// to be above a limit, or not to be.
func (e *poolEvent) bound(ctx context.Context, over parameterRange, limit float64) (float64, error) {
	tolerance, floor := poolTolerance, poolFloor
	if e.many() {
		tolerance, floor = manyTolerance, manyFloor
	}
	return over.bound(ctx, tolerance, floor, limit, func(t0, t1 float64) (float64, nuisanceInterval) {
		// What is found is the bound at one rate; what covers the interval is that of the larger event.
		u := e.parameter((t0 + t1) / 2)
		e.hold(u, u)
		value, _ := e.probability(u)
		e.hold(e.parameter(t0), e.parameter(t1))
		return value, measure(e, 1, t0, t1)
	})
}

// bound is the largest value over the range, from above by a relative tolerance and a floor at most, and what is
// outside of it. A part of the range is looked at by a function that returns a value in it and a bound of all. It need
// not be found where it is shown to be above a limit, or not to be.
func (r parameterRange) bound(
	ctx context.Context, tolerance, floor, limit float64, look func(t0, t1 float64) (float64, nuisanceInterval),
) (float64, error) {
	limit -= r.outside
	var open intervalHeap
	found := 0.0
	add := func(t0, t1 float64) {
		value, interval := look(t0, t1)
		found = math.Max(found, value)
		heap.Push(&open, interval)
	}
	const start = 8
	for i := range start {
		step := (r.high - r.low) / start
		add(r.low+float64(i)*step, r.low+float64(i+1)*step)
	}
	for range poolIntervals {
		if ctx.Err() != nil {
			return 1, context.Cause(ctx)
		}
		top := open[0]
		if top.bound <= found*(1+tolerance)+floor || found > limit || top.bound <= limit && limit < 1 {
			break
		}
		heap.Pop(&open)
		middle := (top.t0 + top.t1) / 2
		add(top.t0, middle)
		add(middle, top.t1)
	}
	return math.Min(math.Max(open[0].bound, found)+r.outside, 1), nil
}

// proportional keeps everything of strata that have the same shares on both sides already, without a list of them;
// false is of others.
func proportional(strata []Stratum) (thinnedStrata, bool) {
	whole := thinnedStrata{used: 1, level: 1}
	for _, s := range strata {
		if s.Baseline.Trials > 0 && s.Candidate.Trials > 0 {
			whole.totals[0] += s.Baseline.Trials
			whole.totals[1] += s.Candidate.Trials
			whole.fails[0] += s.Baseline.Fails()
			whole.fails[1] += s.Candidate.Fails()
		} else if s.Baseline.Trials > 0 || s.Candidate.Trials > 0 {
			return whole, false
		}
	}
	for _, s := range strata {
		if int64(s.Baseline.Trials)*int64(whole.totals[1]) != int64(s.Candidate.Trials)*int64(whole.totals[0]) {
			return whole, false
		}
	}
	whole.trials = whole.totals[0] + whole.totals[1]
	return whole, whole.totals[0] > 0
}

// ShowsStratifiedNonInferiority reports whether [StratifiedNonInferiority] shows at beta, between 0 and 1, that the
// drop is less than delta. Where everything is kept and the evidence is clear Hoeffding's inequality shows it without a
// search, see [ShowsNonInferiority], or Bennett's: the totals are sums of independent terms whatever the rates of the
// strata are. Else the search ends as soon as it shows it, or that it is not so.
func ShowsStratifiedNonInferiority(
	ctx context.Context, strata []Stratum, clusters []ClusterStratum, delta, beta float64,
) (bool, error) {
	if err := argument.OpenUnit("beta", beta); err != nil {
		return false, err
	}
	if err := validateStrata(strata); err != nil {
		return false, err
	}
	if err := argument.OpenUnit("delta", delta); err != nil {
		return false, err
	}
	t := thin(strata, clusters, delta)
	if t.totals[0] == 0 || t.totals[1] == 0 || t.mismatch >= delta {
		return false, nil
	}
	delta -= t.mismatch
	if fails, all := t.allFails(); all {
		if boundShows(t.totals, fails, delta, beta) {
			return true, nil
		}
	}
	// A little less than beta, so that no rounding keeps a bound above it.
	p, err := t.p(ctx, delta, beta*(1-1e-12))
	return p <= beta, err
}

// allFails are the failures of both sides where everything is kept; false is where it is not.
func (t thinnedStrata) allFails() (fails [2]int, all bool) {
	if t.level != 1 {
		return fails, false
	}
	fails = t.fails
	for _, s := range t.units {
		fails[0] += s.cell[0].Fails()
		fails[1] += s.cell[1].Fails()
	}
	return fails, true
}

// SharesUsed returns the share of the trials that [StratifiedNonInferiority] keeps, and by how much the
// shares of the strata still differ.
func SharesUsed(strata []Stratum, clusters []ClusterStratum, delta float64) (used, mismatch float64, err error) {
	if err := validateStrata(strata); err != nil {
		return 0, 0, err
	}
	if err := validateClusters(clusters); err != nil {
		return 0, 0, err
	}
	t := thin(strata, clusters, delta)
	return t.used, t.mismatch, nil
}

// StratifiedNonInferiorityRegion returns the totals at which [StratifiedNonInferiority] gives a p-value of
// at most beta where the strata have the same shares on both sides.
func StratifiedNonInferiorityRegion(
	ctx context.Context, baselineTrials, candidateTrials int, delta, beta float64,
) (*Region, error) {
	if err := validateRegion(baselineTrials, candidateTrials, delta, beta); err != nil {
		return nil, err
	}
	event := newPoolEvent(baselineTrials, candidateTrials, delta, wholeRange)
	low, high := -20.0, 0.0
	for range 16 {
		middle := (low + high) / 2
		event.orderUpTo(middle)
		p, err := event.bound(ctx, wholeRange, math.Inf(1))
		if err != nil {
			return nil, err
		}
		if p <= beta {
			low = middle
		} else {
			high = middle
		}
	}
	event.orderUpTo(low)
	return &Region{stairs: event.staircase, fails: true}, nil
}
