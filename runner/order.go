package runner

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"
)

// derive returns 64 bits that depend on the seed of the run, a purpose, a name and a
// number, and on nothing else: not on when or in which session they are asked for.
func derive(seed uint64, purpose, name string, number int) uint64 {
	text := binary.BigEndian.AppendUint64(nil, seed)
	text = binary.BigEndian.AppendUint64(text, uint64(number))
	text = append(append(append(text, purpose...), 0), name...)
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:])
}

// trialSeed returns the seed of a trial, below 2^53: a number of JSON that every language
// reads exactly.
func trialSeed(seed uint64, scenario string, number int) uint64 {
	return derive(seed, "trial", scenario, number) >> 11
}

// rounds hands out 0 to n-1 again and again, each round in a random order. Every test, or
// scenario, has its turn once a round, so that none waits long, and no order that the
// suite lists them in can favour one.
type rounds struct {
	random *rand.Rand
	round  []int // 0 to n-1 in the order of this round
	next   int   // place in the round
}

// newRounds begins rounds whose order follows from the seed and from what they are for.
func newRounds(seed uint64, purpose, name string, n int) *rounds {
	r := &rounds{random: rand.New(rand.NewPCG(seed, derive(seed, purpose, name, 0))), round: make([]int, n)}
	for i := range r.round {
		r.round[i] = i
	}
	r.next = n
	return r
}

// take returns the next number, of a new round where the last one is over.
func (r *rounds) take() int {
	if r.next == len(r.round) {
		r.random.Shuffle(len(r.round), func(i, j int) {
			r.round[i], r.round[j] = r.round[j], r.round[i]
		})
		r.next = 0
	}
	r.next++
	return r.round[r.next-1]
}
