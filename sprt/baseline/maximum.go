package baseline

import (
	"container/heap"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/spread"
	"github.com/tribunal-dev/tribunal/stats"
)

// The largest probability of an event over an interval of a nuisance parameter x, with
// proof. The probability is a sum of terms
//
//	t(x) = paths · l1(x)^k1 · l2(x)^k2 · ...
//
// with linear factors l, such as x, 1-x and x-delta, and powers k >= 0. Each term is
// log-concave. On an interval with the middle m and half the width w, Taylor's theorem
// gives
//
//	P(x) <= P(m) + |P'(m)| w + w²/2 · Σ max t''
//
// With g = log t, t'' = t (g'² + g''), where -g'' is the sum of k (slope/l)², each least where its factor is largest. g
// lies below its tangent at m, so t <= t(m) exp(|g'(m)| w), and g' falls, so |g'| is largest at an end; it is so steep
// nowhere else, which bounds t from below where t'' is negative.
// Where a factor comes near 0, so that g' has no bound, its derivatives are bounded by
// themselves and those of the other factors as before.
//
// The sum over terms takes the place of one bound for all of P: the first derivative is exact, with its
// signs, so that what rises and what falls cancels; only the curvature is bounded term by term. The error
// of the bound falls with w², so halving an interval quarters it.
//
// Intervals are split, the one with the largest bound first, until it is enough.

// linear is a factor, offset + slope·x.
type linear struct{ offset, slope float64 }

func (l linear) at(x float64) float64 { return l.offset + l.slope*x }

// factors is the most linear factors that a term has. Two sides with a drop have p, 1-p, p-delta and
// 1-p+delta; others fill up with the constant 1 at power 0.
const factors = 4

// term is one summand of a probability.
type term struct {
	powers [factors]float64 // of the factors: counts of passes and failures, at least 0
	log    float64          // of the number of paths
}

// polynomial is a sum of terms of the same factors.
type polynomial struct {
	factors [factors]linear
	terms   []term
	rest    float64 // what terms come to at most that are left out
}

// leastTerm is the largest value of a term that is left out. It is far below what a proof can lose:
// millions of them come to less than 1e-7. What they are worth is added to rest, so the bound holds with
// any value; it is chosen.
const leastTerm = 1e-14

// newPolynomial adds up the terms with the same powers, and leaves out those that are
// negligible everywhere.
//
// The terms of a test with both sides alike have few different powers: all ends with the same number of
// passes and failures of both sides together are one term.
func newPolynomial(linears [factors]linear, list []term, over stats.Interval) *polynomial {
	p := &polynomial{factors: linears}
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b term) int { return slices.Compare(a.powers[:], b.powers[:]) })
	for i := 0; i < len(list); {
		t := list[i]
		for i++; i < len(list) && list[i].powers == t.powers; i++ {
			t.log = logSum(t.log, list[i].log)
		}
		if most := math.Exp(p.largest(t, over)); most > leastTerm {
			p.terms = append(p.terms, t)
		} else {
			p.rest += most
		}
	}
	return p
}

// largest is the logarithm of the largest value of a term over an interval, or more: the
// term is log-concave, so it lies below its tangent near its peak.
func (p *polynomial) largest(t term, over stats.Interval) float64 {
	at := p.peak(t, over)
	most, slope := p.log(t, p.logs(at)), p.slope(t, at)
	if at > over.Low && at < over.High {
		// What the tangent rises to at either end: next to nothing where it touches the peak.
		most += math.Max(slope*(over.High-at), slope*(over.Low-at))
	}
	return most
}

// peak is where a term is largest over an interval, nearly: where its slope, which falls, crosses 0. Newton's method is
// kept between the points that are known to be to both sides.
func (p *polynomial) peak(t term, over stats.Interval) float64 {
	if p.slope(t, over.Low) <= 0 {
		return over.Low
	}
	if p.slope(t, over.High) >= 0 {
		return over.High
	}
	low, high := over.Low, over.High
	x := (low + high) / 2
	for range 40 {
		slope, falls := p.slope(t, x), 0.0
		for i, k := range t.powers {
			if k != 0 {
				d := p.factors[i].slope / p.factors[i].at(x)
				falls += k * d * d
			}
		}
		if slope > 0 {
			low = x
		} else {
			high = x
		}
		next := x + slope/falls
		if math.Abs(next-x) < 1e-12 {
			break
		}
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		x = next
	}
	return x
}

// logs are the logarithms of the factors. A factor that is 0 has -Inf, which only counts in terms with a
// power of it: see log.
func (p *polynomial) logs(x float64) (logs [factors]float64) {
	for i, l := range p.factors {
		logs[i] = math.Log(l.at(x))
	}
	return logs
}

// log is the logarithm of a term. A power of 0 is left out, for 0 times -Inf is not a number.
func (p *polynomial) log(t term, logs [factors]float64) float64 {
	sum := t.log
	for i, k := range t.powers {
		if k != 0 {
			sum += k * logs[i]
		}
	}
	return sum
}

// slope is the derivative of the logarithm of a term.
func (p *polynomial) slope(t term, x float64) float64 {
	slopes := p.slopes(x)
	return t.slope(&slopes)
}

// slopes are those of the logarithms of the factors.
func (p *polynomial) slopes(x float64) (slopes [factors]float64) {
	for i, l := range p.factors {
		slopes[i] = l.slope / l.at(x)
	}
	return slopes
}

// slope is that of the logarithm where those of the factors have these slopes, for many terms at one place.
func (t *term) slope(slopes *[factors]float64) (sum float64) {
	for i, k := range t.powers {
		if k != 0 {
			sum += k * slopes[i]
		}
	}
	return sum
}

// sum is a number and the powers times finite numbers, for many terms at one place.
func (t *term) sum(x float64, times *[factors]float64) float64 {
	return x + t.powers[0]*times[0] + t.powers[1]*times[1] + t.powers[2]*times[2] + t.powers[3]*times[3]
}

// at returns the value, but for the rest.
func (p *polynomial) at(x float64) (sum float64) {
	logs := p.logs(x)
	for _, t := range p.terms {
		sum += math.Exp(p.log(t, logs))
	}
	return sum
}

// none says that no factor comes near 0.
const none = -1

// edge returns the factor that comes near 0 on an interval, and false if several do. Near means that the factor at its
// smaller end is less than what it changes over the interval: from there on g' may more than double. Two such factors
// have no bound here, but only on intervals that are too wide: splitting parts them.
func (p *polynomial) edge(low, high float64) (factor int, ok bool) {
	factor = none
	for i, l := range p.factors {
		if math.Min(l.at(low), l.at(high)) < (high-low)*math.Abs(l.slope) {
			if factor != none {
				return factor, false
			}
			factor = i
		}
	}
	return factor, true
}

// bound returns the value in the middle of an interval, and a bound on all of it.
//
// The first interval of a search may have an infinite bound; it is split like any other. Of the terms, given by their
// places, it leaves those that are more than next to nothing somewhere on the interval, for the parts of it.
func (p *polynomial) bound(low, high float64, terms []int32) (value, bound float64, left []int32) {
	middle, half := (low+high)/2, (high-low)/2
	logs := p.logs(middle)
	edge, ok := p.edge(low, high)
	atLow, atMiddle, atHigh := p.slopes(low), p.slopes(middle), p.slopes(high)
	var beside touching
	if ok && edge != none {
		beside = p.touch(edge, low, high)
		// They count for terms without this factor alone, and may be infinite.
		atLow[edge], atHigh[edge] = 0, 0
	}
	var bends [factors]float64 // what a power adds to -g'', at least
	for i, l := range p.factors {
		bends[i] = l.slope / math.Max(l.at(low), l.at(high))
		bends[i] *= bends[i]
	}
	slope, curvature := 0.0, 0.0
	left = make([]int32, 0, len(terms))
	for _, i := range terms {
		t := &p.terms[i]
		// No factor is 0 in the middle.
		log, g := t.sum(t.log, &logs), t.sum(0, &atMiddle)
		near := edge != none && t.powers[edge] > 0
		// Where it is next to nothing all over the interval it counts no more here than in the parts.
		if ok && !near && log+math.Abs(g)*half < logLeast {
			continue
		}
		x := math.Exp(log)
		value += x
		slope += x * g
		if !ok {
			left = append(left, i)
			continue
		}
		// A power of 0 of the near factor leaves the term as smooth as any.
		if near {
			curvature += beside.curvature(t)
			left = append(left, i)
			continue
		}
		// g' falls, so it is largest in size at one of the ends.
		steepest := max(math.Abs(t.sum(0, &atLow)), math.Abs(t.sum(0, &atHigh)))
		most := x * math.Exp(math.Abs(g)*half)
		if bend := steepest*steepest - t.sum(0, &bends); bend > 0 {
			curvature += most * bend
		} else {
			curvature += x * math.Exp(-steepest*half) * bend
		}
		left = append(left, i)
	}
	if !ok {
		return value + p.rest, math.Inf(1), left
	}
	return value + p.rest, value + p.rest + math.Abs(slope)*half + max(curvature, 0)*half*half/2, left
}

// logLeast is the logarithm of 1e-16, the largest value of a term on an interval that is left out of it; all that are
// come to leftOut at most for ten million terms.
var logLeast = math.Log(1e-16)

const leftOut = 1e-9

// touching is what bounds terms with a power of a factor that comes near 0 on an interval.
type touching struct {
	factor              int
	slope, most         float64          // of the factor, and its largest value
	logs                [factors]float64 // of the others in the middle, and of the largest value
	left, middle, right [factors]float64 // the slopes of the others
	half                float64
}

func (p *polynomial) touch(factor int, low, high float64) touching {
	l, middle := p.factors[factor], (low+high)/2
	e := touching{factor, math.Abs(l.slope), math.Max(l.at(low), l.at(high)), p.logs(middle), p.slopes(low),
		p.slopes(middle), p.slopes(high), (high - low) / 2}
	e.logs[factor], e.left[factor], e.middle[factor], e.right[factor] = math.Log(e.most), 0, 0, 0
	return e
}

// curvature bounds the second derivative of a term u·v on an interval, with u = l^k
// the power of the factor that may become 0, and v the others:
//
//	(uv)'' <= max |u''| max v + 2 max |u'| max |v'| + max u max v''
//
// All have l^(k-2) max v as a factor; u, and the bounds of its derivatives, are largest where l is.
func (e *touching) curvature(t *term) float64 {
	k := t.powers[e.factor]
	common := math.Exp(t.sum(t.log, &e.logs) - 2*e.logs[e.factor] + math.Abs(t.sum(0, &e.middle))*e.half)
	steepest := e.most * max(math.Abs(t.sum(0, &e.left)), math.Abs(t.sum(0, &e.right)))
	return common * (k*(k-1)*e.slope*e.slope + 2*k*e.slope*steepest + steepest*steepest)
}

// peak is a maximum over an interval.
type peak struct {
	found float64 // the largest value that was seen
	at    float64 // where
	bound float64 // no value is above
}

const (
	maximumTolerance = 1e-4   // relative distance of the bound to the largest value seen; chosen
	maximumIntervals = 20_000 // that are looked at, at most; after them the bound is what is proved so far
	maximumStart     = 16     // equal intervals to begin with, so that no peak is far from a middle; chosen
)

// maximum returns the largest value over an interval. It goes on until the bound is on
// the same side of the target too. The second condition matters where the maximum is near the target: a
// bound above the target would refuse a test whose errors are within it.
func (p *polynomial) maximum(over stats.Interval, target float64) peak {
	return p.within(over, target, maximumTolerance)
}

// within is maximum with another tolerance.
func (p *polynomial) within(over stats.Interval, target, tolerance float64) peak {
	result := peak{at: over.Low}
	var open intervals
	see := func(at, value float64) {
		if value > result.found {
			result.found, result.at = value, at
		}
	}
	all := make([]int32, len(p.terms))
	for i := range all {
		all[i] = int32(i)
	}
	// Intervals are looked at side by side, and taken in one after the other.
	add := func(list ...interval) {
		values := make([]float64, len(list))
		spread.Over(len(list), func(i int) {
			x := &list[i]
			values[i], x.bound, x.terms = p.bound(x.low, x.high, x.terms)
			x.bound += leftOut
		})
		for i, x := range list {
			see((x.low+x.high)/2, values[i])
			heap.Push(&open, x)
		}
	}
	// The ends are looked at themselves: the largest error is often at an end of the guarded range.
	see(over.Low, p.at(over.Low)+p.rest)
	see(over.High, p.at(over.High)+p.rest)
	first := make([]interval, maximumStart)
	for i := range first {
		at := func(i int) float64 {
			if i == maximumStart {
				return over.High
			}
			return over.Low + over.Width()*float64(i)/maximumStart
		}
		first[i] = interval{low: at(i), high: at(i + 1), terms: all}
	}
	add(first...)
	// Best first: the interval with the largest bound is the only one that holds the bound up.
	for range maximumIntervals {
		bound := open[0].bound
		if bound <= result.found*(1+tolerance) && (bound <= target || result.found > target) {
			break
		}
		top := heap.Pop(&open).(interval)
		middle := (top.low + top.high) / 2
		add(interval{low: top.low, high: middle, terms: top.terms}, interval{low: middle, high: top.high, terms: top.terms})
	}
	result.bound = math.Max(result.found, open[0].bound)
	return result
}

// interval is an interval with a bound of the value on it.
type interval struct {
	low, high, bound float64
	terms            []int32 // that matter on it
}

// intervals are a heap, the one with the largest bound first.
type intervals []interval

func (r intervals) Len() int           { return len(r) }
func (r intervals) Less(i, j int) bool { return r[i].bound > r[j].bound }
func (r intervals) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *intervals) Push(x any)        { *r = append(*r, x.(interval)) }
func (r *intervals) Pop() any {
	last := (*r)[len(*r)-1]
	*r = (*r)[:len(*r)-1]
	return last
}
