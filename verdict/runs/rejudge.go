package runs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/internal/mark"
	"github.com/tribunal-dev/tribunal/verdict/internal/recheck"
	"github.com/tribunal-dev/tribunal/verdict/internal/rejudged"
)

// Header returns what every result has.
func (r *Result) Header() verdict.Header {
	return verdict.Header{
		Schema: r.Schema, Judged: !r.recorded(), Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings,
	}
}

// recorded reports whether all that was to be recorded is: then there is no verdict.
func (r *Result) recorded() bool {
	return r.Recorded && len(r.Reasons) > 0 && r.Reasons[0].Code == CodeRecorded
}

// Evidence rebuilds what a saved run was judged from, as far as designs, families and strings of
// outcomes hold it: trials have nothing else. A [verdict.DifferenceError] says what does not fit.
func (r *Result) Evidence() (Evidence, error) {
	e := Evidence{
		Suite: r.Suite, Digest: r.Digest, Task: r.Task, Selection: r.Selection, Settings: r.Settings,
		BaselineSettings: r.BaselineSettings, VariantSettings: r.VariantSettings, Correction: r.Correction,
		Seed: r.Seed, Version: r.Version, Finished: r.Finished, Commit: r.Commit, Source: r.Source,
		Spent: r.Spent, StoppedBy: r.StoppedBy, Budget: r.Budget, Journal: r.Journal, Changed: r.Changed,
		Unconfined: r.Unconfined,
		Gone:       r.Gone, Missing: r.Missing, Added: r.Added,
		Repeated: r.Repeated,
	}
	if cost := r.Reliability.Cost; cost != nil {
		if err := cost.CheckPrices("reliability.cost"); err != nil {
			return e, err
		}
		e.Prices = cost.Prices
	}
	known, err := r.against()
	if err != nil {
		return e, err
	}
	joints, err := r.joints()
	if err != nil {
		return e, err
	}
	for i := range r.Tests {
		// An alpha is shared by all tests of a run, or it is the test's own.
		if n := r.Tests[i].Shared; n != 0 && n != r.questions() {
			return e, &verdict.DifferenceError{Path: fmt.Sprintf("scenarios[%d].alpha_shared_by", i), Have: fmt.Sprint(n),
				Want: fmt.Sprint(r.questions())}
		}
		t, err := r.Tests[i].evidence(i, known, joints)
		if err != nil {
			return e, err
		}
		e.Tests = append(e.Tests, t)
	}
	return e, nil
}

// Rejudge rebuilds the evidence of a run: designs from their boundaries, checked
// against their digests, outcomes from the strings, and costs, limits and reasons
// from the trials where all of them are listed, or from what the tests hold of them.
func (r *Result) Rejudge(ctx context.Context) (*rejudged.Result, error) {
	e, err := r.Evidence()
	if err != nil {
		return nil, err
	}
	// fill adds what the outcomes do not tell, as far as the result holds it.
	whole, err := r.fill(&e)
	if err != nil {
		return nil, err
	}
	calibrated, err := r.recalibrate(ctx, &e, whole)
	if err != nil {
		return nil, err
	}
	for i, t := range r.Tests {
		x := t.Estimate
		e.Tests[i].earlierEstimates = x != nil && x.ErrorsPassed == nil && t.Errors > 0
		e.Tests[i].saved = &r.Tests[i]
	}
	again, err := Judge(ctx, e)
	if err != nil {
		return nil, err
	}
	if r.Looks != nil {
		again.Look(r.Looks.Earlier, r.Looks.Declared, r.Looks.Compared)
		if r.Looks.Changed != "" {
			again.LedgerChanged(r.Looks.Changed)
		}
	}
	// Earlier versions did not tell the errors of unlike scenarios.
	for i := range again.Tests {
		if x, old := again.Tests[i].Regression, r.Tests[i].Regression; x != nil && old != nil && old.UnlikeAlpha == nil {
			x.UnlikeAlpha, x.UnlikeBeta = nil, nil
		}
	}
	// Earlier versions did not warn of what was lost, nor of drift, nor of attempts that were made again.
	for _, code := range []verdict.Code{warnLost, warnDrift, WarnRedrawn} {
		has := func(w verdict.Warning) bool { return w.Code == code }
		if !slices.ContainsFunc(r.Warnings, has) {
			again.Warnings = slices.DeleteFunc(again.Warnings, has)
		}
	}
	found := &rejudged.Result{
		Again: again,
		Given: []string{"trials", "trials_omitted", "scenarios.failures.text", "looks.earlier",
			"looks.declared"},
		Skipped: slices.Clone(takenAsTheyAre),
		Then:    func() error { return r.checkCounts(&e) },
	}
	if r.TrialsOmitted > 0 || !r.hasUsage() {
		if err := r.checkUsage(); err != nil {
			return nil, err
		}
		found.Skip = slices.Clone(usagePaths)
	}
	if r.TrialsOmitted > 0 {
		if err := r.checkGuardrails(); err != nil {
			return nil, err
		}
		found.Skip = append(found.Skip, guardrailPaths...)
	}
	if r.Commit != "" {
		found.Skipped = append(found.Skipped, "commit")
	}
	if r.Source != nil {
		found.Skipped = append(found.Skipped, "source")
	}
	if r.Gone != nil {
		found.Skipped = append(found.Skipped, "gone")
	}
	if r.Added != nil {
		found.Skipped = append(found.Skipped, "added")
	}
	if slices.ContainsFunc(r.Tests, func(t Test) bool { return t.Quarantined }) {
		found.Skipped = append(found.Skipped, "scenarios.quarantined")
	}
	if !calibrated {
		found.Skipped = append(found.Skipped, "calibration.decision")
	}
	// All that follows from trials that are not known.
	if !whole {
		found.Skip = append(found.Skip, "scenarios.failures", "scenarios.members", "scenarios.limits",
			"scenarios.warnings", "scenarios.cost_per_success", "scenarios.measures",
			"reliability.cost_per_success", "reliability.cost", "warnings", "distributions")
	}
	// Judge measures by the room that all trials take; here it is to be as it was saved.
	for i := range again.Tests {
		test := &again.Tests[i]
		test.Measures = nil
		if r.Tests[i].Measures != nil {
			test.Measures = e.Tests[i].side(false).measures(test.Trials)
		}
		// A difference in whether there is a test against a baseline is found below.
		now, then := test.besideMeasures(), r.Tests[i].besideMeasures()
		if now == nil || then == nil {
			continue
		}
		*now = nil
		if *then != nil {
			*now = e.Tests[i].side(true).measures(test.Trials)
		}
	}
	return found, nil
}

// takenAsTheyAre are the parts of a run from which nothing else in it follows.
var takenAsTheyAre = []string{
	"suite", "suite_digest", "task", "settings", "seed", "version", "finished_at", "spent", "trials.text", "trials.input",
	"trials.output", "trials.steps",
}

// hypotheses are those of the design.
func (t *Test) hypotheses() sprt.Hypotheses {
	return sprt.Hypotheses{Threshold: t.Threshold, Delta: t.Delta, Alpha: t.Alpha, Beta: t.Beta}
}

// Evidence rebuilds a test from its design and its string of outcomes, with trials that
// have nothing else. The index is the test's place in the run, for the paths of errors. Of a test
// against a baseline the families are missing here: see [Result.Evidence].
func (t *Test) Evidence(index int) (TestEvidence, error) { return t.evidence(index, nil, nil) }

func (t *Test) evidence(index int, known against, joints map[string]*Joint) (TestEvidence, error) {
	path := fmt.Sprintf("scenarios[%d]", index)
	e := TestEvidence{Name: t.Name, Variant: t.Variant, Scenarios: []string{t.Name}, Shared: t.Shared,
		Quarantined: t.Quarantined}
	var err error
	if t.Regression != nil {
		if e.Against, err = known.of(t.Regression, path); err != nil {
			return e, err
		}
	}
	if t.Standing != "" {
		if err := t.joined(&e, joints, path); err != nil {
			return e, err
		}
	} else if t.Design.MaxTrials > 0 || t.Regression == nil {
		if e.Design, err = t.Design.Rebuild(path, t.hypotheses()); err != nil {
			return e, err
		}
	}
	if len(t.Members) > 0 {
		// Which member a trial is of, the outcomes do not tell: fill does.
		e.Scenarios = nil
		for _, m := range t.Members {
			e.Scenarios = append(e.Scenarios, m.Name)
		}
	}
	if e.Trials, err = trialsOf(t.Outcomes, e.Scenarios[0], path+".outcomes"); err != nil || !e.inRounds() {
		return e, err
	}
	// In rounds the sides alternate, and both have a place for each round.
	path += t.besidePath() + "outcomes"
	base, err := trialsOf(t.besideOutcomes(), e.Scenarios[0], path)
	if err != nil {
		return e, err
	}
	if len(base) != len(e.Trials) {
		return e, &verdict.DifferenceError{Path: path, Have: prose.Count(len(base), "trial"), Want: fmt.Sprint(len(e.Trials))}
	}
	candidate := e.Trials
	e.Trials = nil
	for i := range base {
		base[i].Baseline = true
		e.Trials = append(e.Trials, base[i], candidate[i])
	}
	return e, nil
}

// trialsOf are trials with nothing but their outcomes. A path is where the outcomes stand.
func trialsOf(outcomes, scenario, path string) (list []TrialEvidence, err error) {
	for i, letter := range []byte(outcomes) {
		x := TrialEvidence{Scenario: scenario, Number: i}
		// Where it did not end, the place in launch order stays, without a trial.
		if letter != '.' {
			o, known := mark.Outcome(letter)
			if !known {
				return nil, &verdict.DifferenceError{Path: path, Have: fmt.Sprintf("%q at position %d", letter, i),
					Want: "P, F, E or ."}
			}
			x.Trial = &trial.Trial{Scenario: scenario, Outcome: o}
		}
		list = append(list, x)
	}
	return list, nil
}

// at is where the trial with a position stands in the evidence, of the baseline's side in rounds or
// of the candidate's; -1 where there is no such side or trial.
func (t *TestEvidence) at(position int, ofBaseline bool) int {
	place := position
	switch {
	case t.inRounds():
		place = 2*position + baseline.CandidateSide
		if ofBaseline {
			place = 2*position + baseline.BaselineSide
		}
	case ofBaseline:
		return -1
	}
	if position < 0 || position >= len(t.Trials) || place >= len(t.Trials) {
		return -1
	}
	return place
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
		path := fmt.Sprintf("scenarios[%d].", i)
		m, side := r.Tests[i].Measures, e.Tests[i].side(false)
		whole = whole && m != nil
		if m != nil {
			if err := m.into(&side, r.Tests[i].Trials); err != nil {
				return false, recheck.Within(path+"measures", err)
			}
		}
		if !e.Tests[i].inRounds() {
			e.Tests[i].Trials = side.Trials
			continue
		}
		base := e.Tests[i].side(true)
		x := *r.Tests[i].besideMeasures()
		whole = whole && x != nil
		if x != nil {
			if err := x.into(&base, r.Tests[i].Trials); err != nil {
				return false, recheck.Within(path+r.Tests[i].besidePath()[1:]+"measures", err)
			}
		}
		for k := range side.Trials {
			e.Tests[i].Trials[2*k+baseline.BaselineSide] = base.Trials[k]
			e.Tests[i].Trials[2*k+baseline.CandidateSide] = side.Trials[k]
		}
	}
	// Each listed trial must name a test and a position at which a trial ended.
	listed, named := map[place]bool{}, map[int]bool{}
	for i, x := range r.Trials {
		path := fmt.Sprintf("trials[%d]", i)
		test, known := at[x.Test]
		position := -1
		if known {
			position = e.Tests[test].at(x.Position, x.Baseline)
		}
		if position < 0 || e.Tests[test].Trials[position].Trial == nil {
			return false, &verdict.DifferenceError{Path: path, Have: fmt.Sprintf("test %q, position %d", x.Test,
				x.Position), Want: "no such trial"}
		}
		at := place{test: test, position: position}
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
		to := &e.Tests[test].Trials[position]
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
	return whole || r.TrialsOmitted == 0, r.fillAxes(e)
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
	t.CostBasis = trial.CostBasis(r.CostBasis)
	if b := t.CostBasis; b != trial.RecordedCost && b != trial.EstimatedCost && b != trial.CostAtMost {
		return &verdict.DifferenceError{Path: "cost_basis", Have: r.CostBasis, Want: "estimated, at-most or none"}
	}
	t.InputTokens, t.OutputTokens, t.Extra = trial.Optional[int64]{}, trial.Optional[int64]{}, nil
	if r.InputTokens != nil {
		t.InputTokens = trial.Some(*r.InputTokens)
	}
	if r.OutputTokens != nil {
		t.OutputTokens = trial.Some(*r.OutputTokens)
	}
	for _, l := range r.Limits {
		if l.Outcome == trial.Fail && !l.Warn && outcome == trial.Pass {
			return &verdict.DifferenceError{Path: "limits", Have: l.String(), Want: "kept, as the trial passed"}
		}
	}
	if err := r.takeShares(x); err != nil {
		return err
	}
	if g := r.Guardrails; g != nil {
		if problem := g.Problem(); problem != "" {
			return &verdict.DifferenceError{Path: "trials.guardrails", Have: problem, Want: "what a guard finds"}
		}
		g.Record(t)
	}
	if r.Axes != nil {
		if problem := r.Axes.Problem(); problem != "" {
			return &verdict.DifferenceError{Path: "trials.score", Have: problem, Want: "what scoring finds"}
		}
		r.Axes.Record(t)
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
	if err := r.checkAside(); err != nil {
		return err
	}
	if err := r.checkScenarios(); err != nil {
		return err
	}
	if err := r.checkAnswers(); err != nil {
		return err
	}
	if err := r.checkStop(e); err != nil {
		return err
	}
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
	if r.recorded() && r.ExitCode != verdict.Pass.ExitCode() {
		return &verdict.DifferenceError{Path: "exit_code", Have: fmt.Sprint(r.ExitCode), Want: "0"}
	}
	if r.Spent.Trials != ended {
		return &verdict.DifferenceError{Path: "spent.trials", Have: fmt.Sprint(r.Spent.Trials), Want: fmt.Sprint(ended)}
	}
	if r.Spent.Cut < 0 || r.Spent.Cut > max(0, r.Spent.Lost) {
		return &verdict.DifferenceError{Path: "spent.cut", Have: fmt.Sprint(r.Spent.Cut),
			Want: fmt.Sprintf("at most %d, those that were lost", r.Spent.Lost)}
	}
	// A trial that was lost has no attempt that ended; one that was repeated has more than one.
	repeated := 0
	for cause, n := range r.Spent.Repeated {
		if n < 1 {
			return &verdict.DifferenceError{Path: "spent.repeated." + cause, Have: fmt.Sprint(n), Want: "at least 1"}
		}
		repeated += n
	}
	if least := ended + repeated - r.Spent.Lost; r.Spent.Lost < 0 || cmp.Compare(r.Spent.Attempts, least) < 0 {
		return &verdict.DifferenceError{Path: "spent.attempts", Have: fmt.Sprint(r.Spent.Attempts),
			Want: fmt.Sprintf("at least %d", least)}
	}
	return nil
}
