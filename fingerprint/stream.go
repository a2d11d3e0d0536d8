package fingerprint

import "math/rand/v2"

// stream returns the random numbers with a seed and a number. PCG generators whose
// seeds are near each other begin alike, and simulations by them depend on each
// other; so the seeds are scrambled (SplitMix64: Steele, Lea and Flood 2014).
func stream(seed, number uint64) *rand.Rand {
	first := scramble(seed)
	return rand.New(rand.NewPCG(first, scramble(first^scramble(number))))
}

func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
