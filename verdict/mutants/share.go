package mutants

import "math/bits"

// Share returns the part of a mutant's alpha that the test at a place has, from 0: one half at the first, an eighth at
// each of the next two, a thirty-second at each of the next four, and so on. All of them together are at most 1,
// however many there are, and no share depends on how many follow.
//
// The parts are those of alpha spending over a family that may grow. In blocks that double, tests of one block are
// planned alike: fifty tests have six designs.
func Share(place int) float64 {
	block := bits.Len(uint(place + 1)) // 1, 2, 2, 3, 3, 3, 3, 4, ...
	return 1 / float64(uint64(1)<<(2*block-1))
}

// Levels are the errors of the tests of a campaign.
type Levels struct {
	// Alpha bounds the chance that a mutant which changes nothing is killed, between 0 and 1. It holds for each mutant
	// by itself, or with Family for all of them together.
	Alpha float64 `json:"alpha"`
	// Beta bounds, for each test, the chance that it passes although the rate dropped by Delta.
	Beta float64 `json:"beta"`
	// Delta is the smallest drop of a pass rate that kills.
	Delta float64 `json:"delta"`
	// Family divides Alpha among the mutants.
	Family bool `json:"family,omitempty"`
	// BehaviourKills has a quarter of each mutant's alpha for a change of behaviour, which kills then (the third
	// condition of AgentAssay, Definition 5.6). Without it such a mutant survives, and all of alpha is for the tests.
	BehaviourKills bool `json:"behaviour_kills,omitempty"`
}

// OfMutant is the chance, at most, that one of so many mutants is killed although it changes nothing.
func (l Levels) OfMutant(mutants int) float64 {
	if l.Family {
		return l.Alpha / float64(max(mutants, 1))
	}
	return l.Alpha
}

// OfTest is the alpha of the test at a place, from 0, of one of so many mutants.
func (l Levels) OfTest(place, mutants int) float64 {
	alpha := l.OfMutant(mutants)
	if l.BehaviourKills {
		alpha *= 0.75
	}
	return alpha * Share(place)
}

// OfBehaviour is the level at which the behaviour of one of so many mutants is compared: where a change kills, its part
// of the mutant's alpha.
func (l Levels) OfBehaviour(mutants int) float64 {
	if l.BehaviourKills {
		return l.OfMutant(mutants) / 4
	}
	return l.OfMutant(mutants)
}
