package fingerprint

import "math"

// columnFactor multiplies the probability of the largest sum of a column, beside the
// number of columns (Bonferroni), before it is compared with those of T². A larger one
// leaves more of the level to T², a smaller one to a shift of one column alone.
//
// There is no optimum to derive: which is better depends on the shift. Simulated powers
// of the default test for normal columns at level 0.05 (3,000 pairs of samples each,
// 199 permutations, standard error at most 0.009; the same samples for every factor):
//
//	factor                                       1      2      3      5     20
//	any direction, 4 columns, 20 a side        .843   .847   .847   .846   .845
//	any direction, 14 columns, 20 a side       .945   .949   .949   .951   .953
//	one of 4 columns, 20 a side                .686   .663   .650   .641   .639
//	one of 14 columns, 10 a side               .698   .660   .633   .595   .505
//	one of 14 columns, 20 a side               .630   .603   .577   .550   .486
//	no shift, 14 columns, 10 a side            .047   .048   .048   .048   .047
//
// At 2 a shift in any direction loses at most 0.004 against any larger factor, which is
// the error of the simulation, and a shift of one column at most 0.04 against 1. The
// level is that of the permutations whatever the factor is.
const columnFactor = 2

// largestSum is the largest squared sum of a column, in units in which it lies between 0
// and 1, with a reference distribution under permutation. As with a quadratic, no
// p-value is taken from the reference.
type largestSum struct {
	weight          float64
	logMultiplicity float64 // of the number of columns and columnFactor
	tail            tail
}

// newLargest is nil if there is no distribution to refer to. The square of one
// coordinate of a random direction in m dimensions is Beta(1/2, (m-1)/2), exactly so
// for permuted normal numbers; Bonferroni's inequality makes one of all columns.
func newLargest(columns int, spread float64, trials, freedom int) *largestSum {
	if freedom < 2 {
		return nil
	}
	m := float64(freedom)
	return &largestSum{
		weight:          1 / (spread * float64(trials) * m),
		logMultiplicity: math.Log(columnFactor * float64(columns)),
		tail:            newTail(0.5, (m-1)/2),
	}
}

// minusLogP returns minus the logarithm of the tail probability of the largest of the
// sums, times the multiplicity. It is negative if the product exceeds 1.
func (l *largestSum) minusLogP(sums []float64) float64 {
	x := 0.0
	for _, sum := range sums {
		x = max(x, sum*sum)
	}
	return l.tail.minusLogP(l.weight*x) - l.logMultiplicity
}
