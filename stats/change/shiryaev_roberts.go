package change

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
	"github.com/tribunal-dev/tribunal/stats"
)

// DefaultRunLength is the average run length that is promised unless something else is asked for, in trials. With it
// a drop from 90 % to 80 % is found after about 100 trials.
const DefaultRunLength = 5000

// The mixture is over so many drops, whose odds of failing are those of the baseline times e to these powers, evenly:
// 1.4 to 12. They are chosen by simulation: fewer lose where the drop lies between two, and more spread the weight.
const (
	drops        = 12
	smallestDrop = 0.35
	largestDrop  = 2.5
)

// ShiryaevRoberts watches pass/fail trials for a pass rate below a baseline: the mixture Shiryaev-Roberts e-detector
// (Shin, Ramdas and Rinaldo 2023, "E-detectors", arXiv 2203.03532). For each of twelve drops it adds up, over all
// trials at which the change may have come, the likelihood ratio of the drop to the baseline since then; the evidence
// is the mean over the drops.
//
// H0: after any trials before it, a trial passes with a probability of at least the baseline. Then the expectation of
// the evidence at any time that is chosen by looking at the trials is at most the expected number of trials until then:
// the first time at which it reaches A comes after A trials on average, at least. Nothing else is assumed; trials need
// not be independent, and rates may rise. A rate that falls and stays above the baseline is no change.
//
// It takes constant time and memory for each trial. The zero value cannot be used.
type ShiryaevRoberts struct {
	baseline   float64
	pass, fail [drops]float64 // likelihood ratios of an outcome
	sums       [drops]float64 // parts of the evidence
	recent     trialRing      // 1 for a pass, 0 for a failure
}

// NewShiryaevRoberts returns a detector without trials. The baseline lies strictly between 0 and 1. Of a recorded
// baseline it is a lower limit, see [LowerLimit], never the observed rate.
func NewShiryaevRoberts(baseline float64) (*ShiryaevRoberts, error) {
	if !(baseline > 0 && baseline < 1) {
		return nil, argument.Wrong("baseline", baseline, "must lie strictly between 0 and 1")
	}
	d := &ShiryaevRoberts{baseline: baseline}
	for i := range drops {
		factor := math.Exp(smallestDrop + (largestDrop-smallestDrop)*float64(i)/(drops-1))
		// The rates of the drop are (1-b)·factor and b, divided by their sum.
		sum := (1-baseline)*factor + baseline
		d.fail[i], d.pass[i] = factor/sum, 1/sum
	}
	return d, nil
}

// Add takes one more trial in and returns the evidence after it.
func (d *ShiryaevRoberts) Add(pass bool) float64 {
	ratio, outcome := &d.fail, 0.0
	if pass {
		ratio, outcome = &d.pass, 1
	}
	d.recent.add(outcome)
	evidence := 0.0
	for i := range d.sums {
		d.sums[i] = min((d.sums[i]+1.0/drops)*ratio[i], mostEvidence)
		evidence += d.sums[i]
	}
	return evidence
}

// mostEvidence keeps sums finite where a caller goes on after any alarm that could be asked for. Less evidence
// promises no less.
const mostEvidence = 1e300

// Evidence returns the evidence after the trials so far, 0 before the first.
func (d *ShiryaevRoberts) Evidence() float64 {
	evidence := 0.0
	for _, x := range d.sums {
		evidence += x
	}
	return evidence
}

// Baseline returns the pass rate that it was made with.
func (d *ShiryaevRoberts) Baseline() float64 { return d.baseline }

// Trials returns the number of trials taken in.
func (d *ShiryaevRoberts) Trials() int { return d.recent.count }

// Onset says when the change came that the last trials show, see [Onset].
func (d *ShiryaevRoberts) Onset(alpha float64) (Onset, error) {
	return d.recent.onset(alpha, drops, func(outcome float64, i int) float64 {
		if outcome == 1 {
			return d.pass[i]
		}
		return d.fail[i]
	})
}

// LowerLimit returns the baseline of a detector for a recorded baseline of fixed size: the one-sided limit of Clopper
// and Pearson (1934) below which its pass rate lies with a probability of gamma at most. A detector that takes it for
// its baseline keeps its run length wherever the true rate is at or above it: but for baselines that were lucky, of
// which there are a share gamma at most. With the observed rate in its place half of all baselines would be.
func LowerLimit(recorded stats.Counts, gamma float64) (float64, error) {
	if !(gamma > 0 && gamma < 0.5) {
		return 0, argument.Wrong("gamma", gamma, "must lie strictly between 0 and 0.5")
	}
	interval, err := stats.ClopperPearson(recorded, 2*gamma)
	if err != nil {
		return 0, err
	}
	if recorded.Passes == 0 {
		return 0, argument.Wrong("passes", 0, "leave no pass rate to fall from")
	}
	return interval.Low, nil
}

// shiryaevRobertsState is what a detector is stored as.
type shiryaevRobertsState struct {
	Baseline float64   `json:"baseline"`
	Sums     []float64 `json:"sums"`
	Recent   trialRing `json:"recent"`
}

// MarshalJSON writes all that it needs to go on.
func (d *ShiryaevRoberts) MarshalJSON() ([]byte, error) {
	return json.Marshal(shiryaevRobertsState{d.baseline, d.sums[:], d.recent})
}

// UnmarshalJSON reads a detector that was stored. What cannot have been is an error.
func (d *ShiryaevRoberts) UnmarshalJSON(text []byte) error {
	var s shiryaevRobertsState
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	read, err := NewShiryaevRoberts(s.Baseline)
	if err != nil {
		return err
	}
	if err := checkSums(s.Sums, drops); err != nil {
		return err
	}
	for _, x := range s.Recent.values {
		if x != 0 && x != 1 {
			return errState
		}
	}
	copy(read.sums[:], s.Sums)
	read.recent = s.Recent
	*d = *read
	return nil
}

var errState = errors.New("is no stored detector of this version")

// checkSums refuses sums that no detector has.
func checkSums(sums []float64, want int) error {
	if len(sums) != want {
		return fmt.Errorf("%w: %d sums, not %d", errState, len(sums), want)
	}
	for _, x := range sums {
		if !(x >= 0 && x <= mostEvidence) {
			return fmt.Errorf("%w: sum %v", errState, x)
		}
	}
	return nil
}
