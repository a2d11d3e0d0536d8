package verify

import (
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/internal/follow"
)

// Follower compares a result, or a side of it, with its trials, which are read again one by one.
type Follower interface {
	// Add takes a trial. It is not kept.
	Add(t *trial.Trial)
	// Finish returns what was compared, for a person, or an error that names the first difference.
	Finish() (compared string, err error)
}

// Sides are the sides of a result whose trials can be read again, by their names; one without a name is all of the
// result, and none is of a kind of result that does not follow from recordings alone.
func Sides(r verdict.Result) []string {
	switch r.(type) {
	case *compare.Result:
		return []string{"baseline", "candidate"}
	case *verdict.ThresholdResult:
		return []string{""}
	}
	return nil
}

// Variant is the name of a side of a result: that of a variant, or of the file that had none.
func Variant(r verdict.Result, side int) string {
	if c, ok := r.(*compare.Result); ok {
		return [2]string{c.Baseline.Name, c.Candidate.Name}[side]
	}
	return ""
}

// Follow starts to compare a side of a result, by its place among [Sides], with its trials. The error is a
// [verdict.DifferenceError] of a result that cannot be one.
func Follow(r verdict.Result, side int) (Follower, error) {
	switch r := r.(type) {
	case *compare.Result:
		return r.Follow(side)
	case *verdict.ThresholdResult:
		return &rates{result: r}, nil
	}
	return nil, verdict.ErrNoOutcomes
}

// rates follows a verdict on rates, which holds the counts of its scenarios and what all trials cost.
type rates struct {
	result *verdict.ThresholdResult
	read   verdict.Tallies
}

// Add counts a trial.
func (f *rates) Add(t *trial.Trial) { f.read.Add(t) }

// Finish compares counts and costs.
func (f *rates) Finish() (string, error) {
	var judged []verdict.Tally
	for _, s := range f.result.Scenarios {
		t := verdict.Tally{Scenario: s.Name, Passes: s.Passes, Fails: s.Trials - s.Passes, Errors: s.Errors, Unrun: s.Unrun}
		if f.result.Errors == verdict.FailErrors {
			t.Fails -= s.Errors // which are among the trials that are shown
		}
		judged = append(judged, t)
	}
	if err := follow.Counts(judged, f.read.List(), false); err != nil {
		return "", err
	}
	all := verdict.Pool("", f.read.List())
	text := fmt.Sprintf("the counts of %s by scenario", prose.Count(all.Passes+all.Fails+all.Errors, "trial"))
	r := f.result.Reliability
	// Estimates follow from a table of prices.
	if r == nil || r.Cost == nil || r.Cost.EstimatedTrials > 0 || all.Cost.Estimated > 0 {
		return text, nil
	}
	if all.Cost.Known != r.Cost.KnownTrials || !follow.Close(all.Cost.TotalUSD, r.Cost.TotalUSD) {
		return "", &follow.DifferenceError{Text: fmt.Sprintf("%s with a cost came to $%v, and %d to $%v were judged",
			prose.Count(all.Cost.Known, "trial"), all.Cost.TotalUSD, r.Cost.KnownTrials, r.Cost.TotalUSD)}
	}
	return text + ", and what they cost", nil
}
