package keep

import "math"

// spendingPower shapes how the level is used: the part of it that k of K pairs may use up is (k/K)^1.5 (Kim and DeMets
// 1987, Biometrika 74:149). Chosen: between the even use of the power 1 and the late one of 2.
const spendingPower = 1.5

// boundary returns, by the number of pairs that differ from 0 to most, the fewest of them mended at which a challenger
// is kept, most+1 where none are enough. The risk is the chance, exact, that one whose pairs that differ are as likely
// to break as to mend ever gets there. Pairs that differ are the information of McNemar's test, so that it does not
// depend on how many pairs there are beside them.
func boundary(most int, alpha float64) (keep []int, risk float64) {
	keep = make([]int, most+1)
	keep[0] = most + 1
	at := make([]float64, most+1) // the chance of so many mended without being kept before
	at[0] = 1
	for k := 1; k <= most; k++ {
		for mended := k; mended > 0; mended-- {
			at[mended] = (at[mended] + at[mended-1]) / 2
		}
		at[0] /= 2
		may := alpha * math.Pow(float64(k)/float64(most), spendingPower)
		keep[k] = most + 1
		for mended := k; 2*mended > k && risk+at[mended] <= may; mended-- {
			risk += at[mended]
			at[mended] = 0
			keep[k] = mended
		}
	}
	return keep, risk
}
