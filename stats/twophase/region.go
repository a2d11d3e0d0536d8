package twophase

import (
	"context"
	"math"
)

// region is the set of samples that say at least as much as the observed one that the true rate is above p. At a number
// of passes of the judge, more labels that pass always say more: the region is given by the least number of true passes
// among the labels of its passes, by that among the labels of its failures.
type region struct {
	first, last int // numbers that the judge passed; what lies beyond has a chance of beyond at most
	blocks      []block
}

// block is the part of a region at neighbouring numbers of passes of the judge with the same numbers of labels.
type block struct {
	ofPassed, ofFailed int     // labels
	first, last        int     // numbers that the judge passed
	from               int     // true passes among the labels of its failures, of the first column
	columns            [][]run // ended by one that begins behind the block, of what nobody has
}

// run is how many true passes among the labels of its passes are needed, from so many rows of the region on.
type run struct{ need, row int32 }

// tie is how much smaller a signed root may be to count as equal: rounding of the likelihood.
const tie = 1e-6

// beyond bounds the chance of numbers of passes of the judge that a region leaves out, and of labels. It is chosen.
const beyond = 1e-8

// edge tells which samples are in a region.
type edge struct {
	sample Sample
	p      float64
	loss   float64 // of samples in the region: what the best logarithm of the likelihood is above that at the rate p
}

// edgeOf returns the edge on which a sample is, and the most likely judge at the rate p; false where nothing speaks for
// a higher rate. Rounding and what is left to climb make the region larger, and never smaller.
func edgeOf(s Sample, p float64) (e edge, judge cells, higher bool) {
	k := countsOf(s.Judged, s.Passed, s.OfPassed.Trials, s.OfPassed.Passes, s.OfFailed.Trials, s.OfFailed.Passes)
	if low, _ := k.rates(); low <= p {
		return e, judge, false
	}
	judge, _ = k.constrained(p, k.near(p))
	root := math.Sqrt(2*math.Max(0, k.loss(p, judge)-k.slack(p, judge))) - tie
	return edge{s, p, root * root / 2}, judge, root > 0
}

// outside reports whether a sample is proved to be outside: a judge was found that makes it likely enough at the rate
// p. It returns that judge. The search begins at another one.
func (e edge) outside(passed int, b *block, truePassed, trueFailed int, at cells) (bool, cells) {
	k := countsOf(e.sample.Judged, passed, b.ofPassed, truePassed, b.ofFailed, trueFailed)
	if low, _ := k.rates(); low <= e.p {
		return true, at
	}
	at = cells{inside(at.sensitivity), inside(at.alarm)}
	for range 100 {
		loss := k.loss(e.p, at)
		if loss < e.loss {
			return true, at
		}
		ds, dt, decrement := k.newton(e.p, at)
		// Not enough is left to climb, or it is so little that nobody can tell: then it is in the region.
		left := decrement
		if k.pp*k.pf*k.fp*k.ff == 0 { // the curvature at an edge says nothing of what is left
			left = k.slack(e.p, at)
		}
		if decrement < 0.1 && loss-left >= e.loss || decrement < 1e-18 {
			break
		}
		at = k.climb(e.p, at, ds, dt, decrement)
	}
	return false, at
}

// least is the least number of true passes with which a sample is in the region, looked for from a guess on, and the
// judge that shows that one less is not enough, from another one on.
func (e edge) least(passed int, b *block, trueFailed, guess int, at cells) (int, cells) {
	need := min(max(guess, 0), b.ofPassed+1)
	first := need
	for ; need > 0; need-- {
		out, found := e.outside(passed, b, need-1, trueFailed, at)
		if at = found; out {
			break
		}
	}
	for ; need == first && need <= b.ofPassed; need, first = need+1, first+1 {
		out, found := e.outside(passed, b, need, trueFailed, at)
		if !out {
			break
		}
		at = found
	}
	return need, at
}

// column finds what is needed at all numbers of passes of the judge in a block. Where as many are needed at two of
// them, and one judge shows of both that one less is not enough, it shows it of all between: its loss is convex in that
// number.
type column struct {
	edge
	*block
	trueFailed int
	need       []int
	judges     []cells
}

func (c *column) between(low, high int) {
	if high-low < 2 {
		return
	}
	i, j := low-c.first, high-c.first
	judge := cells{
		(c.judges[i].sensitivity + c.judges[j].sensitivity) / 2, (c.judges[i].alarm + c.judges[j].alarm) / 2,
	}
	if c.need[i] == c.need[j] && (c.need[i] == 0 || c.excludes(low, judge) && c.excludes(high, judge)) {
		for k := i + 1; k < j; k++ {
			c.need[k], c.judges[k] = c.need[i], judge
		}
		return
	}
	middle := (low + high) / 2
	c.find(middle, (c.need[i]+c.need[j])/2, judge)
	c.between(low, middle)
	c.between(middle, high)
}

// excludes reports whether a judge shows that one true pass less than is needed is not enough.
func (c *column) excludes(passed int, judge cells) bool {
	need := c.need[passed-c.first]
	k := countsOf(c.sample.Judged, passed, c.ofPassed, need-1, c.ofFailed, c.trueFailed)
	return k.loss(c.p, judge) < c.loss
}

func (c *column) find(passed, guess int, judge cells) {
	i := passed - c.first
	c.need[i], c.judges[i] = c.least(passed, c.block, c.trueFailed, guess, judge)
}

// runs are the needs of the column, those that are the same together. They are of rows from start on.
func (c *column) runs(start int) (all []run) {
	for i, need := range c.need {
		if i == 0 || need != c.need[i-1] {
			all = append(all, run{int32(need), int32(start + i)})
		}
	}
	return append(all, run{math.MaxInt32, int32(start + len(c.need))})
}

// span is a range of true passes among labels of failures of the judge, that counts.
type span func(ofFailed int) (low, high int)

// region finds the samples within an edge whose number of passes of the judge is from first to last, and whose labels
// of its failures are in a span.
func (e edge) region(ctx context.Context, judge cells, first, last int, columns span) (*region, error) {
	r := &region{first: first, last: last}
	guess := e.sample.OfPassed.Trials + 1
	for passed := first; passed <= last; {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		b := block{first: passed, last: passed}
		b.ofPassed, b.ofFailed = e.sample.at(passed)
		for b.last < last {
			if n1, n0 := e.sample.at(b.last + 1); n1 != b.ofPassed || n0 != b.ofFailed {
				break
			}
			b.last++
		}
		low, high := columns(b.ofFailed)
		b.from = low
		e.fill(&b, b.first-first, high, guess, judge)
		guess = int(b.columns[0][len(b.columns[0])-2].need)
		r.blocks = append(r.blocks, b)
		passed = b.last + 1
	}
	return r, nil
}

// fill finds the columns of a block. From column to column what is needed falls, and judges change, about as they did
// before; what is needed never rises.
func (e edge) fill(b *block, start, high, guess int, judge cells) {
	size := b.last - b.first + 1
	c := column{edge: e, block: b, need: make([]int, size), judges: make([]cells, size)}
	ends := []int{0, size - 1}[:min(2, size)]
	before, falls, judges := make([]int, size), make([]int, size), make([]cells, size)
	for c.trueFailed = b.from; c.trueFailed <= high; c.trueFailed++ {
		for _, i := range ends {
			if now := c.judges[i]; c.trueFailed > b.from {
				guess, judge = before[i]-falls[i], now
				if c.trueFailed > b.from+1 {
					judge = cells{2*now.sensitivity - judges[i].sensitivity, 2*now.alarm - judges[i].alarm}
				}
				judges[i] = now
			}
			c.find(b.first+i, guess, judge)
			guess, judge = c.need[i], c.judges[i]
		}
		c.between(b.first, b.last)
		for i := range size {
			if c.trueFailed > b.from {
				c.need[i] = min(c.need[i], before[i])
				falls[i] = before[i] - c.need[i]
			}
		}
		copy(before, c.need)
		b.columns = append(b.columns, c.runs(start))
	}
}
