package race

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/dist"
	"github.com/tribunal-dev/tribunal/internal/seeded"
)

// mostFixed is the longest design of a fixed number of trials that is looked for.
const mostFixed = 100_000

// FixedTrials is the smallest number of trials of each of so many arms with which the one with the most passes is the
// best one with a probability of at least 1-alpha, where that passes at the rate best and all others at the rate rest,
// ties drawn by lot. It is exact (Sobel and Huyett 1957).
func FixedTrials(arms int, best, rest, alpha float64) (int, error) {
	if arms < 2 || arms > MostArms || !(rest > 0 && rest < best && best < 1) || !(alpha > 0 && alpha < 1) {
		return 0, fmt.Errorf("no design of %d variants at the rates %v and %v with alpha %v", arms, best, rest, alpha)
	}
	low, high := 0, 1
	for fixedCorrect(arms, high, best, rest) < 1-alpha {
		low, high = high, 2*high
		if high > mostFixed {
			return 0, errTooClose
		}
	}
	for high-low > 1 {
		if n := (low + high) / 2; fixedCorrect(arms, n, best, rest) < 1-alpha {
			low = n
		} else {
			high = n
		}
	}
	return high, nil
}

// fixedCorrect is the probability that the best of so many arms has the most passes of n trials, ties drawn by lot:
// with x passes of it, the others have fewer, or t of them as many, of which it is drawn with 1/(t+1).
func fixedCorrect(arms, n int, best, rest float64) float64 {
	b, other := dist.Binomial{N: n, P: best}, dist.Binomial{N: n, P: rest}
	correct := 0.0
	for x := 0; x <= n; x++ {
		equal, below := other.Prob(x), other.CDF(x-1)
		ways, sum := 1.0, 0.0
		for t := 0; t < arms; t++ {
			sum += ways * math.Pow(equal, float64(t)) * math.Pow(below, float64(arms-1-t)) / float64(t+1)
			ways *= float64(arms-1-t) / float64(t+1)
		}
		correct += b.Prob(x) * sum
	}
	return correct
}

// Curtailed are the characteristics of the design of a fixed number of trials of each arm, at most n, that ends once no
// outcome of the rest can change the choice, and tries next the arm with the fewest failures, of several the one with
// the most passes (Bechhofer and Kulkarni 1982). It chooses as the whole design does. They are simulated, as by
// [Simulate].
func Curtailed(ctx context.Context, rates []float64, n, repetitions int, seed uint64) (Characteristics, error) {
	c := Characteristics{Chosen: make([]float64, len(rates)), Repetition: repetitions}
	passes, fails := make([]int, len(rates)), make([]int, len(rates))
	for run := range repetitions {
		if ctx.Err() != nil {
			return c, context.Cause(ctx)
		}
		clear(passes)
		clear(fails)
		random := seeded.Stream(seed, uint64(run))
		order := random.Perm(len(rates)) // arms with equal counts are tried, and chosen, by lot
		for !certain(passes, fails, n) {
			next := -1
			for _, i := range order {
				if passes[i]+fails[i] < n && (next < 0 || fails[i] < fails[next] || fails[i] == fails[next] &&
					passes[i] > passes[next]) {
					next = i
				}
			}
			if random.Float64() < rates[next] {
				passes[next]++
			} else {
				fails[next]++
			}
			c.Trials++
		}
		winner := order[0]
		for _, i := range order {
			if passes[i] > passes[winner] {
				winner = i
			}
		}
		c.Chosen[winner]++
	}
	c.mean(repetitions)
	return c, nil
}

// certain reports whether an arm has at least as many passes as any other can come to.
func certain(passes, fails []int, n int) bool {
	for i := range passes {
		sure := true
		for j := range passes {
			sure = sure && (i == j || passes[i] >= n-fails[j])
		}
		if sure {
			return true
		}
	}
	return false
}

// Halving are the characteristics of sequential halving with so many trials in all: each of ⌈log2 K⌉ phases has an
// equal part of them, shared equally by the arms that are left, of which the better half goes on (Karnin, Koren and
// Somekh 2013, algorithm 1: by the trials of the phase alone). They are simulated, as by [Simulate].
func Halving(ctx context.Context, rates []float64, trials, repetitions int, seed uint64) (Characteristics, error) {
	c := Characteristics{Chosen: make([]float64, len(rates)), Repetition: repetitions}
	phases := int(math.Ceil(math.Log2(float64(len(rates)))))
	for run := range repetitions {
		if ctx.Err() != nil {
			return c, context.Cause(ctx)
		}
		random := seeded.Stream(seed, uint64(run))
		left := random.Perm(len(rates))
		for range phases {
			each := trials / (len(left) * phases)
			c.Trials += float64(each * len(left))
			left = betterHalf(random, rates, left, each)
		}
		c.Chosen[left[0]]++
	}
	c.mean(repetitions)
	return c, nil
}

// betterHalf are the arms with the most passes of so many trials, the larger half of them, in the order of their
// passes; ties are drawn by lot.
func betterHalf(random *rand.Rand, rates []float64, left []int, each int) []int {
	passes := make(map[int]int, len(left))
	for _, i := range left {
		for range each {
			if random.Float64() < rates[i] {
				passes[i]++
			}
		}
	}
	random.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	slices.SortStableFunc(left, func(a, b int) int { return passes[b] - passes[a] })
	return left[:(len(left)+1)/2]
}
