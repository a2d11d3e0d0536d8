package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Recorded returns what a run of the scenarios would have found, had its trials come to what
// a recording holds: each is judged by the evaluators and limits of its scenario, in the order
// of the recording, and each test ends where its design says. No agent is started; evaluators
// that are programs are. Trials get the judgement as their own. The version is that of the
// program. What the agent was is not known, so no settings are.
//
// A trial that ended in an error stays one. What a trial does not record, such as the exit
// code of its program, evaluators do not know. A trial of a scenario that is not among them is
// a [suiteError].
func Recorded(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, trials []*trial.Trial, version string,
	prepare PrepareOptions,
) (runs.Evidence, error) {
	tests, err := testsOfRecording(ctx, s, scenarios, prepare)
	if err != nil {
		return runs.Evidence{}, err
	}
	e := runs.Evidence{
		Suite: s.Name, Digest: s.Digest(), Task: taskOf(s, scenarios), Seed: s.Seed, Version: version,
		StoppedBy: runs.StoppedByDecision,
	}
	if s.Test.Against.SideBySide {
		return e, &suiteError{Place: trial.Place{File: s.File}, Problem: "recorded trials are of one side, and the " +
			"suite requires a test side by side"}
	}
	place, byName := map[string]int{}, map[string]suite.Scenario{}
	for i, t := range tests {
		e.Tests = append(e.Tests, t.Evidence())
		for _, name := range t.Scenarios {
			place[name] = i
		}
	}
	for _, c := range scenarios {
		byName[c.Name] = c
	}
	numbers := map[string]int{}
	for _, t := range trials {
		if ctx.Err() != nil {
			return e, context.Cause(ctx)
		}
		at, known := place[t.Scenario]
		if !known {
			return e, unknownScenario(s, scenarios, trials, t)
		}
		if c := byName[t.Scenario]; t.Outcome != trial.Error || c.Expect.Declares(oracle.EndOf(t)) {
			judgement := c.Judge(ctx, oracle.Evidence{Trial: t})
			if err := judgement.Record(t); err != nil {
				return e, err
			}
			scored(ctx, s.Score, oracle.Evidence{Trial: t}, judgement, "", "")
		}
		test := &e.Tests[at]
		test.Trials = append(test.Trials, runs.TrialEvidence{
			Scenario: t.Scenario, Number: numbers[t.Scenario], CostUSD: t.TotalCostUSD(), Trial: t,
		})
		numbers[t.Scenario]++
		e.Spent.Trials++
	}
	e.Spent = spentOn(trials)
	e.StoppedBy, err = runs.StopOf(e.Tests)
	return e, err
}

// unknownScenario refuses a trial of a scenario that is not judged.
func unknownScenario(s *suite.Suite, scenarios []suite.Scenario, trials []*trial.Trial, t *trial.Trial) error {
	var known, recorded []string
	for _, c := range scenarios {
		known = append(known, c.Name)
	}
	for _, t := range trials {
		if !slices.Contains(recorded, t.Scenario) {
			recorded = append(recorded, t.Scenario)
		}
	}
	const most = 5 // chosen: names that show whose they are
	e := &suiteError{
		Place:   t.Place,
		Problem: fmt.Sprintf("the scenario %q is not in %s", prose.Excerpt(t.Scenario), s.File),
		Advice:  fmt.Sprintf("the trials are of %s; the suite has %s", prose.Some(recorded, most), prose.Some(known, most)),
	}
	if near, is := prose.Nearest(t.Scenario, known); is {
		e.Advice = fmt.Sprintf("did you mean %q?", near)
	}
	if t.Scenario == "" {
		e.Problem = "a recorded trial does not say which scenario it is of"
		e.Advice = "the suite has " + prose.Some(known, most)
	}
	return e
}

// spentOn adds up what recorded trials took. An amount that no trial tells is nil; the time
// is that of the trials, one after the other.
func spentOn(trials []*trial.Trial) runs.Expense {
	s := runs.Expense{Trials: len(trials), Attempts: len(trials)}
	for _, t := range trials {
		if cost := t.TotalCostUSD(); cost.Known {
			s.CostUSD = plus(s.CostUSD, cost.Value)
		} else {
			s.CostUnknown++
		}
		if tokens := t.TotalInputTokens(); tokens.Known {
			s.InputTokens = plus(s.InputTokens, tokens.Value)
		}
		if tokens := t.TotalOutputTokens(); tokens.Known {
			s.OutputTokens = plus(s.OutputTokens, tokens.Value)
		}
		s.Duration += t.DurationSeconds.Value
	}
	return s
}

// plus adds to a sum that is nil as long as nothing was added.
func plus[T int64 | float64](sum *T, x T) *T {
	if sum == nil {
		return &x
	}
	*sum = trial.Plus(*sum, x)
	return sum
}

// testsOfRecording are the tests of the suite, planned together or not as the options say, or else as those
// were that stopped the trials.
func testsOfRecording(
	ctx context.Context, s *suite.Suite, scenarios []suite.Scenario, prepare PrepareOptions,
) ([]Test, error) {
	tests, err := Tests(ctx, s, scenarios, prepare)
	if err != nil || len(prepare.Designs) == 0 || stoppedBy(tests, prepare.Designs) {
		return tests, err
	}
	prepare.Together = !prepare.Together
	if others, err := Tests(ctx, s, scenarios, prepare); err == nil && stoppedBy(others, prepare.Designs) {
		return others, nil
	}
	return tests, ctx.Err()
}

// stoppedBy reports whether tests have the designs with these digests, each that is known.
func stoppedBy(tests []Test, designs map[string]string) bool {
	for _, t := range tests {
		if digest, known := designs[t.Name]; known && digest != t.digest() {
			return false
		}
	}
	return true
}
