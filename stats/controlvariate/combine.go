package controlvariate

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/stats"
)

// Combination is a way to make one p-value of those of the target and of the proxy. AgentAssay proposes them; none of
// them tests the target.
type Combination uint8

const (
	// Stouffer adds the normal quantiles, weighted with ρ for the proxy and 1-ρ for the target, as the paper says its
	// program does; it names no weights, and these are those of its Equation 47.
	Stouffer Combination = iota
	// Fisher is Equation 47, -2(ρ log p of the proxy + (1-ρ) log p of the target), referred to χ² with 4 degrees of
	// freedom.
	Fisher
)

var combinationNames = enum.Of[Combination]("combination", "stouffer", "fisher")

// String is the name of the combination, such as "stouffer".
func (c Combination) String() string { return combinationNames.String(c) }

// MarshalText writes the name.
func (c Combination) MarshalText() ([]byte, error) { return combinationNames.MarshalText(c) }

// UnmarshalText reads a name.
func (c *Combination) UnmarshalText(text []byte) error {
	return combinationNames.UnmarshalText(text, c)
}

// P combines p-values against "its rate did not drop". A correlation below 0 counts as 0.
func (c Combination) P(rho, target, proxy float64) (float64, error) {
	for name, p := range map[string]float64{"target": target, "proxy": proxy} {
		if !(p >= 0 && p <= 1) {
			return 1, &stats.ArgumentError{Argument: name, Value: p, Problem: "must lie between 0 and 1"}
		}
	}
	weight, err := weightOf(rho)
	if err != nil {
		return 1, err
	}
	return c.of(weight, quantile(target), quantile(proxy)), nil
}

// Level is how often a combination says at level alpha that there is a drop, where the target did not change. The
// studentized drop of the proxy is normal about shift, 0 where it did not change either; that of the target about 0;
// overlap is their correlation. It is an integral over the proxy's.
func (c Combination) Level(rho, overlap, shift, alpha float64) (float64, error) {
	weight, err := weightOf(rho)
	switch {
	case err != nil:
		return 0, err
	case !(overlap >= -1 && overlap <= 1):
		return 0, &stats.ArgumentError{Argument: "overlap", Value: overlap, Problem: "must lie between -1 and 1"}
	case math.IsNaN(shift) || math.IsInf(shift, 0):
		return 0, &stats.ArgumentError{Argument: "shift", Value: shift, Problem: "must be a number"}
	case !(alpha > 0 && alpha < 1):
		return 0, &stats.ArgumentError{Argument: "alpha", Value: alpha, Problem: "must lie strictly between 0 and 1"}
	}
	left := math.Sqrt((1 - overlap) * (1 + overlap))
	// Simpson's rule over ±8 standard deviations.
	const steps = 4000
	sum := 0.0
	for i := range steps + 1 {
		u := -8 + 16*float64(i)/steps
		factor := 2.0 + 2*float64(i%2)
		if i == 0 || i == steps {
			factor = 1
		}
		// The least drop of the target at which it says so.
		from := c.least(weight, u+shift, alpha)
		chance := 0.0
		switch {
		case left > 0:
			chance = dist.NormalSurvival((from - overlap*u) / left)
		case overlap*u >= from:
			chance = 1
		}
		sum += factor * math.Exp(-u*u/2) * chance
	}
	return sum * 16 / steps / 3 / math.Sqrt(2*math.Pi), nil
}

// weightOf is the weight of the proxy.
func weightOf(rho float64) (float64, error) {
	if !(rho >= -1 && rho <= 1) {
		return 0, &stats.ArgumentError{Argument: "rho", Value: rho, Problem: "must lie between -1 and 1"}
	}
	return math.Max(0, rho), nil
}

// quantile is the drop that has this p-value, within what normal tails tell.
func quantile(p float64) float64 {
	return dist.NormalUpperQuantile(math.Max(1e-300, math.Min(1-1e-16, p)))
}

// of combines two drops.
func (c Combination) of(weight, target, proxy float64) float64 {
	if c == Fisher {
		sum := weight*math.Log(dist.NormalSurvival(proxy)) + (1-weight)*math.Log(dist.NormalSurvival(target))
		return dist.ChiSquaredSurvival(-2*sum, 4)
	}
	return dist.NormalSurvival((weight*proxy + (1-weight)*target) / math.Hypot(weight, 1-weight))
}

// least is the drop of the target from which on the combination is at most alpha, by bisection: it falls as the drop
// grows.
func (c Combination) least(weight, proxy, alpha float64) float64 {
	low, high := -40.0, 37.0
	switch {
	case c.of(weight, low, proxy) <= alpha:
		return math.Inf(-1)
	case c.of(weight, high, proxy) > alpha:
		return math.Inf(1)
	}
	for range 50 {
		if middle := (low + high) / 2; c.of(weight, middle, proxy) <= alpha {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}
