package seeded

import "testing"

// The first numbers of SplitMix64 with the seed 1234567, which the authors' program
// prints (also at rosettacode.org, Pseudo-random numbers/Splitmix64).
func TestScrambleIsSplitMix64(t *testing.T) {
	state := uint64(1234567)
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431,
		16408922859458223821} {
		if got := Scramble(state); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
		state += 0x9e3779b97f4a7c15
	}
}

func TestStreamsDiffer(t *testing.T) {
	seen := map[uint64]bool{}
	for seed := range uint64(20) {
		for number := range uint64(20) {
			if x := Stream(seed, number).Uint64(); seen[x] || x != Stream(seed, number).Uint64() {
				t.Errorf("seed %d, number %d: %d", seed, number, x)
			} else {
				seen[x] = true
			}
		}
	}
}
