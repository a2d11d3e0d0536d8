package twophase

import (
	"fmt"
	"math"

	"github.com/tribunal-dev/tribunal/stats"
)

// Sample is a two-phase sample: trials that a judge judged, and labels of some of them by a person, drawn at random
// among the judge's passes and among its failures. Trials are independent, with one rate or with that mean.
type Sample struct {
	Judged    int          // trials that the judge judged, those with labels among them
	Passed    int          // of them that the judge passed
	OfPassed  stats.Counts // labels of trials that the judge passed: Passes are those that the person passed too
	OfFailed  stats.Counts // labels of trials that the judge failed: Passes are those that the person passed
	allocated bool         // the labels are divided as Allocate divides them
}

// Most judged trials and labels for which the exact computations are made: beyond them they would take minutes.
// Both are chosen.
const (
	MostJudged = 100_000
	MostLabels = 2000
)

// Validate returns an [stats.ArgumentError] unless the counts fit each other, and every kind of judged trials that is
// there has a label.
func (s Sample) Validate() error {
	refuse := func(argument string, value any, problem string) error {
		return &stats.ArgumentError{Argument: argument, Value: value, Problem: problem}
	}
	if err := s.OfPassed.Validate(); err != nil {
		return fmt.Errorf("labels of the judge's passes: %w", err)
	}
	if err := s.OfFailed.Validate(); err != nil {
		return fmt.Errorf("labels of the judge's failures: %w", err)
	}
	switch {
	case s.Judged < 1 || s.Judged > MostJudged:
		return refuse("judged", s.Judged, fmt.Sprintf("must lie from 1 to %d", MostJudged))
	case s.Passed < 0 || s.Passed > s.Judged:
		return refuse("passed", s.Passed, "must lie from 0 to the number of judged trials")
	case s.OfPassed.Trials > s.Passed:
		return refuse("labels", s.OfPassed.Trials, "are more than the judge passed")
	case s.OfFailed.Trials > s.Judged-s.Passed:
		return refuse("labels", s.OfFailed.Trials, "are more than the judge failed")
	case s.Labels() > MostLabels:
		return refuse("labels", s.Labels(), fmt.Sprintf("must be at most %d", MostLabels))
	case s.Passed > 0 && s.OfPassed.Trials == 0:
		return refuse("labels", 0, "of what the judge passed: at least one is needed")
	case s.Passed < s.Judged && s.OfFailed.Trials == 0:
		return refuse("labels", 0, "of what the judge failed: at least one is needed")
	}
	return nil
}

// Labels is how many labels there are.
func (s Sample) Labels() int { return s.OfPassed.Trials + s.OfFailed.Trials }

// Rate is the estimate of the true pass rate, m·PPV + (1-m)·FOR: m is the judge's share of passes, PPV the share of
// them that are right, and FOR the share of its failures that are not (Tenenbein 1970, JASA 65:1350).
func (s Sample) Rate() float64 {
	m := float64(s.Passed) / float64(s.Judged)
	rate := 0.0
	if s.OfPassed.Trials > 0 {
		rate += m * s.OfPassed.Rate()
	}
	if s.OfFailed.Trials > 0 {
		rate += (1 - m) * s.OfFailed.Rate()
	}
	return rate
}

// mirrored is the sample of which fails are passes: what is shown of its rate from below holds of 1 minus the rate.
func (s Sample) mirrored() Sample {
	s.OfPassed.Passes, s.OfFailed.Passes = s.OfPassed.Fails(), s.OfFailed.Fails()
	return s
}

// leastShare of the labels goes to the rarer verdict of the judge. It is chosen: of 50 labels of 550 trials at a rate
// of .9 and a judge that is right in .95, a fifth finds most often that the rate is above .8 (.932; a quarter .926,
// a half .86).
const leastShare = 0.2

// Allocate divides labels over the judge's passes and failures: in their shares, but a fifth to the rarer at least,
// and no more than there are.
func Allocate(labels, judged, passed int) (ofPassed, ofFailed int) {
	failed := judged - passed
	labels = min(labels, judged)
	share := math.Min(math.Max(float64(failed)/float64(judged), leastShare), 1-leastShare)
	ofFailed = min(int(math.Ceil(share*float64(labels)-1e-9)), failed)
	ofPassed = min(labels-ofFailed, passed)
	return ofPassed, min(labels-ofPassed, failed)
}

// at returns the numbers of labels that the same plan would have drawn, had the judge passed so many.
func (s Sample) at(passed int) (ofPassed, ofFailed int) {
	if s.allocated {
		return Allocate(s.Labels(), s.Judged, passed)
	}
	ofFailed = min(s.OfFailed.Trials, s.Judged-passed)
	ofPassed = min(s.Labels()-ofFailed, passed)
	return ofPassed, min(s.Labels()-ofPassed, s.Judged-passed)
}

// planned notes whether the labels are as Allocate divides them.
func (s Sample) planned() Sample {
	ofPassed, ofFailed := Allocate(s.Labels(), s.Judged, s.Passed)
	s.allocated = ofPassed == s.OfPassed.Trials && ofFailed == s.OfFailed.Trials
	return s
}
