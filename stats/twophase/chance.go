package twophase

import (
	"math"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/dist"
)

// logit is a probability by the logarithm of its odds, from which both it and its complement are exact.
type logit float64

func (u logit) share() float64 { return 1 / (1 + math.Exp(-float64(u))) }

// natural is the logarithm of 1 + exp(u).
func (u logit) natural() float64 {
	return math.Max(float64(u), 0) + math.Log1p(math.Exp(-math.Abs(float64(u))))
}

func logitOf(p, complement float64) logit { return logit(math.Log(p / complement)) }

// judgement is what a judge does to a sample: its share of passes, and the shares of true passes among what it passes
// and among what it fails.
type judgement [3]logit

func (c cells) judgement(p float64) judgement {
	a, b := c.predictive(p)
	return judgementOf(c.judgePasses(p), a, b)
}

func judgementOf(shares ...float64) (j judgement) {
	for i, x := range shares {
		j[i] = logitOf(math.Max(x, nothing), math.Max(1-x, nothing))
	}
	return j
}

// nothing stands for a probability of 0, and is less than rounding. A window leaves out chances below it.
const nothing = 1e-17

// window has the numbers that belong to first and those that follow it.
type window struct {
	first  int
	values []float64
}

// masses are the chances of a binomial number of n.
func masses(n int, u logit) window {
	p, odds := u.share(), math.Exp(float64(u))
	mode := min(int(float64(n+1)*p), n)
	likeliest := dist.Binomial{N: n, P: p}.Prob(mode)
	var values []float64
	for k, x := mode, likeliest; k > 0; k-- {
		if x *= float64(k) / float64(n-k+1) / odds; x < nothing {
			break
		}
		values = append(values, x)
	}
	first := mode - len(values)
	slices.Reverse(values)
	values = append(values, likeliest)
	for k, x := mode, likeliest; k < n; k++ {
		if x *= float64(n-k) / float64(k+1) * odds; x < nothing {
			break
		}
		values = append(values, x)
	}
	return window{first, values}
}

// tails are the chances of so many or more, of a number with those masses.
func (w window) tails() window {
	for k := len(w.values) - 2; k >= 0; k-- {
		w.values[k] += w.values[k+1]
	}
	return w
}

// more has the chances of a binomial number of one more trial with the odds of p to q; below is the chance of what is
// below the window.
func (w window) more(p, q, below float64) window {
	values := make([]float64, len(w.values)+1)
	last := below
	for k, x := range w.values {
		values[k] = p*last + q*x
		last = x
	}
	values[len(values)-1] = p * last
	next := window{w.first, values}
	for len(next.values) > 1 && math.Abs(next.values[0]-below) < nothing {
		next.first, next.values = next.first+1, next.values[1:]
	}
	for len(next.values) > 1 && next.values[len(next.values)-1] < nothing {
		next.values = next.values[:len(next.values)-1]
	}
	return next
}

// chances has the chance of a region at judgements. It keeps what it is made of.
type chances struct {
	*region
	judged int
	index  [3]map[logit]int32
	logits [3][]logit
	shares [3][]float64
	parts  [3][][]window        // by the index of a coordinate: one of the judge's passes, and one a block of labels
	rows   map[uint64][]float64 // by the indices of the predictive values: the chance at each number of passes
	kept   int                  // numbers
}

func newChances(r *region, judged int) *chances {
	c := &chances{region: r, judged: judged, rows: map[uint64][]float64{}}
	for i := range c.index {
		c.index[i] = map[logit]int32{}
	}
	return c
}

// point is a judgement by the indices of its coordinates.
type point [3]int32

func (p point) key() uint64 { return uint64(p[0])<<42 | uint64(p[1])<<21 | uint64(p[2]) }

// coordinate is the index of a logit.
func (c *chances) coordinate(axis int, u logit) int32 {
	i, ok := c.index[axis][u]
	if !ok {
		i = int32(len(c.logits[axis]))
		c.index[axis][u] = i
		c.logits[axis] = append(c.logits[axis], u)
		c.shares[axis] = append(c.shares[axis], u.share())
		c.parts[axis] = append(c.parts[axis], nil)
	}
	return i
}

func (c *chances) point(j judgement) (p point) {
	for axis, u := range j {
		p[axis] = c.coordinate(axis, u)
	}
	return p
}

// mostKept is how many numbers are kept. It is chosen.
const mostKept = 4_000_000

// part is what belongs to a coordinate.
func (c *chances) part(axis int, i int32) []window {
	if found := c.parts[axis][i]; found != nil {
		return found
	}
	if c.kept > mostKept {
		c.kept = 0
		for axis := range c.parts {
			clear(c.parts[axis])
		}
	}
	u := c.logits[axis][i]
	var all []window
	switch axis {
	case 0:
		all = []window{masses(c.judged, u)}
	case 1:
		all = c.ofBlocks(u, 1, func(b *block) int { return b.ofPassed })
	default:
		all = c.ofBlocks(u, 0, func(b *block) int { return b.ofFailed })
	}
	for _, w := range all {
		c.kept += len(w.values)
	}
	c.parts[axis][i] = all
	return all
}

// ofBlocks are the chances of each block's number of labels: where below is 1, of so many or more.
func (c *chances) ofBlocks(u logit, below float64, number func(*block) int) []window {
	all := make([]window, len(c.blocks))
	p, q := u.share(), (-u).share()
	for k := range all {
		i, before := k, k-1
		if below == 0 { // fewer labels of failures the more the judge passes
			i, before = len(all)-1-k, len(all)-k
		}
		n := number(&c.blocks[i])
		switch {
		case k > 0 && n == number(&c.blocks[before]):
			all[i] = all[before]
		case k > 0 && n == number(&c.blocks[before])+1:
			all[i] = all[before].more(p, q, below)
		default:
			if all[i] = masses(n, u); below == 1 {
				all[i] = all[i].tails()
			}
		}
	}
	return all
}

// byRow is the chance of the region at each number of passes of the judge.
func (c *chances) byRow(ofPassed, ofFailed int32) []float64 {
	key := point{0, ofPassed, ofFailed}.key()
	if found, ok := c.rows[key]; ok {
		return found
	}
	tails, masses := c.part(1, ofPassed), c.part(2, ofFailed)
	rows := make([]float64, c.last-c.first+2)
	for i := range c.blocks {
		b, tail, mass := &c.blocks[i], &tails[i], &masses[i]
		low, high := max(b.from, mass.first), min(b.from+len(b.columns), mass.first+len(mass.values))
		for y := low; y < high; y++ {
			m, before := mass.values[y-mass.first], 0.0
			for _, r := range b.columns[y-b.from] {
				now := 0.0
				if k := int(r.need) - tail.first; k < 0 {
					now = m
				} else if k < len(tail.values) {
					now = m * tail.values[k]
				}
				rows[r.row] += now - before
				before = now
			}
		}
	}
	for i := 1; i < len(rows); i++ {
		rows[i] += rows[i-1]
	}
	if len(c.rows)*len(rows) > mostKept {
		clear(c.rows)
	}
	c.rows[key] = rows
	return rows
}

// weight is a chance, and the mean numbers of labels of the judge's passes and failures, each times that chance.
type weight struct{ chance, ofPassed, ofFailed float64 }

// at is the chance of the region at a point.
func (c *chances) at(p point) (within weight) {
	rows, numbers := c.byRow(p[1], p[2]), &c.part(0, p[0])[0]
	for i := range c.blocks {
		b := &c.blocks[i]
		sum := 0.0
		for x := max(b.first, numbers.first); x <= min(b.last, numbers.first+len(numbers.values)-1); x++ {
			sum += numbers.values[x-numbers.first] * rows[x-c.first]
		}
		within.chance += sum
		within.ofPassed += sum * float64(b.ofPassed)
		within.ofFailed += sum * float64(b.ofFailed)
	}
	return within
}

// looked is the chance of the samples among which the region was looked for.
func (c *chances) looked(p point) (all float64) {
	numbers, mass := c.part(0, p[0])[0], c.part(2, p[2])
	for i := range c.blocks {
		b := &c.blocks[i]
		labels := 0.0
		for y, m := range mass[i].values {
			if y += mass[i].first; y >= b.from && y < b.from+len(b.columns) {
				labels += m
			}
		}
		for x := max(b.first, numbers.first); x <= min(b.last, numbers.first+len(numbers.values)-1); x++ {
			all += numbers.values[x-numbers.first] * labels
		}
	}
	return all
}

// reach is the range of a binomial number of n beyond which there is a chance of at most tail on either side, where the
// rate lies between low and high.
func reach(n int, low, high, tail float64) (first, last int) {
	return leastOf(n, low, tail), n - leastOf(n, 1-high, tail)
}

// leastOf is the number below which a binomial number lies with a chance of at most tail.
func leastOf(n int, p, tail float64) int {
	k := min(int(float64(n+1)*p), n)
	mass := dist.Binomial{N: n, P: p}.Prob(k)
	for ; k > 0; k-- {
		ratio := float64(k) / float64(n-k+1) * (1 - p) / p
		if mass *= ratio; ratio < 1 && mass <= tail*(1-ratio) {
			return k
		}
	}
	return 0
}
