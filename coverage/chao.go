package coverage

// Chao1 estimates how many kinds there are, seen or not, from how many were seen,
// and how many of them once and twice:
//
//	seen + once²/(2·twice),  or  seen + once·(once-1)/2 where twice is 0
//
// It estimates a lower bound of the number of kinds (Chao 1984, Scand. J. Stat. 11; the
// second form is the bias-corrected estimator where twice is 0). AgentAssay uses the
// first in equation 16. Trials are assumed to be independent draws from one mixture. Counts
// that are negative are taken for 0.
func Chao1(seen, once, twice int) float64 {
	s, f1, f2 := float64(max(seen, 0)), float64(max(once, 0)), float64(max(twice, 0))
	if f2 == 0 {
		return s + f1*max(f1-1, 0)/2
	}
	return s + f1*f1/(2*f2)
}

// chao2 estimates how many kinds there are, seen or not, from how many some trials saw, each trial several of them: how
// many kinds were seen in all, and how many of them in one trial and in two:
//
//	seen + (n-1)/n·once²/(2·twice),  or  seen + (n-1)/n·once·(once-1)/2 where twice is 0
//
// It estimates a lower bound of the number of kinds (Chao 1987, Biometrics 43; the second form is the bias-corrected
// estimator where twice is 0). Trials are assumed to be independent draws from one mixture; what a trial sees of one
// kind may depend on what it sees of others. Counts that are negative are taken for 0.
func chao2(trials, seen, once, twice int) float64 {
	if trials <= 0 {
		return float64(max(seen, 0))
	}
	unseen := Chao1(seen, once, twice) - float64(max(seen, 0))
	return float64(max(seen, 0)) + float64(trials-1)/float64(trials)*unseen
}

// Completeness estimates the share of all future draws that fall on kinds already
// seen, from the number of draws so far and how many kinds were seen once and twice
// (Chao and Jost 2012, Ecology 93; where no kind was seen twice, with the
// bias-corrected estimate of the unseen that goes with it). It is 0 without draws, and
// after one, where that form would say 1.
func Completeness(draws, once, twice int) float64 {
	n, f1, f2 := float64(draws), float64(max(once, 0)), float64(max(twice, 0))
	switch {
	case draws <= 0:
		return 0
	case f1 == 0:
		return 1
	case draws == 1:
		return 0 // one draw says nothing of the next: Turing's 1 - f1/n
	}
	share := (n - 1) * f1 / ((n-1)*f1 + 2*f2)
	if f2 == 0 {
		share = (n - 1) * (f1 - 1) / ((n-1)*(f1-1) + 2)
	}
	return min(max(1-f1/n*share, 0), 1)
}
