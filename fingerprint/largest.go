package fingerprint

import "math"

// columnPrice is by how much the probability of the largest sum is multiplied beside
// that for the number of columns, so that T² keeps most of the level: a shift of one
// column among many is so much plainer in its own sum that it can pay for it.
const columnPrice = 2

// largest is the largest squared sum of a column, in units in which it lies between 0
// and 1, with a reference distribution under relabeling. As with a quadratic, no
// p-value is taken from the reference.
type largest struct {
	weight float64
	price  float64 // logarithm
	tail   tail
}

// newLargest is nil if there is no distribution to refer to. The square of one
// coordinate of a random direction in m dimensions is Beta(1/2, (m-1)/2), exactly so
// for relabeled normal numbers; Bonferroni's inequality makes one of all columns.
func newLargest(columns int, spread float64, trials, freedom int) *largest {
	if freedom < 2 {
		return nil
	}
	m := float64(freedom)
	return &largest{
		weight: 1 / (spread * float64(trials) * m),
		price:  math.Log(columnPrice * float64(columns)),
		tail:   newTail(0.5, (m-1)/2),
	}
}

// surprise returns minus the logarithm of the tail probability of the largest of the
// sums, times the price. It is negative if the product exceeds 1.
func (l *largest) surprise(sums []float64) float64 {
	x := 0.0
	for _, sum := range sums {
		x = max(x, sum*sum)
	}
	return l.tail.surprise(l.weight*x) - l.price
}
