package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Rejudge compares the ends again, each of which must be one of its sample.
func (r *Ends) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	again := *r
	again.Verdict, again.Reasons, again.Warnings = verdict.Inconclusive, nil, []verdict.Warning{}
	again.Scenarios = nil
	known := endComparisons{}
	names := map[string]bool{}
	for i, row := range r.Scenarios {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		path := fmt.Sprintf("scenarios[%d]", i)
		if names[row.Name] {
			return nil, &verdict.DifferenceError{Path: path + ".name", Have: row.Name, Want: "a name that is not there twice"}
		}
		names[row.Name] = true
		missing := row.Baseline == nil || row.Candidate == nil
		if r.Suite != nil {
			missing = row.BaselineOutcomes == "" && row.CandidateOutcomes == "" && row.Problem != ""
			if problem := row.checkLetters(); problem != "" || row.Baseline != nil || row.Candidate != nil {
				return nil, &verdict.DifferenceError{Path: path, Have: problem, Want: "letters P, F and E, and no ends"}
			}
		}
		if missing != (row.Problem != "") {
			return nil, &verdict.DifferenceError{Path: path + ".problem", Have: fmt.Sprintf("%q", row.Problem),
				Want: "one where a side is missing, and none elsewhere"}
		}
		next := EndsOfScenario{Name: row.Name, Baseline: row.Baseline, Candidate: row.Candidate,
			CandidateFailures: row.CandidateFailures, Problem: row.Problem}
		// Of those that did not pass the first ones are listed.
		failed := len(row.CandidateOutcomes) - strings.Count(row.CandidateOutcomes, "P")
		if row.Candidate != nil {
			failed = row.Candidate.Trials - row.Candidate.Passes + row.Candidate.Errors
		}
		if n := len(row.CandidateFailures); row.Problem == "" && n > failed {
			return nil, &verdict.DifferenceError{Path: path + ".candidate_failures", Have: fmt.Sprintf("a list of %d", n),
				Want: fmt.Sprintf("a list of %d at most", failed)}
		}
		if r.Suite != nil {
			next.BaselineOutcomes, next.CandidateOutcomes = row.BaselineOutcomes, row.CandidateOutcomes
			again.Scenarios = append(again.Scenarios, next)
			continue
		}
		for side, end := range map[string]*SampledEnd{".baseline": row.Baseline, ".candidate": row.Candidate} {
			if problem := end.problem(); problem != "" {
				return nil, &verdict.DifferenceError{Path: path + side, Have: problem, Want: "an end of its sample"}
			}
		}
		if row.Family != nil && !row.isOf(row.Family) {
			return nil, &verdict.DifferenceError{Path: path + ".family", Have: row.Family.Digest,
				Want: "the candidate's test against this baseline"}
		}
		next.Family = row.Family
		if err := known.compare(&next, r.Delta); err != nil {
			return nil, &verdict.DifferenceError{Path: path, Have: err.Error(), Want: "ends that can be compared"}
		}
		again.Scenarios = append(again.Scenarios, next)
	}
	if again.Scenarios == nil {
		again.Scenarios = []EndsOfScenario{}
	}
	asked := Options{Delta: r.Delta, Alpha: r.Alpha, Beta: r.Beta, Correction: r.Correction}
	if err := asked.validate(); err != nil {
		return nil, &verdict.DifferenceError{Path: "delta", Have: fmt.Sprint(r.Delta), Want: err.Error()}
	}
	if err := checkBoth(r.BaselineUsage, r.CandidateUsage); err != nil {
		return nil, err
	}
	if err := checkDeniedOfBoth(r.BaselineGuardrails, r.CandidateGuardrails); err != nil {
		return nil, err
	}
	if r.Suite != nil {
		if err := again.ask(ctx); err != nil {
			return nil, &verdict.DifferenceError{Path: "suite.question", Have: err.Error(), Want: "one that can be asked"}
		}
		again.decideSuite()
	} else if err := again.decide(); err != nil {
		return nil, err
	}
	again.repeat(r.BaselineAnswers, r.CandidateAnswers)
	found := &rejudged.Result{Again: &again, Skip: slices.Concat(usageOfBoth, deniedOfBoth)}
	// Trials beyond the ends are looked at too, and how many there are is not saved.
	return found, checkAnswers(found, r.BaselineAnswers, r.CandidateAnswers, [2]int{stats.MaxTrials, stats.MaxTrials})
}

// problem says why this is no end of its sample; "" if it is one, and of none.
func (e *SampledEnd) problem() string {
	if e == nil {
		return ""
	}
	if problem := e.Problem(); problem != "" {
		return problem
	}
	sample, err := e.Sample.Sample()
	if err != nil {
		return err.Error()
	}
	for _, o := range sample.Outcomes() {
		if o == e.Outcome() {
			return ""
		}
	}
	return fmt.Sprintf("%d of %d", e.Passes, e.Trials)
}
