package twophase

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
)

// The largest chance of a region over all judges at a rate is proved, by branch and bound over boxes of logits of the
// judge's share of passes m and of the predictive values a and b.
//
// At each number of the judge's passes, the chance is a sum of exponentials of linear functions of the logits, times
// (1-m)^N (1-a)^n₁ (1-b)^n₀. The logarithm of such a sum is convex, so that it is at most what is interpolated between
// the corners of a box (Hölder's inequality, by which it holds of the sum over all numbers too); what interpolating the
// other factors adds is known. Only points count at which c = m·a + (1-m)·b - p is 0: there log chance is log chance -
// λ·c for every λ, and that λ is taken for which the largest corner is least.

// proofTolerance is how far a proved p-value may be above the largest that was found, relatively; it may be by beyond
// in any case.
const proofTolerance = 1e-6

// mostBoxes bounds the work; what is not resolved by then is still covered by the bound.
const mostBoxes = 200_000

// floor is added to all chances, so that they have logarithms.
const floor = 1e-10

// search looks for the largest chance of a region at the rate p.
type search struct {
	*chances
	p       float64
	passes  [2]logit   // the least and the largest share of passes of a judge
	trials  [3]float64 // of each coordinate of a judgement
	end     float64    // how far from 0 c may be, as coordinates end before 0 and 1
	corners map[uint64]weight
	open    boxes
	best    peak
	tried   []peak
}

// newSearch begins with judges whose share of passes lies within limits.
func newSearch(r *region, s Sample, p float64, shares stats.Interval) *search {
	x := &search{
		chances: newChances(r, s.Judged), p: p, passes: limits(shares), corners: map[uint64]weight{},
	}
	x.trials[0] = float64(s.Judged)
	for _, b := range r.blocks {
		x.trials[1] = math.Max(x.trials[1], float64(b.ofPassed))
		x.trials[2] = math.Max(x.trials[2], float64(b.ofFailed))
	}
	var low, high judgement
	for i, n := range x.trials {
		// A coordinate this near to 0 or 1 changes chances by less than floor.
		end := floor / 10 / math.Max(n, 1)
		x.end += end
		low[i], high[i] = logitOf(end, 1), logitOf(1, end)
	}
	low[0], high[0] = max(low[0], x.passes[0]), min(high[0], x.passes[1])
	x.add(low, high)
	return x
}

// limits are those of the share of passes of a judge.
func limits(shares stats.Interval) [2]logit {
	return [2]logit{logitOf(shares.Low, 1-shares.Low), logitOf(shares.High, 1-shares.High)}
}

// run splits boxes, the most promising first, until what is known of the p-value is enough: the largest that was found,
// and a bound that is proved, which it returns.
func (s *search) run(ctx context.Context, enough func(found, bound float64) bool) (float64, error) {
	wait := 1
	for n := 0; ; n++ {
		if n%64 == 0 && ctx.Err() != nil {
			return 1, context.Cause(ctx)
		}
		found, bound := s.pValue(), 0.0
		if len(s.open) > 0 {
			bound = math.Exp(s.open[0].bound) + set + beyond
		}
		if bound = max(bound, found); bound <= found*(1+proofTolerance)+beyond ||
			n == mostBoxes || enough(found, bound) {
			return math.Min(1, bound), nil
		}
		top := heap.Pop(&s.open).(box)
		if n%wait == 0 { // what does not help is done less often
			before := s.best.chance
			s.tried = append(s.tried, s.try(top.candidate))
			if wait = min(2*wait, 16); s.best.chance > before {
				wait = 1
			}
		}
		middle := (top.low[top.split] + top.high[top.split]) / 2
		low, high := top.low, top.high
		low[top.split], high[top.split] = middle, middle
		s.add(top.low, high)
		s.add(low, top.high)
	}
}

// pValue is that of the largest chance that was found.
func (s *search) pValue() float64 { return s.best.chance + set + beyond }

// peak is a judge at the rate p, and the chance there, with floor.
type peak struct {
	judgement
	chance float64
}

// try looks at the judge at the rate p that is next to a judgement.
func (s *search) try(j judgement) peak {
	j[0] = min(max(j[0], s.passes[0]), s.passes[1])
	m, a, b := j[0].share(), j[1].share(), j[2].share()
	switch x, y := (s.p-m*a)/(1-m), (s.p-(1-m)*b)/m; {
	case x > 0 && x < 1 && (m < 0.5 || !(y > 0 && y < 1)):
		j[2] = logitOf(x, 1-x)
	case y > 0 && y < 1:
		j[1] = logitOf(y, 1-y)
	default:
		return peak{}
	}
	found := peak{j, s.at(s.point(j)).chance + floor}
	if found.chance > s.best.chance {
		s.best = found
	}
	return found
}

// climb goes from a judge to better ones nearby, as far as there are any.
func (s *search) climb(top peak) peak {
	passes, ofPassed := 0.5, 0.02
	for passes > 0.01 {
		from := placeOf(s.p, top.judgement)
		before := top.chance
		for _, sign := range []float64{1, -1} {
			for _, to := range []place{
				{from.passes + logit(sign*passes), from.ofPassed},
				{from.passes, math.Min(math.Max(from.ofPassed+sign*ofPassed, 0), 1)},
			} {
				if found := s.try(to.at(s.p)); found.chance > top.chance {
					top = found
				}
			}
		}
		if top.chance <= before*(1+proofTolerance) {
			passes, ofPassed = passes/2, ofPassed/2
		}
	}
	return top
}

// peaks are the best of the judges that were tried and are not next to each other, so many of them at most, and what is
// reached from there.
func (s *search) peaks(most int) (all []place) {
	slices.SortFunc(s.tried, func(a, b peak) int { return cmp.Compare(b.chance, a.chance) })
	var seen []place
	for _, t := range s.tried {
		x := placeOf(s.p, t.judgement)
		if t.chance < 0.7*s.best.chance || len(seen) == most {
			break
		}
		if slices.ContainsFunc(seen, func(y place) bool {
			return math.Abs(float64(x.passes-y.passes)) < 0.2 && math.Abs(x.ofPassed-y.ofPassed) < 0.1
		}) {
			continue
		}
		seen = append(seen, x)
		if top := s.climb(t); top.chance > 0.9*s.best.chance {
			all = append(all, placeOf(s.p, top.judgement))
		}
	}
	return all
}

// corner is the chance, with floor.
func (s *search) corner(p point) weight {
	l, ok := s.corners[p.key()]
	if !ok {
		l = s.at(p)
		l.chance += floor
		l.ofPassed += floor * s.trials[1]
		l.ofFailed += floor * s.trials[2]
		s.corners[p.key()] = l
	}
	return l
}

// box is a range of judgements.
type box struct {
	low, high judgement
	bound     float64   // of the logarithm of the chance, with floor
	split     int       // the coordinate that adds most to the bound
	candidate judgement // where the bound is largest, about
}

// add bounds the chance in a box, unless no judge at the rate is in it.
func (s *search) add(low, high judgement) {
	ends := [2]point{s.point(low), s.point(high)}
	var at [8]point
	var c, value [8]float64
	least, most := math.Inf(1), math.Inf(-1)
	for i := range at {
		at[i] = point{ends[i&1][0], ends[i>>1&1][1], ends[i>>2][2]}
		m := s.shares[0][at[i][0]]
		c[i] = m*s.shares[1][at[i][1]] + (1-m)*s.shares[2][at[i][2]] - s.p
		least, most = math.Min(least, c[i]), math.Max(most, c[i])
	}
	if least > s.end || most < -s.end {
		return
	}
	var corners [8]weight
	for i := range at {
		corners[i] = s.corner(at[i])
		value[i] = math.Log(corners[i].chance)
	}
	slope, from, to := hull(c, value)
	x := box{low: low, high: high, bound: math.Inf(-1), candidate: low}
	if from != to {
		part := logit(c[from] / (c[from] - c[to]))
		for axis := range x.candidate {
			start, stop := s.logits[axis][at[from][axis]], s.logits[axis][at[to][axis]]
			x.candidate[axis] = start + part*(stop-start)
		}
	}
	g := s.gaps(low, high, slope)
	for i, l := range corners {
		ofPassed := g.ofPassed * math.Max(0, math.Min(s.trials[1], g.more*l.ofPassed/l.chance)-g.bend[0])
		ofFailed := g.ofFailed * math.Max(0, math.Min(s.trials[2], g.more*l.ofFailed/l.chance)-g.bend[1])
		if v := value[i] - slope*c[i] + ofPassed + ofFailed; v > x.bound {
			x.bound, x.split = v, largest(g.passes, ofPassed, ofFailed)
		}
	}
	x.bound += math.Abs(slope)*s.end + g.passes
	if !(x.bound < floor) {
		x.bound = floor // no chance is above 1
	}
	if math.Exp(x.bound) > s.best.chance {
		heap.Push(&s.open, x)
	}
}

// largest is the index of the largest of some numbers.
func largest(all ...float64) (index int) {
	for i, x := range all {
		if x > all[index] {
			index = i
		}
	}
	return index
}

// hull is the slope at 0 of the least concave function that is above all points (x, y), and the points that it goes
// through; 0, and one point, where all are on one side.
func hull(x, y [8]float64) (slope float64, from, to int) {
	best := math.Inf(-1)
	for i := range x {
		for j := range x {
			if !(x[i] < 0 && x[j] >= 0) {
				continue
			}
			if v := (y[i]*x[j] - y[j]*x[i]) / (x[j] - x[i]); v > best {
				best, slope, from, to = v, (y[j]-y[i])/(x[j]-x[i]), i, j
			}
		}
	}
	return slope, from, to
}

// gaps is what interpolating between corners adds to the logarithm of the chance less slope·c.
type gaps struct {
	passes             float64    // by the judge's share of passes
	ofPassed, ofFailed float64    // by each label of either kind
	more               float64    // by what their mean number counts: exp(x) - 1 over x, at the most
	bend               [2]float64 // how many labels fewer it is as if there were, as shares bend too
}

func (s *search) gaps(low, high judgement, slope float64) (g gaps) {
	var p, q, gap [3]float64
	for i := range gap {
		p[i], q[i], gap[i] = low[i].share(), high[i].share(), gapOf(low[i], high[i])
	}
	g.ofPassed, g.ofFailed = gap[1], gap[2]
	switch z := s.trials[1]*gap[1] + s.trials[2]*gap[2]; {
	case z < 1e-8:
		g.more = 1 + z
	case z < 10:
		g.more = math.Expm1(z) / z
	default:
		g.more = 1e100
	}
	// A share is above the interpolated one by 2p-1 gaps at least, with the smallest p of the box, and by 2q-1 at most; c
	// has it times m, or 1-m.
	bend := func(i int, least, most float64) float64 {
		x := 2*p[i] - 1
		if slope < 0 {
			x = 1 - 2*q[i]
		}
		return math.Abs(slope) * math.Min(x*least, x*most)
	}
	g.bend = [2]float64{bend(1, p[0], q[0]), bend(2, 1-q[0], 1-p[0])}
	apart := math.Max(q[1]-p[2], q[2]-p[1])
	g.passes = gap[0] * (s.trials[0] + math.Abs(slope)*apart*math.Max(math.Abs(2*p[0]-1), math.Abs(2*q[0]-1)))
	return g
}

// gapOf is how far the logarithm of 1 + exp(u) is below what is interpolated between two logits, at the most.
func gapOf(low, high logit) float64 {
	width := float64(high - low)
	spread := math.Max(low.share()*(-low).share(), high.share()*(-high).share()) // the largest curvature
	if low < 0 && high > 0 {
		spread = 0.25
	}
	gap := spread * width * width / 8
	if width > 0.05 {
		chord := (high.natural() - low.natural()) / width
		at := logitOf(chord, 1-chord)
		gap = math.Min(gap, low.natural()+float64(at-low)*chord-at.natural())
	}
	return gap
}

// boxes is a max-heap of boxes by bound.
type boxes []box

func (h boxes) Len() int           { return len(h) }
func (h boxes) Less(i, j int) bool { return h[i].bound > h[j].bound }
func (h boxes) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *boxes) Push(x any)        { *h = append(*h, x.(box)) }
func (h *boxes) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
