package stratified

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/sprt"
)

// Sides say what the candidate is compared with.
type Sides uint8

// What a candidate may be compared with. The zero value is a threshold.
const (
	Threshold  Sides = iota
	SideBySide       // a baseline that is run beside it: a round tries both on every scenario, independently
	Matched          // the same where both trials of a pair may depend on each other, such as by a common seed
	Stored           // a baseline whose trials were recorded before
)

var sides = enum.Of[Sides]("sides", "threshold", "side-by-side", "matched", "stored")

// Paired reports whether a baseline is run beside the candidate, a trial of each in every pair.
func (s Sides) Paired() bool { return s == SideBySide || s == Matched }

// String returns such as "side-by-side".
func (s Sides) String() string { return sides.String(s) }

// MarshalText writes the name.
func (s Sides) MarshalText() ([]byte, error) { return sides.MarshalText(s) }

// UnmarshalText reads a name.
func (s *Sides) UnmarshalText(text []byte) error { return sides.UnmarshalText(text, s) }

// Floor is what no scenario may fall to, whatever the mean does. H0 says that the pass rate is From or more, H1 that it
// is To or less. Between the two nothing is promised.
type Floor struct {
	From float64 `json:"from"`
	To   float64 `json:"to"`
}

// Question is what is asked of a suite of scenarios. Its zero value has the defaults, but for Scenarios.
type Question struct {
	Sides     Sides   `json:"sides"`
	Scenarios int     `json:"scenarios"` // from 1 to 300
	Threshold float64 `json:"threshold"` // of the mean pass rate; 0: 0.9; not used against a baseline
	Delta     float64 `json:"delta"`     // the smallest drop of the mean that matters; 0: 0.1
	Alpha     float64 `json:"alpha"`     // bounds a false Fail; 0: 0.05
	Beta      float64 `json:"beta"`      // bounds a false Pass; 0: 0.1
	// Floor is that of every scenario without one of its own; zero: from 0.7 to 0.3. Against a baseline only To is
	// used: 1 - To is the smallest loss of a scenario that is a collapse, whatever the baseline's rate.
	Floor Floor `json:"floor"`
	// Own are scenarios with a floor of their own, by index: a critical scenario has one from 0.9 to 0.8, say, and
	// goes on until it is decided. They share a fifth of Alpha.
	Own map[int]Floor `json:"own,omitempty"`
	// Weights are the trials of each scenario in a round, and so its part of the mean; nil: 1 each.
	Weights []int `json:"weights,omitempty"`
	// MaxRounds ends the mean test; 0: against a threshold one and a half times a fixed sample, side by side 1,000
	// pairs, and where Anytime is set 2,000 rounds. Against a stored baseline it is the recorded trials of a scenario
	// for each trial in a round, and must be given.
	MaxRounds int `json:"max_rounds"`
	// Anytime decides the mean by betting, where the number of rounds is not known beforehand. It is for a threshold.
	Anytime bool `json:"anytime,omitempty"`
}

// Bounds of what is computed; chosen.
const (
	mostTrials = 300 // of a round
	mostRounds = 2000
)

// complete returns the question with its defaults.
func (q Question) complete() Question {
	for _, x := range []struct {
		value *float64
		usual float64
	}{{&q.Threshold, 0.9}, {&q.Delta, 0.1}, {&q.Alpha, 0.05}, {&q.Beta, 0.1}, {&q.Floor.From, 0.7}, {&q.Floor.To, 0.3}} {
		if *x.value == 0 {
			*x.value = x.usual
		}
	}
	if q.MaxRounds == 0 {
		q.MaxRounds = q.usualRounds()
	}
	return q
}

// usualRounds is the default of MaxRounds; 0 where there is none.
func (q Question) usualRounds() int {
	trials := 1000.0
	switch {
	case q.Anytime:
		return mostRounds
	case q.Sides == Stored:
		return 0
	case q.Sides == Threshold:
		fixed, ok := q.hypotheses().FixedSample()
		if !ok {
			return 0
		}
		trials = 1.5 * float64(fixed.Trials)
	}
	return max(2, int(math.Ceil(trials/float64(max(q.Round(), 1)))))
}

// hypotheses are those of the mean against a threshold.
func (q Question) hypotheses() sprt.Hypotheses {
	return sprt.Hypotheses{Threshold: q.Threshold, Delta: q.Delta, Alpha: q.Alpha, Beta: q.Beta}
}

// Weight is the number of trials of a scenario in a round.
func (q Question) Weight(i int) int {
	if q.Weights == nil {
		return 1
	}
	return q.Weights[i]
}

// Lower is the largest mean that is too low, against a threshold.
func (q Question) Lower() float64 { return q.hypotheses().Lower() }

// Round is the number of trials of the candidate in a round.
func (q Question) Round() (sum int) {
	if q.Weights == nil {
		return q.Scenarios
	}
	for _, w := range q.Weights {
		sum += w
	}
	return sum
}

// FloorOf is that of a scenario.
func (q Question) FloorOf(i int) Floor {
	if own, ok := q.Own[i]; ok {
		return own
	}
	return q.Floor
}

// check refuses what cannot be asked. The question has its defaults.
func (q Question) check() error {
	wrong := func(field string, value int, problem string) error {
		return &sprt.HypothesesError{Field: field, Value: float64(value), Problem: problem}
	}
	if q.Scenarios < 1 || q.Scenarios > mostTrials {
		return wrong("the number of scenarios", q.Scenarios, fmt.Sprintf("must be from 1 to %d", mostTrials))
	}
	if q.Weights != nil && len(q.Weights) != q.Scenarios {
		return wrong("the number of weights", len(q.Weights), fmt.Sprintf("must be that of scenarios, %d", q.Scenarios))
	}
	for _, w := range q.Weights {
		if w < 1 || w > mostTrials {
			return wrong("weight", w, fmt.Sprintf("must be from 1 to %d", mostTrials))
		}
	}
	if q.Round() > mostTrials {
		return wrong("the sum of weights", q.Round(), fmt.Sprintf("must be at most %d", mostTrials))
	}
	if q.Sides > Stored {
		return wrong("sides", int(q.Sides), "are none that there are")
	}
	if err := q.hypotheses().Validate(); err != nil {
		return err
	}
	if q.MaxRounds < 1 || q.MaxRounds > mostRounds {
		return wrong("max rounds", q.MaxRounds, fmt.Sprintf("must be from 1 to %d", mostRounds))
	}
	if q.Anytime && q.Sides != Threshold {
		return wrong("anytime with sides", int(q.Sides), "is not needed: against a baseline every analysis is allowed")
	}
	return q.checkFloors()
}

// checkFloors is check of the floors.
func (q Question) checkFloors() error {
	for i, own := range q.Own {
		wrong := &sprt.HypothesesError{Field: "own floor of scenario", Value: float64(i)}
		if i < 0 || i >= q.Scenarios {
			wrong.Problem = "is of none that there is"
			return wrong
		}
		if q.Sides != Threshold {
			wrong.Problem = "is against a threshold alone"
			return wrong
		}
		if err := own.check(); err != nil {
			return err
		}
	}
	if q.Sides == Threshold && q.Floor.From > q.Threshold {
		return &sprt.HypothesesError{Field: "floor from", Value: q.Floor.From,
			Problem: fmt.Sprintf("must be at most the threshold of the mean, %v", q.Threshold)}
	}
	return q.Floor.check()
}

// check refuses rates that cannot be told apart.
func (f Floor) check() error {
	if !(f.To > 0 && f.To < f.From && f.From < 1) {
		return &sprt.HypothesesError{Field: "floor from", Value: f.From,
			Problem: fmt.Sprintf("must be below 1 and above its other rate, which is above 0: not %v", f.To)}
	}
	return nil
}
