package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/oracle"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{
		Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings,
	}
}

// Rejudge rebuilds the evidence of a run: designs from their boundaries, checked
// against their digests, outcomes from the strings, and costs, limits and reasons
// from the trials where all of them are listed, or from what the tests hold of them.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	e := Evidence{
		Suite: r.Suite, Digest: r.Digest, Task: r.Task, Settings: r.Settings,
		Seed: r.Seed, Version: r.Version, Finished: r.Finished,
		Spent: r.Spent, StoppedBy: r.StoppedBy, Budget: r.Budget,
	}
	for i := range r.Tests {
		t, err := r.Tests[i].Evidence(i)
		if err != nil {
			return nil, err
		}
		e.Tests = append(e.Tests, t)
	}
	// fill adds what the outcomes do not tell, as far as the result holds it.
	whole, err := r.fill(&e)
	if err != nil {
		return nil, err
	}
	again, err := Judge(ctx, e)
	if err != nil {
		return nil, err
	}
	found := &rejudged.Result{
		Again:   again,
		Given:   []string{"trials", "trials_omitted", "scenarios.failures.text"},
		Skipped: []string{"spent"},
		Then:    func() error { return r.checkCounts(&e) },
	}
	// All that follows from trials that are not known.
	if !whole {
		found.Skip = []string{"scenarios.failures", "scenarios.members", "scenarios.limits",
			"scenarios.warnings", "scenarios.cost_per_success", "scenarios.measures",
			"reliability.cost_per_success", "reliability.cost", "warnings", "distributions"}
	}
	// Judge measures by the room that all trials take; here it is to be as it was saved.
	for i := range again.Tests {
		again.Tests[i].Measures = nil
		if r.Tests[i].Measures != nil {
			again.Tests[i].Measures = e.Tests[i].measures(again.Tests[i].Trials)
		}
	}
	return found, nil
}

// Evidence rebuilds a test from its design and its string of outcomes, with trials that
// have nothing else. The index is the test's place in the run, for the paths of errors.
func (t *Test) Evidence(index int) (TestEvidence, error) {
	path := fmt.Sprintf("scenarios[%d]", index)
	design, err := t.Design.Rebuild(path, sprt.Hypotheses{Threshold: t.Threshold, Delta: t.Delta,
		Alpha: t.Alpha, Beta: t.Beta})
	if err != nil {
		return TestEvidence{}, err
	}
	e := TestEvidence{Name: t.Name, Scenarios: []string{t.Name}, Design: design}
	if len(t.Members) > 0 {
		// Which member a trial is of, the outcomes do not tell: fill does.
		e.Scenarios = nil
		for _, m := range t.Members {
			e.Scenarios = append(e.Scenarios, m.Name)
		}
	}
	for i, mark := range []byte(t.Outcomes) {
		x := TrialEvidence{Scenario: e.Scenarios[0], Number: i}
		switch mark {
		// It did not end: the place in launch order stays, without a trial.
		case '.':
		case 'P', 'F', 'E', '?':
			x.Trial = &trial.Trial{
				Scenario: x.Scenario,
				Outcome:  map[byte]trial.Outcome{'P': trial.Pass, 'F': trial.Fail, 'E': trial.Error}[mark],
			}
		default:
			return e, &verdict.DifferenceError{Path: path + ".outcomes", Have: fmt.Sprintf("%q at position %d",
				mark, i), Want: "P, F, E or ."}
		}
		e.Trials = append(e.Trials, x)
	}
	return e, nil
}

// fill puts what is known of the trials into the evidence: first the measures of the tests,
// then the trials that are listed. Each claim of the document is checked against the
// outcomes, which are what the verdict rests on. It reports whether what all trials say is
// known.
func (r *Result) fill(e *Evidence) (whole bool, err error) {
	// Trials name their tests, so the names must differ; and every trial that ended must be
	// either listed or counted as omitted.
	at := map[string]int{}
	ended := 0
	for i, t := range e.Tests {
		at[t.Name] = i
		for _, x := range t.Trials {
			if x.Trial != nil {
				ended++
			}
		}
	}
	if len(at) < len(e.Tests) {
		return false, &verdict.DifferenceError{Path: "scenarios", Have: "a list with a name twice",
			Want: "names that differ"}
	}
	if len(r.Trials)+r.TrialsOmitted != ended {
		return false, &verdict.DifferenceError{Path: "trials", Have: fmt.Sprintf("%d listed and %d omitted",
			len(r.Trials), r.TrialsOmitted), Want: fmt.Sprintf("%d that ended", ended)}
	}
	whole = true
	for i := range e.Tests {
		m := r.Tests[i].Measures
		whole = whole && m != nil
		if m == nil {
			continue
		}
		if err := m.into(&e.Tests[i], r.Tests[i].Trials); err != nil {
			return false, recheck.Within(fmt.Sprintf("scenarios[%d].measures", i), err)
		}
	}
	// Each listed trial must name a test and a position at which a trial ended.
	listed, named := map[place]bool{}, map[int]bool{}
	for i, x := range r.Trials {
		path := fmt.Sprintf("trials[%d]", i)
		test, known := at[x.Test]
		if !known || x.Position < 0 || x.Position >= len(e.Tests[test].Trials) ||
			e.Tests[test].Trials[x.Position].Trial == nil {
			return false, &verdict.DifferenceError{Path: path, Have: fmt.Sprintf("test %q, position %d", x.Test,
				x.Position), Want: "no such trial"}
		}
		at := place{test: test, position: x.Position}
		if listed[at] {
			return false, &verdict.DifferenceError{Path: path + ".position", Have: fmt.Sprint(x.Position),
				Want: "a trial that is not there twice"}
		}
		listed[at] = true
		if len(r.Tests[test].Members) == 0 && !named[test] {
			e.Tests[test].Scenarios, named[test] = []string{x.Scenario}, true // a test of one may have another name
		}
		if !slices.Contains(e.Tests[test].Scenarios, x.Scenario) {
			return false, &verdict.DifferenceError{Path: path + ".scenario", Have: fmt.Sprintf("%q",
				x.Scenario), Want: "a scenario of its test"}
		}
		// What the list and the string of outcomes both say must agree.
		to := &e.Tests[test].Trials[x.Position]
		if have := to.Trial.Outcome.String(); have != x.Outcome {
			return false, &verdict.DifferenceError{Path: path + ".outcome", Have: x.Outcome, Want: have}
		}
		if judged := x.Position < r.Tests[test].Trials; judged != x.Judged {
			return false, &verdict.DifferenceError{Path: path + ".judged", Have: fmt.Sprint(x.Judged),
				Want: fmt.Sprint(judged)}
		}
		if to.Scenario, to.Number, err = x.Scenario, x.Trial, x.into(to); err != nil {
			return false, err
		}
	}
	return whole || r.TrialsOmitted == 0, nil
}

// into gives a trial of the evidence what is listed of it. Input, output and steps were cut
// when they were listed, and nothing is computed from them: they stay out.
func (r Trial) into(x *TrialEvidence) error {
	t := x.Trial
	outcome := t.Outcome
	optional := func(v *float64) trial.Optional[float64] {
		if v == nil {
			return trial.Optional[float64]{}
		}
		return trial.Some(*v)
	}
	x.CostUSD, t.DurationSeconds = optional(r.CostUSD), optional(r.Duration)
	t.InputTokens, t.OutputTokens, t.Extra = trial.Optional[int64]{}, trial.Optional[int64]{}, nil
	if r.InputTokens != nil {
		t.InputTokens = trial.Some(*r.InputTokens)
	}
	if r.OutputTokens != nil {
		t.OutputTokens = trial.Some(*r.OutputTokens)
	}
	// Limits and the reason go where Judge looks for them.
	if len(r.Limits) > 0 || r.Text != "" {
		return oracle.Judgement{Outcome: outcome, Text: r.Text, Limits: r.Limits}.Record(t)
	}
	return nil
}

// checkCounts compares what the run counts in all, which holds even where not all trials
// are known: members add up to their test, as many failures are listed as there is room
// for, and every trial took at least one attempt.
func (r *Result) checkCounts(e *Evidence) error {
	ended := 0
	for i, t := range r.Tests {
		for _, x := range e.Tests[i].Trials {
			if x.Trial != nil {
				ended++
			}
		}
		members := [3]int{}
		for _, m := range t.Members {
			members = [3]int{members[0] + m.Passes, members[1] + m.Fails, members[2] + m.Errors}
		}
		if counted := [3]int{t.Passes, t.Fails, t.Errors}; len(t.Members) > 0 && members != counted {
			return &verdict.DifferenceError{Path: fmt.Sprintf("scenarios[%d].members", i),
				Have: fmt.Sprintf("%v in all", members), Want: fmt.Sprint(counted)}
		}
		if most := min(t.Fails+t.Errors, mostFailures); len(t.Failures) != most {
			return &verdict.DifferenceError{Path: fmt.Sprintf("scenarios[%d].failures", i),
				Have: fmt.Sprintf("a list of %d", len(t.Failures)), Want: fmt.Sprintf("a list of %d", most)}
		}
	}
	if r.Spent.Trials != ended {
		return &verdict.DifferenceError{Path: "spent.trials", Have: fmt.Sprint(r.Spent.Trials), Want: fmt.Sprint(ended)}
	}
	if cmp.Compare(r.Spent.Attempts, ended) < 0 {
		return &verdict.DifferenceError{Path: "spent.attempts", Have: fmt.Sprint(r.Spent.Attempts),
			Want: fmt.Sprintf("at least %d", ended)}
	}
	return nil
}
