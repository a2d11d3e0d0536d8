package stratified

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/sprt"
)

// adversary are the rounds that someone may choose from who wants the mean test to err: every vector of failure
// rates with a given sum and none above a limit.
//
// Theorem. Let a value be a function of the failures of a round. Over all such vectors its expectation is largest at
// one that has coordinates 0, the limit and one other value alone.
//
// Argument (Hoeffding 1956, corollary 2.1, with a limit for 1). The expectation is symmetric, and affine in each
// coordinate. Fix all but two that lie strictly between 0 and the limit: it is A + B(x+y) + Cxy, and x+y is given. If
// C > 0 it does not fall where both become their mean, and if C <= 0 not where they move apart until one is 0 or at
// the limit. The largest expectation is attained, for the set is compact; of the vectors that attain it take one with
// the fewest coordinates strictly inside, and of those one whose inner coordinates have the least sum of squares: all
// inner ones are alike.
type adversary struct {
	rounds []part // distributions of the failures of a round
}

// part is a distribution without its negligible ends: chances from some number on.
type part struct {
	from    int
	chances []float64
}

// cut leaves out both ends of a distribution as far as they come to less than what rounding loses.
func cut(p []float64) part {
	from, to := 0, len(p)
	for sum := 0.0; from < to-1 && sum+p[from] < negligible; from++ {
		sum += p[from]
	}
	for sum := 0.0; to > from+1 && sum+p[to-1] < negligible; to-- {
		sum += p[to-1]
	}
	return part{from, p[from:to]}
}

// negligible is a mass that is left out.
const negligible = 1e-16

// newAdversary returns the rounds of so many trials with failure rates up to a limit and a given sum.
func newAdversary(trials int, sum, limit float64) *adversary {
	sum = math.Min(sum, float64(trials)*limit)
	a := &adversary{}
	for most := 0; most <= trials && float64(most)*limit <= sum*(1+1e-12); most++ {
		atLimit := cut(binomial(most, limit))
		rest := math.Max(sum-float64(most)*limit, 0)
		for others := trials - most; others >= 0; others-- {
			rate := 0.0
			if others > 0 {
				rate = rest / float64(others)
			}
			if rate > limit || others == 0 && rest > 1e-9*sum {
				break
			}
			x := cut(binomial(others, rate))
			a.rounds = append(a.rounds, part{
				from: atLimit.from + x.from, chances: convolve(atLimit.chances, x.chances, len(atLimit.chances)+len(x.chances)-2),
			})
			if rest == 0 {
				break
			}
		}
	}
	return a
}

// binomial is the distribution of failures.
func binomial(trials int, rate float64) []float64 {
	p := make([]float64, trials+1)
	for k := range p {
		p[k] = dist.Binomial{N: trials, P: rate}.Prob(k)
	}
	return p
}

// convolve is the distribution of the sum of two numbers, up to a largest.
func convolve(x, y []float64, most int) []float64 {
	z := make([]float64, most+1)
	for i, p := range x {
		if p == 0 {
			continue
		}
		for j, q := range y {
			if i+j <= most {
				z[i+j] += p * q
			}
		}
	}
	return z
}

// largest is the largest probability of an outcome of the mean test: of an adversary who chooses, before each round
// and knowing all that came before, any vector of the set.
//
// It bounds what every fixed vector of the set does, and rates that move from round to round while their sum stays.
// Vectors with a smaller sum fail less often, and those with a larger one pass less often: couple the trials by common
// uniforms. So the bound is one for all means on its side.
//
// The value of a state, rounds and failures, is the largest expectation of the next state's value. That is the maximum
// over the adversary's rounds, by the theorem.
func (a *adversary) largest(b sprt.Boundaries, outcome sprt.Outcome) float64 {
	var next []float64 // by failures above low
	low := 0
	for r := b.MaxTrials(); r >= 0; r-- {
		first, last := 0, 0
		if r > 0 {
			first, last = b.PassAtOrBelow[r-1]+1, b.FailAtOrAbove[r-1]-1
		}
		if r == b.MaxTrials() {
			next, low = make([]float64, max(last-first+1, 0)), first // what is left is no verdict
			continue
		}
		pass, fail := b.PassAtOrBelow[r], b.FailAtOrAbove[r]
		now := make([]float64, max(last-first+1, 0))
		for f := first; f <= last; f++ {
			for _, round := range a.rounds {
				now[f-first] = math.Max(now[f-first], expectation(round, next, f, low, pass, fail, outcome))
			}
		}
		next, low = now, first
	}
	return next[0]
}

// expectation is that of the value after a round that begins with so many failures.
func expectation(round part, next []float64, failures, low, pass, fail int, outcome sprt.Outcome) (sum float64) {
	for k, p := range round.chances {
		switch f := failures + round.from + k; {
		case f <= pass:
			if outcome == sprt.Pass {
				sum += p
			}
		case f >= fail:
			if outcome == sprt.Pass {
				return sum
			}
			sum += p
		default:
			sum += p * next[f-low]
		}
	}
	return sum
}

// binomialAt is one probability of failures.
func binomialAt(trials, failures int, rate float64) float64 {
	return dist.Binomial{N: trials, P: rate}.Prob(failures)
}
