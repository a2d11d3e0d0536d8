package faults

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
)

// ranks returns the ranks of values from 1, those of equal ones their mean.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool { return values[order[i]] < values[order[j]] })
	list := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			list[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return list
}

// spearman is the rank correlation of pairs (Spearman 1904): Pearson's of their ranks, from -1 to 1; 0 where one side
// is constant.
func spearman(x, y []float64) float64 { return pearson(ranks(x), ranks(y)) }

// pearson is the correlation of pairs.
func pearson(x, y []float64) float64 {
	var meanX, meanY float64
	for i := range x {
		meanX += x[i] / float64(len(x))
		meanY += y[i] / float64(len(x))
	}
	var xx, yy, xy float64
	for i := range x {
		xx += (x[i] - meanX) * (x[i] - meanX)
		yy += (y[i] - meanY) * (y[i] - meanY)
		xy += (x[i] - meanX) * (y[i] - meanY)
	}
	if xx == 0 || yy == 0 {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// pairs are coverage and faults found, suite by suite, of one agent.
type pairs struct{ x, y []float64 }

// meanRho is the mean of the correlations within each agent.
func meanRho(list []pairs) (mean float64) {
	for _, p := range list {
		mean += spearman(p.x, p.y) / float64(len(list))
	}
	return mean
}

// interval is the 95 % interval of the mean correlation, on Fisher's scale with the variance of Bonett and Wright
// (2000, Psychometrika 65:23), (1 + ρ²/2)/(n-3), for independent agents of n suites each.
func interval(list []pairs) (low, high float64) {
	const normal = 1.959963984540054
	var z, variance float64
	k := float64(len(list))
	for _, p := range list {
		rho := min(max(spearman(p.x, p.y), -0.999999), 0.999999)
		z += math.Atanh(rho) / k
		variance += (1 + rho*rho/2) / float64(len(p.x)-3) / (k * k)
	}
	return math.Tanh(z - normal*math.Sqrt(variance)), math.Tanh(z + normal*math.Sqrt(variance))
}

// pValue is that of no correlation against a positive one: the share of permutations within each agent whose mean
// correlation is at least as large, the data among them, so that it is exact as a test (Phipson and Smyth 2010).
func pValue(list []pairs, permutations int, random *rand.Rand) float64 {
	const rounding = 1e-12
	observed := meanRho(list)
	ranked := make([]pairs, len(list))
	for i, p := range list {
		ranked[i] = pairs{ranks(p.x), ranks(p.y)}
	}
	atLeast := 1
	for range permutations {
		mean := 0.0
		for _, p := range ranked {
			random.Shuffle(len(p.x), func(i, j int) { p.x[i], p.x[j] = p.x[j], p.x[i] })
			mean += pearson(p.x, p.y) / float64(len(ranked))
		}
		if mean >= observed-rounding {
			atLeast++
		}
	}
	return float64(atLeast) / float64(permutations+1)
}

// shuffled are the pairs with the coverage of another suite of the same agent.
func shuffled(list []pairs, random *rand.Rand) []pairs {
	other := make([]pairs, len(list))
	for i, p := range list {
		x := slices.Clone(p.x)
		random.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
		other[i] = pairs{x, p.y}
	}
	return other
}
