package keep

import "math"

// What follows decides where a [Question] has Odds, as in results and sessions of earlier versions, and where so few
// pairs may be made that no test on signs keeps its errors.

// byOdds sets the boundaries: a spent level, and a gain that is out of sight by odds.
func (d *Design) byOdds() {
	q := d.question
	if q.Odds == 0 {
		q.Odds = defaultOdds
	}
	share := q.differ()
	most := max(1, min(d.pairs, reached(float64(d.pairs)*share, share)))
	d.keep, d.risk = boundary(most, q.Alpha)
	d.revert = futility(d.pairs, most, q)
}

// defaultOdds are those where signs have no test.
const defaultOdds = 5

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

// futility returns, by pairs and by how many of them broke, the most that may be mended for a challenger to be
// reverted, -1 where none are few enough. Only states with at most so many pairs that differ are looked up.
//
// It reverts where the data are odds times as likely under rates without a gain as under rates with the gain, each the
// likeliest of their kind: a generalised sequential probability ratio, which adapts to how many pairs differ. It is a
// rule of when to stop, and the level does not depend on it.
func futility(pairs, most int, q Question) [][]int {
	needed := -math.Log(q.Odds)
	revert := make([][]int, pairs+1)
	for n := range revert {
		revert[n] = make([]int, most+1)
		mended := -1 // no fewer revert when more broke
		for broke := range revert[n] {
			for broke+mended+1 <= n && profile(n, broke, mended+1, q.Gain)-profile(n, broke, mended+1, 0) <= needed {
				mended++
			}
			revert[n][broke] = mended
		}
	}
	return revert
}

// profile is the largest log likelihood of pairs under rates of which mended less broke is the gain. With x the rate of
// those that break, m log(x+gain) + b log x + a log(1-2x-gain) is largest at the positive root of a quadratic.
func profile(pairs, broke, mended int, gain float64) float64 {
	n, b, m := float64(pairs), float64(broke), float64(mended)
	alike := n - b - m
	p := (m+b)*(1-gain) - 2*gain*(b+alike)
	root := math.Sqrt(p*p + 8*n*b*gain*(1-gain))
	x := math.Max(0, (p+root)/(4*n))
	if n == 0 {
		return 0
	}
	return xlogy(m, x+gain) + xlogy(b, x) + xlogy(alike, 1-2*x-gain)
}

// xlogy is x log y, and 0 where x is.
func xlogy(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}
