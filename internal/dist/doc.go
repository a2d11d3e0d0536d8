// Package dist holds distributions: their probabilities, tails and quantiles. Every
// tail keeps its relative precision, however small it is, because it is computed
// itself and never as 1 minus the other.
//
//	p := dist.Binomial{N: 100, P: 0.9}.CDF(80) // P(at most 80 of 100 pass)
//	z := dist.NormalUpperQuantile(0.025)       // 1.96
//
// Nothing panics: outside its parameters a function returns NaN.
package dist
