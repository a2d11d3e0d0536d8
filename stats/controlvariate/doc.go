// Package controlvariate asks what trials of a cheap proxy say of an expensive target: an estimate of the target's pass
// rate from few trials of it and many of the proxy, the difference of two such estimates and its test, and what is
// saved by it.
//
// Some trials are pairs: the target and the proxy tried the same. Others are of the proxy alone. The mean of the target
// is corrected by how far the proxy's mean over the pairs is from its mean over all its trials, times a coefficient
// (Lavenberg and Welch 1981, Management Science 27:322). A change of the proxy alone moves both of its means, and not
// the estimate.
//
//	allocation, err := controlvariate.Split(0.8, 0.1) // correlation, price of a proxy trial over that of the target's
//	result, err := controlvariate.Compare(ctx, strata, controlvariate.Options{Delta: 0.1, Alpha: 0.05, Seed: 1})
package controlvariate
