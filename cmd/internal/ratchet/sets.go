package ratchet

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/verdict/improvement"
)

// leastToSplit is how many scenarios are split. Chosen: of fewer no set would be left that says anything.
const leastToSplit = 5

// sets are the scenarios of a session. Who makes attempts sees the search set in full, hears of the held-out set
// nothing but decisions, and of the final set once.
type sets struct {
	search, heldOut, final []suite.Scenario
	seed                   uint64
}

// split splits scenarios by a hash of the seed and of their names: half of them to search, three of ten held out, two
// of ten for the end. A scenario that is added or left out moves few of the others. Fewer than five are in the first
// two sets, all of them.
func split(scenarios []suite.Scenario, seed uint64) sets {
	s := sets{seed: seed}
	if len(scenarios) < leastToSplit {
		s.search, s.heldOut = scenarios, scenarios
		return s
	}
	type draw struct {
		at       uint64
		scenario suite.Scenario
	}
	var list []draw
	for _, c := range scenarios {
		text := binary.BigEndian.AppendUint64([]byte("ratchet set"), seed)
		sum := sha256.Sum256(append(text, c.Name...))
		list = append(list, draw{binary.BigEndian.Uint64(sum[:]), c})
	}
	slices.SortFunc(list, func(a, b draw) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.scenario.Name, b.scenario.Name))
	})
	n := len(list)
	for i, d := range list {
		switch {
		case i < n/2:
			s.search = append(s.search, d.scenario)
		case i < n-n/5:
			s.heldOut = append(s.heldOut, d.scenario)
		default:
			s.final = append(s.final, d.scenario)
		}
	}
	return s
}

// scenarios is how many there are.
func (s sets) scenarios() int {
	if len(s.final) == 0 {
		return len(s.search)
	}
	return len(s.search) + len(s.heldOut) + len(s.final)
}

// summary is what a result says of the sets.
func (s sets) summary() *improvement.Sets {
	h := sha256.New()
	fmt.Fprintf(h, "%d", s.seed)
	for _, list := range [][]suite.Scenario{s.search, s.heldOut, s.final} {
		fmt.Fprintf(h, " %d", len(list))
		for _, c := range list {
			fmt.Fprintf(h, " %q", c.Name)
		}
	}
	return &improvement.Sets{
		Search: len(s.search), HeldOut: len(s.heldOut), Final: len(s.final),
		Digest: "sha256:" + hex.EncodeToString(h.Sum(nil)),
	}
}

// round is what both sides of a pair have: one scenario, drawn with replacement, and which side begins. Drawn at random
// the pairs are alike, as the test assumes.
type round struct {
	scenario        suite.Scenario
	challengerFirst bool
}

// drawRound draws a round of an attempt by its number, whenever that is asked for.
func drawRound(scenarios []suite.Scenario, seed uint64, attempt, number int) round {
	random := rand.New(rand.NewPCG(seed, uint64(attempt)<<32|uint64(number)))
	return round{scenarios[random.IntN(len(scenarios))], random.IntN(2) == 0}
}
