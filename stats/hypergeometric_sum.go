package stats

import (
	"context"
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/special"
)

// hypergeometricSum is the distribution of a sum of independent hypergeometric variables, such as the candidate's total
// of passes given the margins of many strata. It is never written out. Tail probabilities are inverted from the
// characteristic function, which is a product, after the distribution was tilted so that its mean is at the end of the
// tail (Daniels 1954, Annals of Mathematical Statistics 25:631): so the smallest probability keeps its relative
// precision, and time grows with the sum of the strata's standard deviations alone.
//
// A hypergeometric variable is distributed as a sum of independent trials of unlike rates (Vatutin & Mikhailov 1982,
// Theory of Probability and its Applications 27:734), tilted or not. So is the sum, and with the variance v Bernstein's
// inequality bounds its tails, and exp(-v(1-cos t)) its characteristic function at t. Both say where to stop: what is
// left out is below 1e-17 of the tail, and is added to it.
type hypergeometricSum struct{ parts []hypergeometricPart }

// hypergeometricPart is so many variables of one distribution.
type hypergeometricPart struct {
	law   dist.Hypergeometric
	times int
}

// hypergeometricSumOf is the sum of the candidate's passes in informative strata, given their margins.
func hypergeometricSumOf(groups []alikeStrata) hypergeometricSum {
	s := hypergeometricSum{make([]hypergeometricPart, len(groups))}
	for i, g := range groups {
		s.parts[i] = hypergeometricPart{candidateGivenTotal(g.stratum.Baseline, g.stratum.Candidate), g.times}
	}
	return s
}

// ends are the least and the largest value.
func (s hypergeometricSum) ends() (least, most int64) {
	for _, p := range s.parts {
		least += int64(p.times) * int64(p.law.Least())
		most += int64(p.times) * int64(p.law.Most())
	}
	return least, most
}

// mirrored is the sum of the draws that are no successes, and how many draws there are.
func (s hypergeometricSum) mirrored() (hypergeometricSum, int64) {
	m := hypergeometricSum{make([]hypergeometricPart, len(s.parts))}
	draws := int64(0)
	for i, p := range s.parts {
		h := p.law
		m.parts[i] = hypergeometricPart{dist.Hypergeometric{
			Population: h.Population, Successes: h.Population - h.Successes, Draws: h.Draws,
		}, p.times}
		draws += int64(p.times) * int64(h.Draws)
	}
	return m, draws
}

// atMost returns P(sum <= x). It is of no use if the context has ended.
func (s hypergeometricSum) atMost(ctx context.Context, x int64) float64 {
	least, most := s.ends()
	switch {
	case x < least:
		return 0
	case x >= most:
		return 1
	}
	if mean, _ := s.moments(); float64(x) <= mean {
		p, _ := s.lower(ctx, x)
		return p
	}
	m, draws := s.mirrored()
	p, _ := m.lower(ctx, draws-x-1)
	return math.Max(1-p, 0)
}

// noMoreLikely returns the probability of all values that are no more likely than x, with a tolerance for ties. The
// distribution has one mode, as all sums of independent trials have, so these are two tails.
func (s hypergeometricSum) noMoreLikely(ctx context.Context, x int64) float64 {
	const ties = 1 + 1e-7
	low, draws := s.mirrored()
	if mean, _ := s.moments(); float64(x) <= mean {
		low, s = s, low
	} else {
		x = draws - x
	}
	// Now x is in the lower tail of low, and s is its mirror.
	least, most := low.ends()
	if x < least || x > most {
		return 0
	}
	p, mass := low.lower(ctx, x)
	mean, _ := low.moments()
	// From x on upwards values are more likely, and from some value on they are not: that one is found in the mirror,
	// where it is the largest of a lower tail.
	outside, inside := draws-x, draws-most-1
	for step, y := int64(1), draws-int64(math.Round(2*mean-float64(x))); outside-inside > 1 && ctx.Err() == nil; {
		y = min(max(y, inside+1), outside-1)
		if _, m := s.lower(ctx, y); m <= mass*ties {
			inside, y = y, y+step
		} else {
			outside, y = y, y-step
		}
		if step *= 2; y <= inside || y >= outside {
			y = inside + (outside-inside)/2
		}
	}
	return math.Min(p+s.atMost(ctx, inside), 1)
}

// moments are the mean and the variance.
func (s hypergeometricSum) moments() (mean, variance float64) {
	for _, p := range s.parts {
		n, k, d := float64(p.law.Population), float64(p.law.Successes), float64(p.law.Draws)
		mean += float64(p.times) * d * (k / n)
		if n > 1 {
			variance += float64(p.times) * d * (k / n) * ((n - k) / n) * ((n - d) / (n - 1))
		}
	}
	return mean, variance
}

// tiltedSum is a sum whose probabilities are multiplied with exp(log·x), and scaled.
type tiltedSum struct {
	log            float64
	modes          int64   // sum of the parts' modes
	scale          float64 // log of what probabilities are multiplied with at the sum of modes
	mean, variance float64 // the mean is less the sum of modes
	lost           float64 // probability that the parts leave out at their ends, at most
}

// tilt computes the tilted sum, and hands the masses of each part to a function: relative to that of the mode, from the
// lowest value on, where the mode is at an index, and their sum.
func (s hypergeometricSum) tilt(
	ctx context.Context, log float64, each func(p hypergeometricPart, masses []float64, mode int, sum float64),
) tiltedSum {
	t := tiltedSum{log: log}
	odds := math.Exp(log)
	var scale, mean, variance special.Accumulator
	var masses noncentralMasses
	for _, p := range s.parts {
		if ctx.Err() != nil {
			return t
		}
		masses.of(p.law, odds)
		times := float64(p.times)
		scale.Add(times * (math.Log(masses.sum) + p.law.LogProb(masses.mode)))
		mean.Add(times * masses.mean)
		variance.Add(times * masses.variance)
		t.lost += times * masses.lost
		t.modes += int64(p.times) * int64(masses.mode)
		if each != nil {
			each(p, masses.list, masses.at, masses.sum)
		}
	}
	t.scale, t.mean, t.variance = scale.Sum(), mean.Sum(), variance.Sum()
	return t
}

// tiltedTo returns the factor's logarithm at which the mean is x, up to a hundredth of a standard deviation: that only
// moves the window, no result.
func (s hypergeometricSum) tiltedTo(ctx context.Context, x int64) float64 {
	mean, variance := s.moments()
	log, low, high := 0.0, math.Inf(-1), math.Inf(1)
	above := mean - float64(x)
	for range 100 {
		if math.Abs(above) <= 0.01*math.Sqrt(variance) || ctx.Err() != nil {
			break
		}
		if above > 0 {
			high = log
		} else {
			low = log
		}
		next := log - min(max(above/math.Max(variance, 1e-300), -2), 2)
		if !(next > low && next < high) {
			next = (low + high) / 2
		}
		log = next
		t := s.tilt(ctx, log, nil)
		above, variance = float64(t.modes-x)+t.mean, t.variance
	}
	return log
}

// Logarithms of what may be left out, of probability and of the characteristic function.
const (
	windowLoss    = 44.0 // 1e-19
	frequencyLoss = 62.0 // 1e-27, of up to a million frequencies
)

// lower returns P(sum <= x) and P(sum = x) for an x from the least value up to the mean.
func (s hypergeometricSum) lower(ctx context.Context, x int64) (tail, mass float64) {
	least, most := s.ends()
	if x < least || x > most {
		return 0, 0
	}
	log := 0.0
	if x == least {
		// No factor has its mean here: each part is at its end.
		for _, p := range s.parts {
			log += float64(p.times) * p.law.LogProb(p.law.Least())
		}
		return math.Exp(log), math.Exp(log)
	}
	log = math.Min(s.tiltedTo(ctx, x), 0)
	t := s.tilt(ctx, log, nil)
	// Beyond reach from x on either side there is less than exp(-windowLoss).
	offset := float64(t.modes-x) + t.mean
	reach := math.Ceil(t.reach()+math.Abs(offset)) + 1
	period := 2*reach + 1
	unit := 2 * math.Pi / period
	sizes, angles := s.characteristic(ctx, t, unit, int(reach))
	// The sum of the tilted probabilities from x downwards, each with the weight that its tilt took.
	decay := -log
	tails, masses := special.Accumulator{}, special.Accumulator{}
	tails.Add(geometric(decay, reach))
	masses.Add(1)
	for j := range sizes {
		at := unit * float64(j+1)
		size := math.Exp(sizes[j])
		if size == 0 {
			continue
		}
		sin, cos := math.Sincos(angles[j] + math.Mod(at*float64(t.modes-x), 2*math.Pi))
		re, im := geometricAt(decay, at, reach)
		tails.Add(2 * size * (cos*re - sin*im))
		masses.Add(2 * size * cos)
	}
	back := math.Exp(t.scale + log*float64(t.modes-x))
	left := 3*math.Exp(-windowLoss) + t.lost
	tail = back * (math.Max(tails.Sum()/period, 0) + left)
	mass = back * math.Max(masses.Sum()/period, 0)
	if tail < 1e-300 {
		tail = 0
	}
	return math.Min(tail, 1), mass
}

// reach is a distance from the mean that the sum exceeds on either side with a probability of at most exp(-windowLoss),
// by Bernstein's inequality.
func (t tiltedSum) reach() float64 {
	return windowLoss/3 + math.Sqrt(windowLoss*windowLoss/9+2*windowLoss*t.variance)
}

// characteristic returns the characteristic function of a tilted sum less its sum of modes at multiples of a unit, from
// 1 up to the last that is not negligible, and at most so many: the logarithm of its size, and its angle.
func (s hypergeometricSum) characteristic(
	ctx context.Context, t tiltedSum, unit float64, most int,
) (sizes, angles []float64) {
	if cos := 1 - frequencyLoss/t.variance; cos > -1 {
		most = min(most, int(math.Acos(cos)/unit)+1)
	}
	sizes, angles = make([]float64, most), make([]float64, most)
	s.tilt(ctx, t.log, func(p hypergeometricPart, masses []float64, mode int, sum float64) {
		for j := range sizes {
			re, im := transform(masses, mode, unit*float64(j+1))
			sizes[j] += float64(p.times) * math.Log(math.Hypot(re, im)/sum)
			angles[j] += math.Mod(float64(p.times)*math.Atan2(im, re), 2*math.Pi)
		}
	})
	return sizes, angles
}

// masses writes the tilted distribution out within its reach, each probability with an error of about 1e-17.
func (s hypergeometricSum) masses(ctx context.Context, log float64) massFunction {
	t := s.tilt(ctx, log, nil)
	reach := math.Ceil(t.reach()) + 1
	period := 2*reach + 1
	unit := 2 * math.Pi / period
	sizes, angles := s.characteristic(ctx, t, unit, int(reach))
	least, most := s.ends()
	middle := t.modes + int64(math.Round(t.mean))
	first, last := max(middle-int64(reach), least), min(middle+int64(reach), most)
	law := massFunction{first: int(first), mass: make([]float64, last-first+1)}
	for i := range law.mass {
		law.mass[i] = 1
	}
	for j, size := range sizes {
		if ctx.Err() != nil {
			return law
		}
		at, twice := unit*float64(j+1), 2*math.Exp(size)
		addWave(law.mass, twice, angles[j]+math.Mod(at*float64(t.modes-first), 2*math.Pi), -at)
	}
	for i := range law.mass {
		law.mass[i] = math.Max(law.mass[i]/period, 0)
	}
	return law
}

// addWave adds size·cos(angle + step·i) to each of a list, by turning a pointer that is set anew now and then.
func addWave(list []float64, size, angle, step float64) {
	const renew = 512
	stepSin, stepCos := math.Sincos(step)
	var sin, cos float64
	for i := range list {
		if i%renew == 0 {
			sin, cos = math.Sincos(angle + math.Mod(step*float64(i), 2*math.Pi))
		}
		list[i] += size * cos
		sin, cos = sin*stepCos+cos*stepSin, cos*stepCos-sin*stepSin
	}
}

// transform is the sum of masses times exp(it·k), where k counts from the mode.
func transform(masses []float64, mode int, t float64) (re, im float64) {
	// Two ways out from the mode, where the masses are largest, by turning a pointer. It is set anew now and then, so that
	// rounding does not add up.
	const renew = 512
	stepSin, stepCos := math.Sincos(t)
	turn := func(from, to, direction int) {
		var sin, cos float64
		for i, k := from, 0; i != to; i, k = i+direction, k+1 {
			if k%renew == 0 {
				sin, cos = math.Sincos(math.Mod(t*float64(i-mode), 2*math.Pi))
			}
			re += masses[i] * cos
			im += masses[i] * sin
			if direction > 0 {
				sin, cos = sin*stepCos+cos*stepSin, cos*stepCos-sin*stepSin
			} else {
				sin, cos = sin*stepCos-cos*stepSin, cos*stepCos+sin*stepSin
			}
		}
	}
	turn(mode, len(masses), 1)
	turn(mode-1, -1, -1)
	return re, im
}

// geometric is the sum of exp(-decay·r) for r from 0 to most.
func geometric(decay, most float64) float64 {
	if decay == 0 {
		return most + 1
	}
	return math.Expm1(-decay*(most+1)) / math.Expm1(-decay)
}

// geometricAt is the sum of exp((-decay+it)·r) for r from 0 to most, for a t that is no multiple of 2π.
func geometricAt(decay, t, most float64) (re, im float64) {
	oneLess := func(steps float64) (re, im float64) { // 1 - exp((-decay+it)·steps)
		half, angle := math.Sin(t*steps/2), t*steps
		e := math.Exp(-decay * steps)
		return -math.Expm1(-decay*steps) + 2*e*half*half, -e * math.Sin(angle)
	}
	a, b := oneLess(most + 1)
	c, d := oneLess(1)
	square := c*c + d*d
	return (a*c + b*d) / square, (b*c - a*d) / square
}

// noncentralMasses are the probabilities of Fisher's noncentral hypergeometric distribution: those of a hypergeometric
// one times odds^x. The zero value can be used for one after the other.
type noncentralMasses struct {
	mode           int
	list           []float64 // relative to the mode, without what is negligible
	at             int       // index of the mode
	sum            float64
	lost           float64 // share that was left out, at most
	mean, variance float64 // the mean less the mode
	up, down       []float64
}

// negligibleShare of the mode is left out.
const negligibleShare = 1e-22

// of computes the masses from the mode outwards by the ratio of neighbours, with the mean and the variance.
func (m *noncentralMasses) of(h dist.Hypergeometric, odds float64) {
	draws, successes := float64(h.Draws), float64(h.Successes)
	rest := float64(h.Population-h.Successes) - draws // failures that are not drawn, if no success is
	m.mode = noncentralMode(h, odds)
	m.up, m.down = m.up[:0], m.down[:0]
	first, second, sum, lost := 0.0, 0.0, 1.0, 0.0
	for x, w := float64(m.mode), 1.0; x < float64(h.Most()); {
		ratio := odds * (draws - x) * (successes - x) / ((x + 1) * (rest + x + 1))
		if w *= ratio; w < negligibleShare {
			lost += w / math.Max(1-ratio, 1e-9)
			break
		}
		x++
		m.up = append(m.up, w)
		d := x - float64(m.mode)
		sum, first, second = sum+w, first+w*d, second+w*d*d
	}
	for x, w := float64(m.mode), 1.0; x > float64(h.Least()); {
		ratio := x * (rest + x) / (odds * (draws - x + 1) * (successes - x + 1))
		if w *= ratio; w < negligibleShare {
			lost += w / math.Max(1-ratio, 1e-9)
			break
		}
		x--
		m.down = append(m.down, w)
		d := x - float64(m.mode)
		sum, first, second = sum+w, first+w*d, second+w*d*d
	}
	m.list = m.list[:0]
	for i := len(m.down) - 1; i >= 0; i-- {
		m.list = append(m.list, m.down[i])
	}
	m.at = len(m.list)
	m.list = append(append(m.list, 1), m.up...)
	m.sum, m.lost = sum, lost/sum
	m.mean = first / sum
	m.variance = math.Max(second/sum-m.mean*m.mean, 0)
}

// noncentralMode is the most likely value: where the ratio of neighbours passes 1, the root of a quadratic equation
// (Liao & Rosen 2001, The American Statistician 55:366).
func noncentralMode(h dist.Hypergeometric, odds float64) int {
	draws, successes := float64(h.Draws), float64(h.Successes)
	rest := float64(h.Population-h.Successes) - draws
	a := odds - 1
	b := odds*(draws+successes) + rest + 2
	c := odds*draws*successes - rest - 1
	root := math.Sqrt(math.Max(b*b-4*a*c, 0))
	x := 2 * c / (b + root)
	if b <= 0 {
		x = (b - root) / (2 * a)
	}
	mode := float64(h.Least())
	if !math.IsNaN(x) {
		mode = min(max(math.Ceil(x), mode), float64(h.Most()))
	}
	// The formula may be off by rounding.
	rises := func(x float64) bool {
		return odds*(draws-x)*(successes-x) > (x+1)*(rest+x+1)
	}
	for mode < float64(h.Most()) && rises(mode) {
		mode++
	}
	for mode > float64(h.Least()) && !rises(mode-1) {
		mode--
	}
	return int(mode)
}
