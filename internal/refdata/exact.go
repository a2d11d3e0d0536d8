package refdata

import "math/big"

// ExactBinomial returns P(X = k) in exact rational arithmetic, p being the
// binary fraction that the float64 is.
func ExactBinomial(n, k int, p float64) float64 {
	rate := new(big.Rat).SetFloat64(p)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), rate)
	result := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
	for range k {
		result.Mul(result, rate)
	}
	for range n - k {
		result.Mul(result, rest)
	}
	value, _ := result.Float64()
	return value
}
