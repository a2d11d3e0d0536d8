package baseline

import (
	"math"
	"slices"
	"sort"
	"sync/atomic"
)

// likelihoods are those of the models of a plane.
type likelihoods struct{ same, half, lower densities }

// densities are the likelihoods of a path to a point under models, times [plane.scale]: side by side products of
// powers of the chances of either event and of none, of matched pairs of those of pairs that are fixed, that broke, and
// others.
type densities struct {
	matched       bool
	x, y          *powers // of the chances of the events
	notX, notY    *powers // side by side of none of either; of matched pairs of neither, and nil
	first, second *nearby // by the failures of both sides; of matched pairs by the discordant ones, and nil
	list          []float64
	// What a line has alike, by x after n rounds, side by side.
	n, lineX int
	line     []float64
}

// newLikelihoods are those of all models.
func newLikelihoods(p *plane) *likelihoods {
	t := tables{p: p}
	return &likelihoods{
		same:  t.of(func(m model) cells { return m.same }),
		half:  t.of(func(m model) cells { return m.half }),
		lower: t.of(func(m model) cells { return m.lower }),
	}
}

// tables are what densities are made of. Those of the same chances are one.
type tables struct {
	p       *plane
	powers  []*powers
	nearbys []*nearby
}

// of are the densities of some models.
func (t *tables) of(which func(m model) cells) densities {
	p := t.p
	r := densities{matched: p.matched, list: make([]float64, len(p.models))}.own()
	chances := func(chance func(c cells) float64) []float64 {
		list := make([]float64, len(p.models))
		for j, m := range p.models {
			list[j] = chance(which(m))
		}
		return list
	}
	x, y := p.mostX[p.rounds], p.mostY[p.rounds]
	// Half of the scale is in the powers of either event.
	half := math.Sqrt(p.scale())
	if p.matched {
		r.x = t.powersOf(chances(func(c cells) float64 { return c.x }), x, half)
		r.y = t.powersOf(chances(func(c cells) float64 { return c.y }), y, half)
		r.notX = t.powersOf(chances(func(c cells) float64 { return c.neither }), p.rounds, 1)
		r.first = t.nearbyOf(chances(func(c cells) float64 { return c.x + c.y }), min(x+y, p.rounds))
		return r
	}
	onX := chances(func(c cells) float64 { return c.x + c.both })
	onY := chances(func(c cells) float64 { return c.y + c.both })
	most := max(x, y) // so that sides that are alike have one table
	r.x, r.y = t.powersOf(onX, most, half), t.powersOf(onY, most, half)
	none := func(list []float64) []float64 {
		list = slices.Clone(list)
		for j, x := range list {
			list[j] = 1 - x
		}
		return list
	}
	r.notX, r.notY = t.powersOf(none(onX), p.rounds, 1), t.powersOf(none(onY), p.rounds, 1)
	r.first, r.second = t.nearbyOf(onX, most), t.nearbyOf(onY, most)
	return r
}

// own are the same densities, for use beside these.
func (r densities) own() densities {
	r.list, r.line, r.n = make([]float64, len(r.list)), make([]float64, len(r.list)), -1
	return r
}

// at are those at a point, from the first model on that makes it at all likely. The list is valid until the next
// call.
func (r *densities) at(n, x, y int) (low int, list []float64) {
	if r.matched {
		low, high := r.first.at(n, x+y)
		list := r.list[low:high]
		a, b, c := r.x.line(x, low, high), r.y.line(y, low, high), r.notX.line(n-x-y, low, high)
		for j := range list {
			list[j] = a[j] * b[j] * c[j]
		}
		return low, list
	}
	low, high := r.first.at(n, x)
	if r.n != n || r.lineX != x {
		r.n, r.lineX = n, x
		a, b := r.x.line(x, low, high), r.notX.line(n-x, low, high)
		line := r.line[low:high]
		for j := range line {
			line[j] = a[j] * b[j]
		}
	}
	lowY, highY := r.second.at(n, y)
	if low, high = max(low, lowY), min(high, highY); low >= high {
		return 0, nil
	}
	list = r.list[low:high]
	line, c, d := r.line[low:high], r.y.line(y, low, high), r.notY.line(n-y, low, high)
	line, c, d = line[:len(list)], c[:len(list)], d[:len(list)]
	for j := range list {
		list[j] = line[j] * (c[j] * d[j])
	}
	return low, list
}

// powers are those of several chances, by exponent and then chance.
type powers struct {
	chances []float64
	values  []float64
}

// powersOf are those up to an exponent, times a factor.
func (t *tables) powersOf(chances []float64, most int, factor float64) *powers {
	for _, known := range t.powers {
		if slices.Equal(known.chances, chances) && len(known.values) > most*len(chances) && known.values[0] == factor {
			return known
		}
	}
	q := &powers{chances, make([]float64, (most+1)*len(chances))}
	for j := range chances {
		q.values[j] = factor
	}
	for i := len(chances); i < len(q.values); i++ {
		q.values[i] = q.values[i-len(chances)] * chances[i%len(chances)]
	}
	t.powers = append(t.powers, q)
	return q
}

// line are those of an exponent, of the chances from low to high, the last one not among them.
func (q *powers) line(exponent, low, high int) []float64 {
	return q.values[exponent*len(q.chances)+low : exponent*len(q.chances)+high]
}

// nearby tells which rates of an event make a count of it at all likely.
type nearby struct {
	most   int       // largest count
	rates  []float64 // rising, or falling
	angles []float64 // of the rates, rising
	falls  bool
	known  []atomic.Pointer[[]rateRange] // by rounds, then count; each made when it is first asked for
}

// rateRange are places of rates, the last one not among them.
type rateRange struct{ low, high int16 }

// nearbyOf is that of rates up to a count.
func (t *tables) nearbyOf(rates []float64, most int) *nearby {
	for _, known := range t.nearbys {
		if slices.Equal(known.rates, rates) {
			return known
		}
	}
	b := &nearby{rates: rates, most: most, known: make([]atomic.Pointer[[]rateRange], t.p.rounds+1)}
	b.falls = rates[0] > rates[len(rates)-1]
	for _, p := range rates {
		b.angles = append(b.angles, math.Asin(math.Sqrt(math.Min(math.Max(p, 0), 1))))
	}
	if b.falls {
		slices.Reverse(b.angles)
	}
	t.nearbys = append(t.nearbys, b)
	return b
}

// at are the places of the rates that make a count likely after n rounds, by the distance on the scale of the arcsine,
// on which the standard deviation is 1/(2√n).
func (b *nearby) at(n, k int) (low, high int) {
	list := b.known[n].Load()
	if list == nil {
		list = b.after(n)
		b.known[n].Store(list)
	}
	r := (*list)[k]
	return int(r.low), int(r.high)
}

// after are those of all counts after n rounds.
func (b *nearby) after(n int) *[]rateRange {
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
	return &list
}
