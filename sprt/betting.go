package sprt

import "math"

// Differences count pairs of trials, one of a baseline and one of a candidate each, by the
// difference of their outcomes.
type Differences struct {
	Broke  int // the baseline's trial alone passed: 1
	Same   int // both passed, or none did: 0
	Mended int // the candidate's trial alone passed: -1
}

// The mixtures are over so many bets, evenly between none and the largest that cannot lose
// more than there is. The number is chosen.
const bets = 20

// Worse returns the logarithm of the evidence that the candidate is worse, as results of earlier versions have it; now
// package betting has other weights, which take fewer trials where nothing ever fails. It is that of an
// e-process for H0 "the mean difference is at most 0". In H0 its expectation is at most 1
// at any time, however it was stopped, so that it ever reaches 1/alpha with a probability of
// alpha at most (Ville 1939). It is the mixture over bets l of the products of
// 1 + l·difference (Waudby-Smith & Ramdas 2023, Journal of the Royal Statistical Society B
// 86:1; with pairs it is an e-variable for two samples, as those of Turner, Ly & Grünwald
// 2024, Electronic Journal of Statistics 18:1, are, and needs no independence of the two).
//
// Pairs may have unlike rates. Where every pair's mean difference is in H0 it holds after
// each pair; where only the mean over rounds of pairs is, after whole rounds: the product of
// factors with a mean of at most 1 is at most 1.
func (d Differences) Worse() float64 {
	return mixed(1, func(l float64) float64 {
		return weighed(d.Broke, math.Log1p(l)) + weighed(d.Mended, math.Log1p(-l))
	})
}

// NotWorse is the same of the evidence that the candidate is not worse by delta, from 0 to
// below 1: for H0 "the mean difference is at least delta", by bets on 1 - l·(difference - delta).
func (d Differences) NotWorse(delta float64) float64 {
	return mixed(1/(1-delta), func(l float64) float64 {
		return weighed(d.Broke, math.Log1p(-l*(1-delta))) + weighed(d.Same, math.Log1p(l*delta)) +
			weighed(d.Mended, math.Log1p(l*(1+delta)))
	})
}

// mixed is the logarithm of the mean over bets below the largest.
func mixed(largest float64, logValue func(l float64) float64) float64 {
	logs, peak := make([]float64, bets), math.Inf(-1)
	for i := range logs {
		logs[i] = logValue(largest * float64(i+1) / (bets + 1))
		peak = math.Max(peak, logs[i])
	}
	sum := 0.0
	for _, x := range logs {
		sum += math.Exp(x - peak)
	}
	return peak + math.Log(sum/bets)
}

// weighed is 0 without a count, whatever the logarithm.
func weighed(count int, log float64) float64 {
	if count == 0 {
		return 0
	}
	return float64(count) * log
}
