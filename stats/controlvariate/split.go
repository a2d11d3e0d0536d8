package controlvariate

import (
	"math"

	"github.com/tribunal-dev/tribunal/stats"
)

// Allocation is how trials are best split between a target and its proxy. Every trial of the target has one of the
// proxy that tries the same.
type Allocation struct {
	// Proxies is how many trials of the proxy there are for each of the target, those of pairs with them; 0 where it
	// does not pay.
	Proxies float64 `json:"proxies_per_target"`
	// Target and Proxy are the trials that estimate the target's rate as well as 100 of the target alone do; 0 where it
	// does not pay.
	Target float64 `json:"target_for_100"`
	Proxy  float64 `json:"proxy_for_100"`
	// Cost is what the best split with a trial of the proxy for each of the target costs, over what as good an estimate
	// from the target alone does: below 1 it pays. The gain is 1/Cost.
	Cost float64 `json:"cost"`
	Pays bool    `json:"pays"`
	// Claimed is that cost by Equation 48 of AgentAssay, 1-ρ²+ρ²c. It is no bound: the best split costs more wherever
	// both ρ and c are above 0.
	Claimed float64 `json:"equation_48"`
	// Converged is that cost by AgentAssay's Corollary 7.7 (Equation 54), c(1-ρ²): without a trial of the target, of
	// which nothing is known then.
	Converged float64 `json:"equation_54"`
	// Least is the correlation from which on it pays, 2√c/(1+c); 1 where no correlation is enough.
	Least float64 `json:"pays_above"`
}

// Split returns the best split for a correlation ρ of the outcomes and the price c of a trial of the proxy over that of
// one of the target.
//
// With n trials of the target and m of the proxy the variance of the estimate is σ²((1-ρ²)/n + ρ²/m), and the cost n +
// cm. Their product is least at m/n = √(ρ²/((1-ρ²)c)), where it is σ²(√(1-ρ²) + |ρ|√c)² (Lagrange; Peherstorfer,
// Willcox and Gunzburger 2016, SIAM Journal on Scientific Computing 38:A3163, for two models). It takes the coefficient
// for known; estimating it from the same pairs costs about one pair more.
func Split(rho, price float64) (Allocation, error) {
	if !(rho >= -1 && rho <= 1) {
		return Allocation{}, &stats.ArgumentError{Argument: "rho", Value: rho, Problem: "must lie between -1 and 1"}
	}
	if !(price > 0) || math.IsInf(price, 0) {
		return Allocation{}, &stats.ArgumentError{Argument: "price", Value: price, Problem: "must be above 0"}
	}
	left := (1 - rho) * (1 + rho) // 1-ρ² without its rounding
	root := math.Sqrt(left) + math.Abs(rho)*math.Sqrt(price)
	a := Allocation{Cost: root * root, Claimed: left + rho*rho*price, Converged: left * price, Least: 1}
	if price < 1 {
		a.Least = 2 * math.Sqrt(price) / (1 + price)
	}
	// Every trial of the target has one of the proxy: with fewer further ones than none they are for nothing.
	if rho*rho <= left*price {
		a.Cost = 1 + price
	}
	a.Pays = price < 1 && a.Cost < 1
	if !a.Pays || left == 0 {
		// Where the proxy says all, no number of the target's trials is too small.
		return a, nil
	}
	a.Proxies = math.Abs(rho) / math.Sqrt(left*price)
	a.Target = 100 * (left + rho*rho/a.Proxies)
	a.Proxy = a.Target * a.Proxies
	return a, nil
}
