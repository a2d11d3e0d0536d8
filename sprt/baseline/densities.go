package baseline

import (
	"math"
	"slices"
	"sort"
)

// likelihoods are those of the models of a plane after n rounds, relative to its reference. They move on from round
// to round.
type likelihoods struct {
	same, half, lower densities
	tables            []*binomials
}

// densities are the likelihoods of the points of a row under models, each relative to the reference. After n rounds the
// reference comes to every point as likely as to any other, so that a density is the probability of a point times the
// number of points: side by side that of two binomial counts, of matched pairs that of a trinomial one, which is a
// binomial number of discordant pairs of which a binomial number are fixed.
type densities struct {
	matched       bool
	first, second *binomials  // failures of both sides; of matched pairs the discordant ones, and nil
	fixed, broke  [][]float64 // powers of the shares of discordant pairs, by x or y, then the model
	list          []float64
}

// newLikelihoods are those before the first round.
func newLikelihoods(p *plane) *likelihoods {
	l := &likelihoods{}
	densitiesOf := func(which func(m model) cells) densities {
		var list []cells
		for _, m := range p.models {
			list = append(list, which(m))
		}
		return l.of(p, list)
	}
	l.same = densitiesOf(func(m model) cells { return m.same })
	l.half = densitiesOf(func(m model) cells { return m.half })
	l.lower = densitiesOf(func(m model) cells { return m.lower })
	return l
}

// of are the densities of some models. Tables of the same rates are one.
func (l *likelihoods) of(p *plane, models []cells) densities {
	r := densities{matched: p.matched, list: make([]float64, len(models))}
	table := func(rate func(c cells) float64, most int) *binomials {
		rates := make([]float64, len(models))
		for j, c := range models {
			rates[j] = rate(c)
		}
		for _, t := range l.tables {
			if slices.Equal(t.rates, rates) {
				return t
			}
		}
		l.tables = append(l.tables, newBinomials(rates, most))
		return l.tables[len(l.tables)-1]
	}
	mostX, mostY := p.mostX[p.rounds], p.mostY[p.rounds]
	if !p.matched {
		most := max(mostX, mostY) // so that sides that are alike have one table
		r.first = table(func(c cells) float64 { return c.x + c.both }, most)
		r.second = table(func(c cells) float64 { return c.y + c.both }, most)
		return r
	}
	r.first = table(func(c cells) float64 { return c.x + c.y }, min(mostX+mostY, p.rounds))
	powers := func(most int, mass func(c cells) float64) [][]float64 {
		list := make([][]float64, most+1)
		for k := range list {
			list[k] = make([]float64, len(models))
			for j, c := range models {
				share := 0.5 // of none: any will do
				if differ := c.x + c.y; differ > 0 {
					share = mass(c) / differ
				}
				list[k][j] = math.Exp(times(k, math.Log(share)))
			}
		}
		return list
	}
	r.fixed = powers(mostX, func(c cells) float64 { return c.x })
	r.broke = powers(mostY, func(c cells) float64 { return c.y })
	return r
}

// advance moves on to n rounds.
func (l *likelihoods) advance(n int) {
	for _, t := range l.tables {
		t.advance(n)
	}
}

// restart goes back to before the first round.
func (l *likelihoods) restart() {
	for _, t := range l.tables {
		t.restart()
	}
}

// advance moves the tables of these on.
func (r *densities) advance(n int) {
	r.first.advance(n)
	if r.second != nil {
		r.second.advance(n)
	}
}

// at are those at a point, from the first model on that makes it at all likely. The list is valid until the next
// call.
func (r *densities) at(x, y int) (low int, list []float64) {
	if r.matched {
		low, high := r.first.near(x + y)
		n := r.first.n
		scale := float64(n+1) * float64(n+2) / 2 * math.Exp(logChoose(x+y, x))
		discordant, fixed, broke := r.first.line(x+y), r.fixed[x], r.broke[y]
		for j := low; j < high; j++ {
			r.list[j] = scale * fixed[j] * broke[j] * discordant[j]
		}
		return low, r.list[low:high]
	}
	low, high := r.first.near(x)
	lowY, highY := r.second.near(y)
	if low, high = max(low, lowY), min(high, highY); low >= high {
		return 0, nil
	}
	scale := float64(r.first.n+1) * float64(r.first.n+1)
	a, b := r.first.line(x), r.second.line(y)
	for j := low; j < high; j++ {
		r.list[j] = scale * a[j] * b[j]
	}
	return low, r.list[low:high]
}

// binomials are the probabilities of counts after n rounds, for several rates of an event.
type binomials struct {
	n      int
	most   int       // largest count
	rates  []float64 // rising, or falling
	angles []float64 // of the rates, rising
	falls  bool
	values []float64     // by count, then rate
	known  [][]rateRange // by rounds, then count: what place found
}

// rateRange are places of rates, the last one not among them.
type rateRange struct{ low, high int16 }

func newBinomials(rates []float64, most int) *binomials {
	b := &binomials{rates: rates, most: most, values: make([]float64, (most+1)*len(rates))}
	b.falls = rates[0] > rates[len(rates)-1]
	for _, p := range rates {
		b.angles = append(b.angles, math.Asin(math.Sqrt(math.Min(math.Max(p, 0), 1))))
	}
	if b.falls {
		slices.Reverse(b.angles)
	}
	b.restart()
	return b
}

// restart goes back to before the first round.
func (b *binomials) restart() {
	b.n = 0
	clear(b.values)
	for j := range b.rates {
		b.values[j] = 1
	}
}

// advance moves on to n rounds.
func (b *binomials) advance(n int) {
	for ; b.n < n; b.n++ {
		for k := min(b.n+1, b.most); k >= 0; k-- {
			// What is far from a count is as it was when it came to be far, next to nothing.
			low, high := b.place(b.n+1, k)
			line, rates := b.line(k)[low:high], b.rates[low:high]
			if k == 0 {
				for j, p := range rates {
					line[j] *= 1 - p
				}
				break
			}
			before := b.line(k - 1)[low:high]
			for j, p := range rates {
				line[j] = (1-p)*line[j] + p*before[j]
			}
		}
	}
}

// line are the probabilities of a count.
func (b *binomials) line(k int) []float64 {
	width := len(b.rates)
	return b.values[k*width : (k+1)*width]
}

// near are the places of the rates that make a count at all likely, by the distance on the scale of the arcsine, on
// which the standard deviation is 1/(2√n).
func (b *binomials) near(k int) (low, high int) {
	return b.place(b.n, k)
}

// place is near after so many rounds.
func (b *binomials) place(after, k int) (low, high int) {
	for len(b.known) <= after {
		n := len(b.known)
		list := make([]rateRange, min(n, b.most)+1)
		for k := range list {
			const reach = 3.3 // 6.6 standard deviations; chosen, for a search: what is left out is no part of a proof
			trials := float64(max(n, 1))
			middle, half := math.Asin(math.Sqrt(float64(k)/trials)), reach/math.Sqrt(trials)
			low := sort.SearchFloat64s(b.angles, middle-half)
			high := sort.SearchFloat64s(b.angles, middle+half)
			if b.falls {
				low, high = len(b.angles)-high, len(b.angles)-low
			}
			list[k] = rateRange{int16(low), int16(high)}
		}
		b.known = append(b.known, list)
	}
	r := b.known[after][k]
	return int(r.low), int(r.high)
}
