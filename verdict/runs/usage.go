package runs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
)

// addUsage adds up what the trials took, of each test and of all: those that ended, overrun too, since they were paid
// for.
func (r *Result) addUsage(e Evidence) {
	var all, beside usage.Sum
	for i, t := range e.Tests {
		var one usage.Sum
		for _, x := range t.all {
			switch {
			case x.Trial == nil:
			case x.Baseline:
				x.took(&beside)
			default:
				x.took(&one)
				x.took(&all)
			}
		}
		r.Tests[i].Usage = telling(&one)
	}
	r.Usage, r.BaselineUsage = telling(&all), telling(&beside)
}

// took counts a trial, with what all of its attempts cost.
func (x TrialEvidence) took(sum *usage.Sum) {
	sum.Add(x.usage(), x.CostUSD, x.basis())
}

// usage is what the trial took of each model.
func (x TrialEvidence) usage() usage.Trial {
	if x.Usage != nil {
		return *x.Usage
	}
	return usage.Of(x.Trial)
}

// telling is nil where no trial tells anything, not even a model.
func telling(sum *usage.Sum) *usage.Usage {
	u := sum.Usage()
	if u == nil || u.Known == (usage.KnownCounts{}) && u.Names() == nil {
		return nil
	}
	return u
}

// usagePaths are the parts that are taken as they are where not all trials are listed.
var usagePaths = []string{"usage", "baseline_usage", "scenarios.usage"}

// hasUsage reports whether the result says what its trials took: those of earlier versions do not.
func (r *Result) hasUsage() bool {
	return r.Usage != nil || r.BaselineUsage != nil ||
		slices.ContainsFunc(r.Tests, func(t Test) bool { return t.Usage != nil })
}

// checkUsage compares a usage that is taken as it is with what else the result says: the rows add up, the tests are the
// whole, and the costs are those of the reliability.
func (r *Result) checkUsage() error {
	trials, sum := 0, usage.KnownCounts{}
	for i := range r.Tests {
		u, path := r.Tests[i].Usage, fmt.Sprintf("scenarios[%d].usage", i)
		if err := verdict.CheckUsage(path, u, nil); err != nil {
			return err
		}
		if u == nil {
			continue
		}
		if ended := len(r.Tests[i].Outcomes) - strings.Count(r.Tests[i].Outcomes, "."); u.Trials != ended {
			return &verdict.DifferenceError{Path: path + ".trials", Have: fmt.Sprint(u.Trials), Want: fmt.Sprint(ended)}
		}
		trials, sum = trials+u.Trials, sum.Plus(u.Known)
	}
	if u := r.Usage; u != nil && (sum != u.Known || trials > u.Trials) {
		return &verdict.DifferenceError{
			Path: "usage.known_trials", Have: fmt.Sprintf("%+v of %d", u.Known, u.Trials),
			Want: fmt.Sprintf("%+v of %d, the sum of its scenarios", sum, trials),
		}
	}
	if err := verdict.CheckUsage("usage", r.Usage, r.Reliability.Cost); err != nil {
		return err
	}
	return verdict.CheckUsage("baseline_usage", r.BaselineUsage, nil)
}

// takeShares gives a trial of the evidence what is listed of its models.
func (r Trial) takeShares(x *TrialEvidence) error {
	for _, s := range r.Models {
		if problem := s.Problem(); problem != "" {
			return &verdict.DifferenceError{Path: "trials.models", Have: problem, Want: "an amount"}
		}
	}
	x.Usage = new(usage.OfShares(r.Models))
	return nil
}
