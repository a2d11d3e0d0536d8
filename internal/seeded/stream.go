// Package seeded makes random numbers that follow from a seed.
package seeded

import (
	"encoding/binary"
	"math/rand/v2"
)

// Stream returns the random numbers with a seed and a number, such as that of a run.
// PCG generators whose seeds are near each other begin alike, and simulations by them
// depend on each other; so the seeds are scrambled.
func Stream(seed, number uint64) *rand.Rand {
	first := Scramble(seed)
	return rand.New(rand.NewPCG(first, Scramble(first^Scramble(number))))
}

// Scramble is one step of the generator SplitMix64 (Steele, Lea and Flood 2014).
func Scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Text mixes a text into a hash, eight bytes at a time. It tells texts apart that nobody chose to collide.
func Text[T ~string | ~[]byte](h uint64, text T) uint64 {
	h ^= uint64(len(text))
	for len(text) > 0 {
		var eight [8]byte
		text = text[copy(eight[:], text):]
		h = Scramble(h ^ binary.LittleEndian.Uint64(eight[:]))
	}
	return Scramble(h)
}
