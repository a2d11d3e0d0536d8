package sequential

import (
	"math"
	"math/rand/v2"

	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// A random order is refused in 5 % of the recordings at most, which costs a shuffle.
const (
	orderLevel        = 0.05
	orderPermutations = 999
)

// orderP is the p-value against "the scenarios of the recording are in a random order": a
// permutation test of the labels alone, in which outcomes have no part. It is exact: at most a
// share p of random orders has a p-value of p or less. Of one scenario, and of none twice, it is 1.
//
// A sequential test judges the beginnings of a recording, so what matters is whether these
// hold the scenarios as the whole does. After n of N trials with c_s of scenario s, whose share
// of all is q_s,
//
//	D(n) = sum over s of (c_s - n q_s)² / (n (1 - n/N))
//
// has the same mean for all n in a random order. The largest D(n) finds a beginning that
// differs, the sum of all a mix that drifts, and the number of neighbours of one scenario, as in
// the test of Wald and Wolfowitz (1940), blocks that come round again. Each is centred and
// scaled by its mean and deviation over all orders drawn, that of the recording among them, and
// the largest of them is the statistic. A fixed rotation has small values, and is no block. The orders are drawn with
// a seed that is a hash of the recording.
func orderP(r *recording.Recording) float64 {
	labels, shares := labelsOf(r)
	if len(shares) < 2 || len(shares) == len(labels) {
		return 1
	}
	var all [3][]float64
	measure := func() {
		for i, x := range unevenness(labels, shares) {
			all[i] = append(all[i], x)
		}
	}
	measure()
	random := rand.New(rand.NewPCG(ShuffleSeed(r), 1))
	for range orderPermutations {
		random.Shuffle(len(labels), func(i, j int) { labels[i], labels[j] = labels[j], labels[i] })
		measure()
	}
	for _, x := range all {
		standardize(x)
	}
	statistic := func(i int) float64 { return max(all[0][i], all[1][i], all[2][i]) }
	const rounding = 1e-9
	as := 0
	for i := range orderPermutations + 1 {
		if statistic(i) >= statistic(0)-rounding {
			as++
		}
	}
	return float64(as) / (orderPermutations + 1)
}

// labelsOf numbers the scenarios of the trials, and returns the share of each.
func labelsOf(r *recording.Recording) (labels []int, shares []float64) {
	numbers := map[string]int{}
	for _, i := range r.Order() {
		name := r.ScenarioName(i)
		label, known := numbers[name]
		if !known {
			label = len(shares)
			numbers[name] = label
			shares = append(shares, 0)
		}
		labels = append(labels, label)
		shares[label]++
	}
	for i := range shares {
		shares[i] /= float64(len(labels))
	}
	return labels, shares
}

// unevenness is the largest D(n), the sum of all, and the neighbours of one scenario.
func unevenness(labels []int, shares []float64) [3]float64 {
	largest, sum, neighbours := 0.0, 0.0, 0.0
	squares := 0.0 // of the shares
	for _, q := range shares {
		squares += q * q
	}
	counts := make([]float64, len(shares))
	total := float64(len(labels))
	own, cross := 0.0, 0.0 // sums of c² and of c·q
	for i, label := range labels[:len(labels)-1] {
		own += 2*counts[label] + 1
		counts[label]++
		cross += shares[label]
		n := float64(i + 1)
		d := (own - 2*n*cross + n*n*squares) / (n * (1 - n/total))
		largest = math.Max(largest, d)
		sum += d
		if label == labels[i+1] {
			neighbours++
		}
	}
	return [3]float64{largest, sum, neighbours}
}

// standardize takes off the mean and divides by the deviation; equal values become 0.
func standardize(x []float64) {
	mean := 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	variance := 0.0
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	for i := range x {
		if x[i] -= mean; variance > 0 {
			x[i] /= math.Sqrt(variance)
		} else {
			x[i] = 0
		}
	}
}
