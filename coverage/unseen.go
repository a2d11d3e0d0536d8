package coverage

import (
	"sort"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/seeded"
	"github.com/tribunal-dev/tribunal/stats"
)

// level is the confidence of the limits of coverage, from 0 to 1.
const level = 0.95

// turing estimates the share of all future trials that take a path already taken, 1 - once/trials (Good
// 1953, Biometrika 40:237, who credits Turing). It is unbiased to within 1/trials, and 0 without trials.
func turing(trials, once int) float64 {
	if trials <= 0 {
		return 0
	}
	return min(max(1-float64(max(once, 0))/float64(trials), 0), 1)
}

// seenAtLeast returns a lower limit, at confidence [level], of the share of all future trials that take a
// path already taken: the limit is above the true share with a chance of at most 5 %, whatever the paths
// and their probabilities are. Trials are assumed to be independent draws from one mixture. Without two
// trials it is 0.
//
// Two arguments share the 5 %. After the first trial, each trial takes a path that is new with a chance of
// no less than what is unseen in the end: so few new paths bound it as failures bound a rate (Clopper and
// Pearson 1934). And so they do in the second half of the trials alone, in whatever order: the p-values of
// random orders are averaged, which costs a factor of 2 (Rüschendorf 1982; Vovk and Wang 2020, Biometrika
// 107:791). The second is better where there are many paths; up to 30 trials the first has all of the
// 5 %, so that after n trials of one path the limit is 0.05^(1/(n-1)).
func seenAtLeast(paths []PathCount) float64 {
	trials, distinct := 0, 0
	for _, p := range paths {
		trials += p.Trials * p.Paths
		distinct += p.Paths
	}
	if trials < 2 {
		return 0
	}
	const alpha, alone = 1 - level, 30
	halves := 0.0
	if trials > alone && trials <= mostShuffled {
		halves = alpha / 2 * (1 - float64(alone)/float64(trials))
	}
	unseen := unseenAtMost(distinct-1, trials-1, alpha-halves)
	if halves > 0 {
		unseen = min(unseen, unseenByHalves(paths, trials, distinct, halves))
	}
	return 1 - unseen
}

// mostShuffled is the number of trials up to which orders are drawn. It is chosen: the memory that it takes
// is bounded, whatever a file says of its counts.
const mostShuffled = 200_000

// unseenAtMost is the upper limit of Clopper and Pearson at one-sided level alpha, of so many new paths in
// so many trials.
func unseenAtMost(found, trials int, alpha float64) float64 {
	i, err := stats.ClopperPearson(stats.Counts{Passes: found, Trials: trials}, 2*alpha)
	if err != nil {
		return 1
	}
	return i.High
}

// unseenByHalves is the upper limit by the new paths in the second halves of random orders.
func unseenByHalves(paths []PathCount, trials, distinct int, alpha float64) float64 {
	second := trials - trials/2
	found := newInSecondHalves(paths, trials, distinct)
	// The mean p-value falls in what is unseen: the limit is where twice the mean is alpha.
	return float64(sort.Search(resolution, func(i int) bool {
		b := dist.Binomial{N: second, P: float64(i) / resolution}
		mean := 0.0
		for k, share := range found {
			if share > 0 {
				mean += share * b.CDF(k)
			}
		}
		return 2*mean <= alpha
	})) / resolution
}

// resolution is that of the limit by halves, which is rounded up: chosen, finer than anybody reads.
const resolution = 1 << 16

// newInSecondHalves returns, by number, the share of random orders in whose second half so many paths are
// new. The orders are the same whenever the counts are.
func newInSecondHalves(paths []PathCount, trials, distinct int) []float64 {
	pathNumbers := make([]int32, 0, trials) // the number of the path of each trial
	next := int32(0)
	for _, p := range paths {
		for range p.Paths {
			for range p.Trials {
				pathNumbers = append(pathNumbers, next)
			}
			next++
		}
	}
	orders := min(max(2_000_000/trials, 20), 500) // chosen: a second at most
	random := seeded.Stream(uint64(trials), uint64(distinct))
	shares, seen := make([]float64, distinct+1), make([]int, distinct)
	for order := 1; order <= orders; order++ {
		met := 0
		for i := range trials / 2 {
			j := i + random.IntN(trials-i)
			pathNumbers[i], pathNumbers[j] = pathNumbers[j], pathNumbers[i]
			if seen[pathNumbers[i]] != order {
				seen[pathNumbers[i]] = order
				met++
			}
		}
		shares[distinct-met] += 1 / float64(orders)
	}
	return shares
}
