package race

import (
	"errors"
	"fmt"
	"math"
)

// errTooClose says that no lead that can be had tells the arms apart.
var errTooClose = errors.New("the indifference is too small: no race can tell such close variants apart")

// The bounds of a race. They are chosen, far above what anybody can pay.
const (
	MostArms   = 100
	mostLead   = 1000
	MostRounds = 1_000_000
)

// OddsRatio is the smallest ratio of the odds of two pass rates that differ by delta, of which the higher one is at
// least rate: what an indifference in points comes to where nothing else is known. With rate 0 that is the ratio around
// one half, where delta is hardest to tell. Both are from 0 to 1, and delta is above 0.
func OddsRatio(rate, delta float64) (float64, error) {
	switch {
	case !(delta > 0 && delta < 1):
		return 0, fmt.Errorf("delta %v must lie between 0 and 1", delta)
	case !(rate >= 0 && rate < 1):
		return 0, fmt.Errorf("rate %v must be at least 0 and below 1", rate)
	}
	p := math.Max(rate, (1+delta)/2) // from there on the ratio rises
	return p / (1 - p) * (1 - (p - delta)) / (p - delta), nil
}

// LeadFor is the smallest lead with which the best of so many arms is chosen with a probability of at least 1-alpha
// where its odds are those of every other arm times ratio; see [Guarantee]. It is an error where that takes
// more than 1000.
func LeadFor(arms int, ratio, alpha float64) (int, error) {
	switch {
	case arms < 2 || arms > MostArms:
		return 0, fmt.Errorf("%d variants are not from 2 to %d", arms, MostArms)
	case !(ratio > 1):
		return 0, fmt.Errorf("the odds ratio %v must be above 1", ratio)
	case !(alpha > 0 && alpha < 1):
		return 0, fmt.Errorf("alpha %v must lie between 0 and 1", alpha)
	}
	least := math.Log(float64(arms-1)*(1-alpha)/alpha) / math.Log(ratio)
	if least > mostLead {
		return 0, errTooClose
	}
	// Rounding must not give a lead that is too small, nor one more than is needed.
	for lead := max(1, int(least)-1); ; lead++ {
		if slippage(arms, lead, ratio) >= 1-alpha {
			return lead, nil
		}
	}
}

// slippage is the guarantee where the odds of all arms but the best are equal.
func slippage(arms, lead int, ratio float64) float64 {
	return 1 / (1 + float64(arms-1)*math.Exp(-float64(lead)*math.Log(ratio)))
}

// Guarantee is the lower bound of the probability that the first arm is chosen, w_1^r / Σ w_i^r, for arms with these
// pass rates, each above 0 and below 1, whose trials are independent (Leu and Levin 1999).
func Guarantee(lead int, rates []float64) float64 {
	sum := 0.0
	first := logOdds(rates[0])
	for _, p := range rates {
		sum += math.Exp(float64(lead) * (logOdds(p) - first))
	}
	return 1 / sum
}

// Bound is the largest chance that one of so many arms drops the best one, each of which is alone in passing a round at
// most 1/ratio times as often as the best one is. It needs no independence; see the package comment.
func Bound(arms, lead int, ratio float64) float64 {
	return math.Min(1, float64(arms)*math.Exp(-float64(lead)*math.Log(ratio)))
}

func logOdds(p float64) float64 { return math.Log(p) - math.Log1p(-p) }

// UsualRounds is a number of rounds that few races reach: four times those in which arms that differ by delta part, on
// average, by the lead. It is chosen.
func UsualRounds(lead int, delta float64) int {
	return int(math.Min(math.Ceil(4*float64(lead)/delta), MostRounds))
}
