package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/sprt"
	"github.com/tribunal-dev/tribunal/sprt/baseline"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/design"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// EndsSchema names the JSON form of an [Ends].
const EndsSchema = "tribunal/compare-runs/v1"

// Ends is a comparison of runs by where their tests ended. A sequential test stops when its
// rate is extreme, so the tests of [Judge], which take the number of trials for fixed, would
// err: the p-values here are over the distribution of the ends of both designs, exactly; see
// [sprt.Comparison].
type Ends struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode   int                     `json:"exit_code"`
	Alpha      float64                 `json:"alpha"`      // bounds the chance of a false Fail, from 0 to 1
	Beta       float64                 `json:"beta"`       // bounds the chance of a false Pass, from 0 to 1
	Delta      float64                 `json:"delta"`      // the smallest drop that matters
	Correction multiplicity.Correction `json:"correction"` // on the Fail side, for several scenarios
	// What becomes of scenarios that one side alone has; absent where they are open.
	Missing   MissingPolicy     `json:"missing,omitempty"`
	Reasons   []verdict.Reason  `json:"reasons"`   // why the verdict is what it is, the most important first
	Warnings  []verdict.Warning `json:"warnings"`  // what to know before relying on it; may be empty
	Baseline  string            `json:"baseline"`  // name of the side
	Candidate string            `json:"candidate"` // name of the side
	Scenarios []EndsOfScenario  `json:"scenarios"` // those of the baseline, then what the candidate alone has
	// What the scenarios are asked together, where a side was tested as one question; nil elsewhere.
	Suite *runs.SuiteTest `json:"suite,omitempty"`
	// What the trials of each side took, by model; nil where none names a model.
	BaselineUsage  *usage.Usage `json:"baseline_usage,omitempty"`
	CandidateUsage *usage.Usage `json:"candidate_usage,omitempty"` // see BaselineUsage
	// What guards kept from being done in the trials; nil where none stood before any of them.
	BaselineGuardrails  *guardrails.Counts `json:"baseline_guardrails,omitempty"`
	CandidateGuardrails *guardrails.Counts `json:"candidate_guardrails,omitempty"` // see BaselineGuardrails
	// Answers that came again, by scenario; absent where hardly any did, or the recording has none.
	BaselineAnswers  []verdict.ScenarioAnswers `json:"baseline_identical_answers,omitempty"`
	CandidateAnswers []verdict.ScenarioAnswers `json:"candidate_identical_answers,omitempty"` // see BaselineAnswers
}

// EndsOfScenario compares one scenario, or one test of several.
type EndsOfScenario struct {
	Name      string          `json:"name"`
	Verdict   verdict.Verdict `json:"verdict"`
	Baseline  *SampledEnd     `json:"baseline"`  // nil where only the candidate has it, or it is none
	Candidate *SampledEnd     `json:"candidate"` // likewise
	// The candidate's share of passes less the baseline's, which stopping biases; errors are
	// left out. Nil where there is no share.
	Difference *float64 `json:"difference"`
	// The p-value against "the candidate is at least as good", with errors as passes of the
	// candidate and failures of the baseline; nil where nothing is compared.
	PWorse *float64 `json:"p_worse"`
	// PWorse after the correction.
	PCorrected *float64 `json:"p_corrected"`
	// The p-value against "the candidate is worse by delta or more", with errors the other way
	// round.
	PDrop *float64 `json:"p_drop"`
	// Of a scenario that is asked about together with others: cleared, collapsed or open, and the trials of both sides in
	// the order of launch, P, F or E for each. They stand in place of the ends and the p-values.
	Standing          string `json:"standing,omitempty"`
	BaselineOutcomes  string `json:"baseline_outcomes,omitempty"`
	CandidateOutcomes string `json:"candidate_outcomes,omitempty"`
	// Why the first trials of the candidate did not pass; absent where none of a run is known.
	CandidateFailures []runs.Failure `json:"candidate_failures,omitempty"`
	// Why it is not compared; empty where it is.
	Problem string `json:"problem,omitempty"`
	// Family is there where the candidate was tested against this very baseline: where it ended
	// depends on what the baseline came to, and the p-values are those of this test.
	Family *baseline.Record `json:"family,omitempty"`
}

// Seen are what both sides came to; a side without trials is zero.
func (r *EndsOfScenario) Seen() (baseline, candidate runs.Side) {
	side := func(e *SampledEnd, letters string) runs.Side {
		if e == nil {
			return countedOf(letters, len(letters))
		}
		passes := e.Passes - e.Errors // they count as passes there
		s := runs.Side{Trials: e.Trials, Passes: passes, Fails: e.Trials - passes - e.Errors, Errors: e.Errors}
		return s.Plus(runs.Side{})
	}
	return side(r.Baseline, r.BaselineOutcomes), side(r.Candidate, r.CandidateOutcomes)
}

// SampledEnd is what one side came to, and how its trials were sampled.
type SampledEnd struct {
	design.RecordedBaseline
	Sample baseline.SampleRecord `json:"sample"`
}

// Side of a comparison of runs.
type EndsSide struct {
	Name  string
	Ends  []NamedEnd   // in their order, with names of their own
	Joint bool         // its scenarios were tested as one question
	Took  *usage.Usage // by its trials; nil where none names a model
	// What guards denied in its trials; nil where none stood before any.
	Guardrails *guardrails.Counts
	Answers    []verdict.ScenarioAnswers // that came again so often that it is to be told

	bySuite bool // a run without a test, of a suite that asks one question about all scenarios
}

// NamedEnd is what one scenario of a side came to; Problem says why it is nothing.
type NamedEnd struct {
	Scenario string
	End      *SampledEnd
	Problem  string
	Outcomes string           // of a run: P, F or E for each trial; "" is not known
	Family   *baseline.Record // of the test against a stored baseline that stopped it; nil is none
	Failures []runs.Failure   // the first trials of a run that did not pass
}

// EndsOptions say how runs are compared.
type EndsOptions struct {
	Delta, Alpha, Beta float64                 // 0 are the defaults of package verdict
	Correction         multiplicity.Correction // Holm's by default
	Missing            MissingPolicy           // what becomes of scenarios that one side alone has; open by default
}

// Codes of the reasons of a comparison of runs beside those of [Result].
const (
	codeNotComparable verdict.Code = "not-comparable" // a scenario that cannot be compared
)

// EndsOfRun are the ends of the tests of a run.
func EndsOfRun(name string, r *runs.Result) EndsSide {
	side := EndsSide{Name: name, Guardrails: r.Guardrails, Joint: len(r.SuiteTests) > 0,
		bySuite: r.Recorded && slices.Contains(r.Settings, "test.by: suite")}
	if r.Usage.Names() != nil {
		side.Took = r.Usage
	}
	for _, t := range r.Tests {
		end := NamedEnd{Scenario: t.Name, Outcomes: t.Outcomes[:t.Trials], Failures: t.Failures}
		found, err := runs.BaselineOf(r, t.Name)
		if t.Standing != "" {
			end.Problem = jointAlone
		} else if e, ok := errors.AsType[*runs.BaselineError](err); ok {
			end.Problem = e.Problem
		} else if err != nil {
			end.Problem = err.Error()
		} else {
			end.End = &SampledEnd{design.RecordedOf(found.Outcome, found.Worst, found.Errors), found.Sample.Record()}
			end.Family = familyOf(r, t.Regression)
		}
		side.Ends = append(side.Ends, end)
		if t.Answers.Notable() {
			side.Answers = append(side.Answers, verdict.ScenarioAnswers{Scenario: t.Name, Answers: *t.Answers})
		}
	}
	return side
}

// familyOf is the family of a test against a stored baseline; nil of others.
func familyOf(r *runs.Result, x *runs.Regression) *baseline.Record {
	for _, f := range r.Families {
		if x != nil && f.Stored != nil && f.Stored.Digest == x.Family {
			return f.Stored
		}
	}
	return nil
}

// EndsOfTrials are the scenarios of a recording. Where tests gathered the trials and stopped by
// their outcomes, they are the ends of these tests; else the numbers of trials were fixed.
func EndsOfTrials(r *recording.Recording) EndsSide {
	side := EndsSide{Name: r.Name, Took: r.Usage(), Guardrails: r.Guardrails()}
	stopped := r.Stopped()
	tests := map[string][]recording.Stop{} // by their names: several of several runs
	if stopped != nil {
		for _, s := range stopped.Tests {
			tests[s.Test] = append(tests[s.Test], s)
		}
		for _, s := range stopped.Tests {
			if all := tests[s.Test]; all != nil {
				side.Ends = append(side.Ends, endOfTest(r, all))
				tests[s.Test] = nil
			}
		}
	}
	for _, t := range r.Tallies() {
		end := NamedEnd{Scenario: t.Scenario}
		if len(stopped.Of(t.Scenario)) > 0 {
			continue
		}
		passed := baseline.Outcome{Trials: t.Passes + t.Fails + t.Errors, Failures: t.Fails}
		failed := baseline.Outcome{Trials: passed.Trials, Failures: t.Fails + t.Errors}
		if passed.Trials == 0 {
			end.Problem = "it holds no trial"
		} else {
			end.End = &SampledEnd{design.RecordedOf(passed, failed, t.Errors), baseline.SampleRecord{Fixed: passed.Trials}}
		}
		side.Ends = append(side.Ends, end)
	}
	return side
}

// endOfTest is what a test came to that gathered trials of a recording. Of several runs that
// were joined there is none.
func endOfTest(r *recording.Recording, tests []recording.Stop) NamedEnd {
	end := NamedEnd{Scenario: tests[0].Test}
	if len(tests) > 1 {
		end.Problem = fmt.Sprintf("%d runs of it are joined; name one of them", len(tests))
		return end
	}
	found, err := r.End(tests[0])
	if e, ok := errors.AsType[*recording.StopError](err); ok {
		end.Problem = e.Problem
		if e.Advice != "" {
			end.Problem += "; " + e.Advice
		}
		return end
	} else if err != nil {
		end.Problem = err.Error()
		return end
	}
	end.End = &SampledEnd{design.RecordedOf(found.Best, found.Worst, found.Errors), found.Sample.Record()}
	return end
}

// JudgeEnds compares a candidate with a baseline, scenario by scenario: it fails if one is
// shown to be worse after the correction, passes if of each a drop of delta is excluded, and
// is Inconclusive otherwise, also where a scenario cannot be compared. An error is one of the
// options, or the cause of the context's end.
func JudgeEnds(ctx context.Context, baseline, candidate EndsSide, o EndsOptions) (*Ends, error) {
	asked := Options{Delta: o.Delta, Alpha: o.Alpha, Beta: o.Beta, Correction: o.Correction}.withDefaults()
	if err := asked.validate(); err != nil {
		return nil, err
	}
	r := &Ends{
		Schema: EndsSchema, Alpha: asked.Alpha, Beta: asked.Beta, Delta: asked.Delta, Correction: asked.Correction,
		Missing: o.Missing, Warnings: []verdict.Warning{}, Baseline: baseline.Name, Candidate: candidate.Name,
		Scenarios:     []EndsOfScenario{},
		BaselineUsage: baseline.Took, CandidateUsage: candidate.Took,
		BaselineGuardrails: baseline.Guardrails, CandidateGuardrails: candidate.Guardrails,
	}
	r.pair(baseline, candidate)
	if baseline.Joint || candidate.Joint || baseline.bySuite && candidate.bySuite {
		r.together(baseline, candidate)
		if err := r.ask(ctx); err != nil {
			return nil, err
		}
		r.decideSuite()
		r.repeat(baseline.Answers, candidate.Answers)
		return r, nil
	}
	known := endComparisons{}
	for i := range r.Scenarios {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if err := known.compare(&r.Scenarios[i], r.Delta); err != nil {
			return nil, err
		}
	}
	err := r.decide()
	r.repeat(baseline.Answers, candidate.Answers)
	return r, err
}

// Why a scenario is not compared that one side alone has.
const (
	baselineAlone  = "only the baseline has it"
	candidateAlone = "only the candidate has it"
)

// isIgnored reports whether a scenario is left out, as one side alone has it.
func (r *Ends) isIgnored(row *EndsOfScenario) bool {
	return r.Missing == MissingIgnore && (row.Problem == baselineAlone || row.Problem == candidateAlone)
}

// jointAlone is why a scenario that was tested together with others is not compared by itself.
const jointAlone = "it was stopped together with other scenarios"

// together has the outcomes of runs stand in place of their ends.
func (r *Ends) together(baseline, candidate EndsSide) {
	letters := func(side EndsSide, name string) (string, string) {
		i := slices.IndexFunc(side.Ends, func(e NamedEnd) bool { return e.Scenario == name })
		if i < 0 {
			return "", ""
		}
		e := side.Ends[i]
		if e.Problem == jointAlone || e.Problem == "" && e.Outcomes != "" {
			return e.Outcomes, ""
		}
		return "", cmp.Or(e.Problem, "its outcomes are not known in the order of launch")
	}
	for i := range r.Scenarios {
		row := &r.Scenarios[i]
		row.Baseline, row.Candidate, row.Family = nil, nil, nil
		if row.Problem == baselineAlone || row.Problem == candidateAlone {
			continue
		}
		var problems [2]string
		row.BaselineOutcomes, problems[0] = letters(baseline, row.Name)
		row.CandidateOutcomes, problems[1] = letters(candidate, row.Name)
		if row.Problem = cmp.Or(problems[0], problems[1]); row.Problem != "" {
			row.BaselineOutcomes, row.CandidateOutcomes = "", ""
		}
	}
}

// pair sets the scenarios of both sides beside each other.
func (r *Ends) pair(baseline, candidate EndsSide) {
	at := map[string]int{}
	for _, b := range baseline.Ends {
		at[b.Scenario] = len(r.Scenarios)
		row := EndsOfScenario{Name: b.Scenario, Baseline: b.End, Problem: baselineAlone}
		if b.Problem != "" {
			row.Problem = "the baseline: " + b.Problem
		}
		r.Scenarios = append(r.Scenarios, row)
	}
	for _, c := range candidate.Ends {
		i, both := at[c.Scenario]
		if !both {
			r.Scenarios = append(r.Scenarios, EndsOfScenario{Name: c.Scenario, Candidate: c.End,
				CandidateFailures: c.Failures, Problem: candidateAlone})
			continue
		}
		row := &r.Scenarios[i]
		row.Candidate, row.CandidateFailures = c.End, c.Failures
		if row.isOf(c.Family) {
			row.Family = c.Family
		}
		switch {
		case c.Problem != "":
			row.Problem = "the candidate: " + c.Problem
		case row.Baseline != nil:
			row.Problem = ""
		}
	}
}

// isOf reports whether a family is that of the candidate's test against this very baseline: it
// was sampled as the family has it, and the candidate could stop where the family says for
// what it came to.
func (row *EndsOfScenario) isOf(record *baseline.Record) bool {
	if record == nil || row.Baseline == nil || row.Candidate == nil || row.Baseline.Worst != nil {
		return false
	}
	if sampleKey(record.Sample) != row.Baseline.key() {
		return false
	}
	family, err := record.Family()
	if err != nil {
		return false
	}
	wanted, ok := family.Boundaries(row.Baseline.Outcome())
	have, err := row.Candidate.boundaries()
	return ok && err == nil && slices.Equal(wanted.PassAtOrBelow, have.PassAtOrBelow) &&
		slices.Equal(wanted.FailAtOrAbove, have.FailAtOrAbove)
}

// byFamily are the p-values of a test against this very baseline.
func (row *EndsOfScenario) byFamily() (worse, drop float64, err error) {
	family, err := row.Family.Family()
	if err != nil {
		return 0, 0, err
	}
	before, best, worst := row.Baseline.Outcome(), row.Candidate.Outcome(), row.Candidate.WithErrorsFailed()
	favour, err := family.PValues(before, best.Trials, best.Failures)
	if err != nil {
		return 0, 0, err
	}
	against, err := family.PValues(before, worst.Trials, worst.Failures)
	return favour.Unchanged, against.Dropped, err
}

// endComparisons are those of pairs of samples that were made: scenarios share designs.
type endComparisons map[string]*sprt.Comparison

// compare adds the p-values of a scenario, unless it has a problem.
func (known endComparisons) compare(row *EndsOfScenario, delta float64) error {
	if row.Problem != "" || row.Baseline == nil || row.Candidate == nil {
		return nil
	}
	before, after := row.Baseline, row.Candidate
	if b, c := before.known(), after.known(); b.Trials > 0 && c.Trials > 0 {
		row.Difference = new(float64(c.Passes())/float64(c.Trials) - float64(b.Passes())/float64(b.Trials))
	}
	if row.Family != nil {
		worse, drop, err := row.byFamily()
		row.PWorse, row.PDrop = &worse, &drop
		return err
	}
	// H0: the candidate, at its best, is at least as good as the baseline at its worst.
	worse, err := known.p(before, before.WithErrorsFailed(), after, after.Outcome(), 0)
	if err != nil {
		return err
	}
	// H0: the baseline, at its best, is above the candidate at its worst by delta or more.
	drop, err := known.p(after, after.WithErrorsFailed(), before, before.Outcome(), delta)
	row.PWorse, row.PDrop = &worse, &drop
	return err
}

// known are the trials with an outcome.
func (e *SampledEnd) known() baseline.Outcome {
	o := e.Outcome()
	return baseline.Outcome{Trials: o.Trials - e.Errors, Failures: o.Failures}
}

// p is the p-value of "the second's rate is at least the first's plus delta".
func (known endComparisons) p(
	first *SampledEnd, at baseline.Outcome, second *SampledEnd, to baseline.Outcome, delta float64,
) (float64, error) {
	key := fmt.Sprintf("%v %v %v", first.key(), second.key(), delta)
	c := known[key]
	if c == nil {
		var both [2]sprt.Boundaries
		for i, side := range []*SampledEnd{first, second} {
			var err error
			if both[i], err = side.boundaries(); err != nil {
				return 0, err
			}
		}
		var err error
		if c, err = sprt.NewComparison(both[0], both[1], delta); err != nil {
			return 0, err
		}
		known[key] = c
	}
	return c.P(sprt.End{Trials: at.Trials, Failures: at.Failures}, sprt.End{Trials: to.Trials, Failures: to.Failures})
}

// key tells samples apart.
func (e *SampledEnd) key() string { return sampleKey(e.Sample) }

func sampleKey(r baseline.SampleRecord) string {
	if s := r.Sequential; s != nil {
		return fmt.Sprintf("%d %s", s.MaxTrials, s.Boundaries)
	}
	return fmt.Sprint(r.Fixed)
}

// boundaries are where the side could stop: a number of trials that was fixed has one look,
// at the end.
func (e *SampledEnd) boundaries() (sprt.Boundaries, error) {
	sample, err := e.Sample.Sample()
	if err != nil {
		return sprt.Boundaries{}, err
	}
	if b, sequential := sample.Stops(); sequential {
		return b, nil
	}
	return sprt.NewBoundaries(e.Sample.Fixed)
}

// decide corrects the p-values on the Fail side, and gives the verdicts.
func (r *Ends) decide() error {
	worse := make([]float64, len(r.Scenarios))
	for i, row := range r.Scenarios {
		worse[i] = 1 // one that cannot be compared counts as one that shows nothing
		if row.PWorse != nil {
			worse[i] = *row.PWorse
		}
	}
	adjusted, err := multiplicity.Adjust(r.Correction, worse)
	if err != nil && len(worse) > 0 {
		return err
	}
	var verdicts []verdict.Verdict
	by := map[verdict.Verdict][]string{}
	var problems []string
	errorsIn := 0
	var alone oneSidedNames
	for i := range r.Scenarios {
		row := &r.Scenarios[i]
		switch row.Problem {
		case baselineAlone:
			alone.gone = append(alone.gone, row.Name)
		case candidateAlone:
			alone.added = append(alone.added, row.Name)
		}
		if r.isIgnored(row) {
			continue
		}
		if row.PWorse != nil {
			row.PCorrected = &adjusted[i]
			switch {
			case *row.PDrop <= r.Beta: // also where it is worse, by less than what matters
				row.Verdict = verdict.Pass
			case adjusted[i] <= r.Alpha:
				row.Verdict = verdict.Fail
			}
			errorsIn += row.Baseline.Errors + row.Candidate.Errors
			by[row.Verdict] = append(by[row.Verdict], row.Name)
		} else {
			problems = append(problems, row.Name)
		}
		verdicts = append(verdicts, row.Verdict)
	}
	r.Verdict = verdict.Combine(verdicts)
	r.ExitCode = r.Verdict.ExitCode()
	r.reasons(by, problems, len(verdicts))
	if r.Missing == MissingIgnore {
		r.Warnings = append(r.Warnings, alone.warnings()...)
	}
	if errorsIn > 0 {
		r.Warnings = append(r.Warnings, verdict.WarnErrors.Warning("%s ended in an error%s",
			prose.Count(errorsIn, "trial"), verdict.RobustErrors.Meaning(errorsIn)))
	}
	return nil
}

// reasons say why the verdict is what it is.
func (r *Ends) reasons(by map[verdict.Verdict][]string, problems []string, judged int) {
	add := func(reason verdict.Reason) { r.Reasons = append(r.Reasons, reason) }
	switch {
	case len(r.Scenarios) == 0:
		add(verdict.CodeNoTrials.Reason("neither side holds a scenario"))
		return
	case judged == 0:
		add(verdict.CodeNoTrials.Reason("no scenario is on both sides"))
		return
	}
	if names := by[verdict.Fail]; len(names) > 0 {
		add(CodeWorse.Reason("%s worse%s: %s", phrase.AreScenarios(len(names)), beside(r.Correction), phrase.Names(names)))
	}
	if len(problems) > 0 {
		add(codeNotComparable.Reason("%s not compared: %s", phrase.AreScenarios(len(problems)), phrase.Names(problems)))
	}
	if names := by[verdict.Inconclusive]; len(names) > 0 {
		add(CodeUndecided.Reason("%s undecided: neither is a drop shown nor one of %s ruled out for %s",
			phrase.AreScenarios(len(names)), phrase.Points(r.Delta), phrase.Names(names)))
	}
	if r.Verdict == verdict.Pass {
		add(CodeNotWorseByDelta.Reason("not worse: a drop of %s or more is ruled out%s", phrase.Points(r.Delta),
			prose.Form(judged, "", fmt.Sprintf(" in each of %d scenarios", judged))))
	}
	r.Reasons = slices.Clip(r.Reasons)
}

// Header returns what every result has.
func (r *Ends) Header() verdict.Header {
	return verdict.Header{
		Schema: r.Schema, Judged: true, Verdict: r.Verdict, ExitCode: r.ExitCode, Reasons: r.Reasons,
		Warnings: r.Warnings,
	}
}
