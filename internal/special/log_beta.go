package special

import "math"

// LogBeta returns log B(a,b) = log Γ(a) + log Γ(b) - log Γ(a+b) for finite a, b > 0,
// from the kernel at the mean a/(a+b), where nothing cancels.
func LogBeta(a, b float64) float64 {
	if a > b {
		a, b = b, a
	}
	n := a + b
	return a*math.Log(a/n) + b*math.Log1p(-a/n) - LogBetaKernel(a, b, a/n, b/n)
}

// LogChoose returns log C(n,k), the logarithm of the number of ways to choose k of n,
// for 0 <= k <= n: C(n,k) = 1/((n+1) B(n-k+1, k+1)).
func LogChoose(n, k float64) float64 {
	if k == 0 || k == n {
		return 0
	}
	return -math.Log(n+1) - LogBeta(n-k+1, k+1)
}
