package baseline

import (
	"cmp"
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/stats"
)

// P-values of the ends at which a test decides are computed together, once: all ends in their order, the most extreme
// first, add up to the probabilities of what is as extreme. The largest of these over the guarded range is bounded as
// in [polynomial.maximum], on cells that are the same for all ends: value, slope and curvature of a cell are sums over
// ends, so a prefix of the order is bounded by sums that are kept.
//
// In a chain of tiers, p-values hold over all of them. Let A(u) be the ends of the tiers before whose p-value is at
// most u, and X(e) those of this tier's family, but for what is settled before, that are as extreme as e. The p-value
// of e is the least u such that
//
//	P(A(v)) + P(X(e)) <= v  for every rate of the guarded range and every v from u up to the target
//
// and the target if there is none. Then the p-value is at most v with probability v at most, for each v up to the
// target: the last end in the order of this tier whose p-value is at most v says so for v.
//
// P-values are rounded up to levels, so that A changes at levels alone.

// level is the number of a level: 0 is the top, which every end that decides has at most; the higher the number the
// smaller the p-value.
type level int

const (
	fineLevel   = 0.005 // step of the logarithm of levels, down to fineLevels of the target
	fineLevels  = 1e-3
	coarseLevel = 0.05 // below
	leastLevel  = 1e-12
)

// levelsOf returns the levels below a target, from 1 on; the element at 0 is not one.
func levelsOf(target float64) []float64 {
	list := []float64{math.Inf(1)}
	for x := -fineLevel; x > math.Log(fineLevels); x -= fineLevel {
		list = append(list, target*math.Exp(x))
	}
	for x := math.Log(fineLevels); target*math.Exp(x) > leastLevel; x -= coarseLevel {
		list = append(list, target*math.Exp(x))
	}
	return list
}

// mesh is a division of the guarded range into cells, for terms of the same factors.
type mesh struct {
	polynomial *polynomial // no terms: the factors
	cells      []cell
}

// cell is an interval with what every term needs of it.
type cell struct {
	low, high   float64
	half        float64          // of its width
	logs        [factors]float64 // of the factors in the middle
	middle      [factors]float64 // derivatives of these, and at both ends
	left, right [factors]float64
	edge        bool // a factor comes near 0: see [polynomial.edge]
}

// cellsFor is about the number of cells to a range with which the bound is a thousandth above: the curvature of what
// is as rare as a p-value is some twenty times the trials, on the scale of the arcsine.
func cellsFor(over stats.Interval, trials float64) int {
	low, high := angles(over)
	return min(max(int(math.Ceil((high-low)*50*math.Sqrt(trials))), 32), 800)
}

// newMesh divides a range evenly on the scale of the arcsine.
func newMesh(linears [factors]linear, over stats.Interval, cells int) *mesh {
	m := &mesh{polynomial: &polynomial{factors: linears}}
	low, high := angles(over)
	at := func(i int) float64 {
		switch i {
		case 0:
			return over.Low
		case cells:
			return over.High
		}
		root := math.Sin(low + (high-low)*float64(i)/float64(cells))
		return root * root
	}
	for i := range cells {
		c := cell{low: at(i), high: at(i + 1)}
		middle := (c.low + c.high) / 2
		c.half = (c.high - c.low) / 2
		c.logs = m.polynomial.logs(middle)
		for k, l := range linears {
			c.middle[k], c.left[k], c.right[k] = l.slope/l.at(middle), l.slope/l.at(c.low), l.slope/l.at(c.high)
		}
		edge, ok := m.polynomial.edge(c.low, c.high)
		c.edge = edge != none || !ok
		m.cells = append(m.cells, c)
	}
	return m
}

// sums are, by cell, the value in the middle, its derivative, and a bound of the second one.
type sums []cellSum

type cellSum struct{ value, slope, curvature float64 }

// add adds a term, but where it is next to nothing: see [tiny].
func (m *mesh) add(s sums, t term) {
	// The term has one peak: from there it is followed to both sides until nothing is left.
	at := m.peak(t)
	for i := at; i < len(m.cells) && m.addTo(s, i, t); i++ {
	}
	for i := at - 1; i >= 0 && m.addTo(s, i, t); i-- {
	}
}

// tiny is the largest value of a term in a cell that is left out of it. It is far below what any level would show.
const tiny = 1e-19

// peak is a cell near the largest value of a term.
func (m *mesh) peak(t term) int {
	low, high := 0, len(m.cells)-1
	for low < high {
		middle := (low + high) / 2
		if slope(t, &m.cells[middle].middle) > 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// slope is the derivative of the logarithm of a term, given those of the factors.
func slope(t term, slopes *[factors]float64) float64 {
	return t.powers[0]*slopes[0] + t.powers[1]*slopes[1] + t.powers[2]*slopes[2] + t.powers[3]*slopes[3]
}

// addTo adds a term to the sums of a cell; false if there is nothing to add.
func (m *mesh) addTo(s sums, i int, t term) bool {
	c := &m.cells[i]
	p := &t.powers
	x := math.Exp(t.log + p[0]*c.logs[0] + p[1]*c.logs[1] + p[2]*c.logs[2] + p[3]*c.logs[3])
	g := slope(t, &c.middle)
	most := x * math.Exp(math.Abs(g)*c.half)
	if most < tiny && !c.edge {
		return false
	}
	s[i].value += x
	s[i].slope += x * g
	if c.edge {
		s[i].curvature += m.polynomial.curvature(t, c)
		return true
	}
	steepest := max(math.Abs(slope(t, &c.left)), math.Abs(slope(t, &c.right)))
	s[i].curvature += most * steepest * steepest
	return true
}

// curvature bounds the second derivative of a term in a cell in which a factor may become 0.
func (p *polynomial) curvature(t term, c *cell) float64 {
	edge, ok := p.edge(c.low, c.high)
	if !ok {
		return math.Inf(1)
	}
	if t.powers[edge] > 0 {
		e := p.touch(edge, c.low, c.high)
		return e.curvature(&t)
	}
	steepest := math.Max(math.Abs(p.slope(t, c.low)), math.Abs(p.slope(t, c.high)))
	middle := (c.low + c.high) / 2
	return math.Exp(p.log(t, c.logs)+math.Abs(p.slope(t, middle))*c.half) * steepest * steepest
}

// bound is the largest sum over all cells, or more.
func (m *mesh) bound(s sums) (most float64) {
	for i := range s {
		most = max(most, m.boundOf(i, s[i]))
	}
	return most
}

// boundOfBoth is that of two sums together.
func (m *mesh) boundOfBoth(s, t sums) (most float64) {
	for i := range s {
		both := cellSum{s[i].value + t[i].value, s[i].slope + t[i].slope, s[i].curvature + t[i].curvature}
		most = max(most, m.boundOf(i, both))
	}
	return most
}

func (m *mesh) boundOf(i int, s cellSum) float64 {
	half := m.cells[i].half
	return s.value + math.Abs(s.slope)*half + s.curvature*half*half/2
}

// decidingEnd is an end at which a test decides, with what orders it.
type decidingEnd struct {
	key   endKey
	term  term
	ratio float64 // the larger the more extreme
	// own says that the end belongs to an outcome of this tier; others of its family are never come to.
	own bool
}

// evidence are the ends that decide in one direction, the most extreme first, with their levels.
type evidence struct {
	ends   []decidingEnd
	places map[endKey]int // in ends
	levels []level
	values []float64 // of the levels, from 1 on
	top    float64   // the p-value of level 0
}

// newEvidence computes the levels of ends, in any order, beside those of the tiers before. The target is that of the
// errors, the rest what is to be added to every probability, left the share of a level that is left to later tiers.
func newEvidence(m *mesh, ends []decidingEnd, before []*evidence, target, top, rest, left float64) *evidence {
	slices.SortStableFunc(ends, func(a, b decidingEnd) int { return cmp.Compare(b.ratio, a.ratio) })
	v := &evidence{places: map[endKey]int{}, levels: make([]level, len(ends)), values: levelsOf(target), top: top}
	v.ends = ends
	// What is left out of cells is part of the rest.
	count := len(ends)
	for _, b := range before {
		count += len(b.ends)
	}
	rest += float64(count) * tiny
	fits := func(x float64, l level) bool { return x+rest <= v.values[l]*(1-left) }
	for i, e := range ends {
		v.places[e.key] = i
	}
	// By itself: the level of each prefix.
	sum := make(sums, len(m.cells))
	at := level(len(v.values) - 1)
	for i, e := range ends {
		m.add(sum, e.term)
		for most := m.bound(sum); at > 0 && !fits(most, at); at-- {
		}
		if at == 0 {
			break // all further ends have the top level
		}
		v.levels[i] = at
	}
	if len(before) == 0 {
		return v
	}
	// The sums again, at the last ends of groups of the same level.
	var groups []sums
	var last []int
	clear(sum)
	for i := 0; i < len(ends) && v.levels[i] > 0; i++ {
		m.add(sum, ends[i].term)
		if i+1 == len(ends) || v.levels[i+1] != v.levels[i] {
			groups, last = append(groups, slices.Clone(sum)), append(last, i)
		}
	}
	v.beside(m, before, groups, last, fits)
	return v
}

// beside raises the levels so that they hold together with the ends of the tiers before.
func (v *evidence) beside(m *mesh, before []*evidence, groups []sums, last []int, fits func(x float64, l level) bool) {
	// What the tiers before add at each level, and then up to it.
	added := make([]sums, len(v.values))
	for _, b := range before {
		for i, e := range b.ends {
			l := b.levels[i]
			if !e.own || l == 0 {
				continue
			}
			if added[l] == nil {
				added[l] = make(sums, len(m.cells))
			}
			m.add(added[l], e.term)
		}
	}
	// From the highest level (the smallest p-value) on: how many groups fit beside what the tiers before have.
	fit := make([]int, len(v.values))
	sum := make(sums, len(m.cells))
	for l := len(v.values) - 1; l > 0; l-- {
		if added[l] != nil {
			for i, x := range added[l] {
				sum[i].value += x.value
				sum[i].slope += x.slope
				sum[i].curvature += x.curvature
			}
		}
		low, high := 0, len(groups)
		for low < high {
			middle := (low + high + 1) / 2
			if fits(m.boundOfBoth(sum, groups[middle-1]), level(l)) {
				low = middle
			} else {
				high = middle - 1
			}
		}
		fit[l] = low
	}
	// A level is one at which, and at all above it, the group fits.
	for l := 2; l < len(fit); l++ {
		fit[l] = min(fit[l], fit[l-1])
	}
	l := level(len(fit) - 1)
	i := 0
	for g, end := range last {
		for l > 0 && fit[l] < g+1 {
			l--
		}
		for ; i <= end; i++ {
			v.levels[i] = l
		}
	}
}

// pValue is that of an end.
func (v *evidence) pValue(key endKey) float64 {
	if l := v.levels[v.places[key]]; l > 0 {
		return math.Min(v.values[l], v.top)
	}
	return v.top
}
