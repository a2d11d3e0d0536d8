package refdata

import "math/big"

// ExactBinomial returns P(X = k) in exact rational arithmetic, p being the
// binary fraction that the float64 is.
func ExactBinomial(n, k int, p float64) float64 {
	rate := new(big.Rat).SetFloat64(p)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), rate)
	// One fraction, as shortening one after each factor takes long.
	power := func(x *big.Int, n int) *big.Int { return new(big.Int).Exp(x, big.NewInt(int64(n)), nil) }
	above := new(big.Int).Binomial(int64(n), int64(k))
	above.Mul(above, power(rate.Num(), k)).Mul(above, power(rest.Num(), n-k))
	below := power(rate.Denom(), k)
	below.Mul(below, power(rest.Denom(), n-k))
	result := new(big.Rat).SetFrac(above, below)
	value, _ := result.Float64()
	return value
}
