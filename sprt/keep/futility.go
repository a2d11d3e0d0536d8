package keep

import "math"

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
