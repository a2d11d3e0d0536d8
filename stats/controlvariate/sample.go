package controlvariate

import (
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
)

// ErrTooFewPairs is returned where a stratum has fewer than two pairs on a side, as nothing is then known of how far
// they vary.
var ErrTooFewPairs = errors.New("two pairs or more of each scenario are needed on each side")

// Sample is what was tried of one stratum on one side.
type Sample struct {
	BothPass      int `json:"both_pass"`      // pairs in which the target and the proxy pass
	TargetOnly    int `json:"target_only"`    // pairs in which the target passes, and the proxy fails
	ProxyOnly     int `json:"proxy_only"`     // pairs in which the proxy passes, and the target fails
	BothFail      int `json:"both_fail"`      // pairs in which both fail
	Further       int `json:"further"`        // trials of the proxy alone
	FurtherPasses int `json:"further_passes"` // of them
}

// Pairs is the number of pairs.
func (s Sample) Pairs() int { return s.BothPass + s.TargetOnly + s.ProxyOnly + s.BothFail }

// Target counts the target's trials.
func (s Sample) Target() stats.Counts {
	return stats.Counts{Passes: s.BothPass + s.TargetOnly, Trials: s.Pairs()}
}

// Proxy counts all trials of the proxy, in pairs and not.
func (s Sample) Proxy() stats.Counts {
	return stats.Counts{Passes: s.BothPass + s.ProxyOnly + s.FurtherPasses, Trials: s.Pairs() + s.Further}
}

// Add puts the trials of another sample to these.
func (s *Sample) Add(other Sample) {
	s.BothPass += other.BothPass
	s.TargetOnly += other.TargetOnly
	s.ProxyOnly += other.ProxyOnly
	s.BothFail += other.BothFail
	s.Further += other.Further
	s.FurtherPasses += other.FurtherPasses
}

// most bounds the trials of a sample, so that no sum of products of them leaves the integers of 53 bits.
const most = 1_000_000

// validate refuses counts that cannot be.
func (s Sample) validate() error {
	for _, n := range []int{s.BothPass, s.TargetOnly, s.ProxyOnly, s.BothFail} {
		if n < 0 || n > most {
			return &stats.ArgumentError{Argument: "pairs", Value: n, Problem: fmt.Sprintf("must lie between 0 and %d", most)}
		}
	}
	if s.Further > most {
		return &stats.ArgumentError{Argument: "further", Value: s.Further, Problem: fmt.Sprintf("must be at most %d", most)}
	}
	return stats.Counts{Passes: s.FurtherPasses, Trials: s.Further}.Validate()
}
