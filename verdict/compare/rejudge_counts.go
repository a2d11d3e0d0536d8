package compare

import (
	"context"
	"fmt"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// verifyPairs recomputes the tests of pairs from the table of pairs. A comparison that
// was decided by pairs and does not list its trials still holds their table, which is all
// that these tests need.
func (r *Result) verifyPairs(ctx context.Context) error {
	p := r.Pairs
	if _, there := r.Tests.Of(r.DecidedBy); p == nil || !there {
		return &verdict.DifferenceError{Path: "pairs", Have: "absent", Want: "the pairs that decided"}
	}
	if sum := p.BothPass + p.Regressed + p.Fixed + p.BothFail; sum != p.Pairs {
		return &verdict.DifferenceError{Path: "pairs.pairs", Have: fmt.Sprint(p.Pairs), Want: fmt.Sprint(sum)}
	}
	if sum := len(p.Flips) + p.Omitted; r.Edition >= shortOfMany && sum != p.Regressed+p.Fixed {
		return &verdict.DifferenceError{Path: "pairs.flips_omitted", Have: fmt.Sprint(p.Omitted),
			Want: fmt.Sprint(p.Regressed + p.Fixed - len(p.Flips))}
	}
	if err := p.checkSides(r); err != nil {
		return err
	}
	table := p.table()
	// The other tests are compared with those of the recomputed comparison.
	for _, have := range r.Tests.Rates {
		if !have.Test.Paired() {
			continue
		}
		again, err := have.Test.P(ctx, stats.Table{Baseline: table.Baseline(), Candidate: table.Candidate(),
			Pairs: &table})
		if err != nil {
			return err
		}
		if err := new(recheck.Walk).Compare(&have, &TestOfRates{have.Test, again}); err != nil {
			return recheck.Within("tests."+have.Test.String(), err)
		}
	}
	return nil
}

// checkSides refuses a table that cannot be one of the trials of both sides.
func (f *FlipTable) checkSides(r *Result) error {
	for _, side := range []struct {
		figures          Side
		passes, unpaired int
		path             string
	}{
		{r.Baseline, f.BothPass + f.Regressed, f.UnpairedBaseline, "pairs.unpaired_baseline"},
		{r.Candidate, f.BothPass + f.Fixed, f.UnpairedCandidate, "pairs.unpaired_candidate"},
	} {
		trials := side.figures.Trials
		if r.Errors != verdict.FailErrors {
			trials += side.figures.Errors
		}
		if want := trials - f.Pairs - f.WithErrors; side.unpaired != want || want < 0 {
			return &verdict.DifferenceError{Path: side.path, Have: fmt.Sprint(side.unpaired), Want: fmt.Sprint(want)}
		}
		// What passed is of a pair, or has no partner, or one that ended in an error.
		if more := side.figures.Passes - side.passes; more < 0 || more > side.unpaired+f.WithErrors {
			return &verdict.DifferenceError{Path: "pairs.both_pass", Have: fmt.Sprintf("%d passes in pairs", side.passes),
				Want: fmt.Sprintf("those of the %d that passed", side.figures.Passes)}
		}
	}
	return nil
}

// recordings are the counts of the scenarios, or of the sides where there are none: a
// comparison of a single scenario lists no scenarios. It returns a
// [verdict.DifferenceError] for numbers that cannot be counts of trials.
func (r *Result) recordings() (baseline, candidate *recording.Recording, err error) {
	baseline, candidate = &recording.Recording{Name: r.Baseline.Name}, &recording.Recording{Name: r.Candidate.Name}
	// add turns what is shown of one side into counts. Where errors count as failures they
	// are among the trials that are shown, and must not be counted twice.
	add := func(to *recording.Recording, scenario string, p PassCounts, path string) error {
		fails := p.Trials - p.Passes
		if r.Errors == verdict.FailErrors {
			fails -= p.Errors
		}
		// The bound is that of verdict.Tally.Validate: sums of a few counts still fit.
		if fails < 0 || p.Passes < 0 || p.Errors < 0 || p.Trials > stats.MaxTrials/4 {
			return &verdict.DifferenceError{Path: path, Have: fmt.Sprintf("%d of %d", p.Passes, p.Trials),
				Want: "counts"}
		}
		to.AddCount(scenario, trial.Pass, p.Passes)
		to.AddCount(scenario, trial.Fail, fails)
		to.AddCount(scenario, trial.Error, p.Errors)
		return nil
	}
	// A difference is to be found at the path where the document has the number.
	scenarios := r.Scenarios
	path := func(i int, side string) string { return fmt.Sprintf("scenarios[%d].%s.passes", i, side) }
	if len(scenarios) == 0 {
		scenarios = []Scenario{{
			Name:      "all",
			Baseline:  PassCounts{r.Baseline.Passes, r.Baseline.Trials, r.Baseline.Errors},
			Candidate: PassCounts{r.Candidate.Passes, r.Candidate.Trials, r.Candidate.Errors},
		}}
		path = func(_ int, side string) string { return side + ".passes" }
	}
	for i, s := range scenarios {
		if err := add(baseline, s.Name, s.Baseline, path(i, "baseline")); err != nil {
			return nil, nil, err
		}
		if err := add(candidate, s.Name, s.Candidate, path(i, "candidate")); err != nil {
			return nil, nil, err
		}
	}
	return baseline, candidate, nil
}
