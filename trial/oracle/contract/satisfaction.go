package contract

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/stats"
)

// Satisfaction is what recorded trials say of a [Promise]: (p, δ, k)-satisfaction as
// AgentAssay defines it (section 3.7), over k trials in a row a share that keeps the
// contract above p and a drift below δ. Drift is here the share of all judged trials
// less that of the k.
//
// Its Proposition 3.4 says that a Pass of n >= k trials at threshold p implies
// (p', δ, k)-satisfaction with p' >= p - O(1/√n). That is wrong in four ways, so the
// numbers here are exact ones instead:
//
//   - The share of k trials scatters by 1/√k, however large n is: the proof itself
//     arrives at p - O(1/√n) - O(1/√k), and the larger term is the one of k. At a rate
//     of 0.9, ten trials keep 7 or more with probability 0.987 and 8 or more with
//     0.930, so p' at 95 % is 0.7, for any n. See [Satisfaction.Reached].
//   - The bound is one of a given window. It is claimed of any window, of which n
//     trials have n-k+1, and windows among the n trials are known: nothing about them is
//     left to chance. They are counted here, see [Satisfaction.Windows].
//   - Two bounds of 1-α give 1-2α. Halving α afterwards changes the test that passed.
//   - Nothing in the proof speaks of δ.
type Satisfaction struct {
	Promise
	Alpha  float64 // in (0, 0.5): 1-Alpha is the confidence of Low
	Trials int     // that were judged or should have been
	Kept   int     // judged trials that kept the contract
	Rate   float64 // Kept among the judged trials, in [0,1]
	// Low is the exact lower limit of the rate (Clopper and Pearson, one-sided); unjudged
	// trials count against it.
	Low    float64
	Needed int // fewest of K trials that satisfy the promise
	// Chance is the probability that K further trials satisfy the promise at the rate Low:
	// P(X >= Needed), X binomial(K, Low).
	Chance float64
	// Reached is p': the largest share that K further trials reach with probability at
	// least 1-Alpha at the rate Low.
	Reached float64
	Windows Windows // what the recording itself holds
}

// Windows are the K judged trials in a row that the recording holds, in its order.
type Windows struct {
	Count     int     // 0 where there are fewer trials than K
	Satisfied int     // that satisfy the promise
	Worst     float64 // the least share in one; 0 without windows
}

// Satisfy computes the satisfaction of a promise. The judged trials stand in their
// order, true where the contract was kept; the unjudged are a number. It returns an
// error of package stats where there are no judged trials or alpha is not in (0, 0.5).
func Satisfy(p Promise, kept []bool, unjudged int, alpha float64) (*Satisfaction, error) {
	judged := stats.Counts{Trials: len(kept)}
	for _, k := range kept {
		if k {
			judged.Passes++
		}
	}
	s, err := SatisfyCounts(p, judged, unjudged, alpha)
	if err != nil {
		return nil, err
	}
	s.windows(kept)
	return s, nil
}

// SatisfyCounts is [Satisfy] where the order of the trials is not known: it counts no
// windows.
func SatisfyCounts(p Promise, judged stats.Counts, unjudged int, alpha float64) (*Satisfaction, error) {
	s := &Satisfaction{Promise: p, Alpha: alpha, Trials: judged.Trials + unjudged, Kept: judged.Passes}
	if _, err := stats.ClopperPearson(judged, 2*alpha); err != nil {
		return nil, err
	}
	interval, err := stats.ClopperPearson(stats.Counts{Passes: s.Kept, Trials: s.Trials}, 2*alpha)
	if err != nil {
		return nil, err
	}
	s.Rate, s.Low = judged.Rate(), interval.Low
	s.Needed = p.needed(s.Rate)
	next := dist.Binomial{N: p.K, P: s.Low}
	s.Chance = next.Survival(s.Needed - 1)
	s.Reached = reached(next, alpha)
	return s, nil
}

// needed is the fewest of K trials whose share is above P and less than Delta below
// the rate. Shares that differ by rounding alone are equal.
func (p Promise) needed(rate float64) int {
	k := float64(p.K)
	return int(math.Floor(k*max(p.P, rate-p.Delta)+1e-9)) + 1
}

// reached is the largest share that is reached with probability at least 1-alpha.
func reached(next dist.Binomial, alpha float64) float64 {
	low, high := 0, next.N // the probability of at least low is enough
	for low < high {
		middle := (low + high + 1) / 2
		if next.CDF(middle-1) <= alpha {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return float64(low) / float64(next.N)
}

// windows counts the windows, by what enters and leaves as they move on.
func (s *Satisfaction) windows(kept []bool) {
	inside, worst := 0, s.K
	for i, k := range kept {
		if k {
			inside++
		}
		if i >= s.K && kept[i-s.K] {
			inside--
		}
		if i+1 < s.K {
			continue
		}
		s.Windows.Count++
		worst = min(worst, inside)
		if inside >= s.Needed {
			s.Windows.Satisfied++
		}
	}
	if s.Windows.Count > 0 {
		s.Windows.Worst = float64(worst) / float64(s.K)
	}
}
