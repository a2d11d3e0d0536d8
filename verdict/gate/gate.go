package gate

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/tribunal-dev/tribunal/coverage"
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/compare"
	"github.com/tribunal-dev/tribunal/verdict/mean"
	"github.com/tribunal-dev/tribunal/verdict/runs"
	"github.com/tribunal-dev/tribunal/verdict/sequential"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/gate/v1"

// Decision is what a deployment gate says. Its zero value is Review: nothing that was
// not decided may deploy.
type Decision uint8

const (
	Review Decision = iota // a person looks and decides
	Deploy
	Block
)

var decisionNames = enum.Of[Decision]("decision", "review", "deploy", "block")

// String returns "review", "deploy" or "block".
func (d Decision) String() string { return decisionNames.String(d) }

// MarshalText writes the decision's name.
func (d Decision) MarshalText() ([]byte, error) { return decisionNames.MarshalText(d) }

// UnmarshalText reads a decision's name. Earlier results call a review "manual".
func (d *Decision) UnmarshalText(text []byte) error {
	if string(text) == "manual" {
		*d = Review
		return nil
	}
	return decisionNames.UnmarshalText(text, d)
}

// ExitCode returns 0 for Deploy, 1 for Block and 2 for Review: the codes of the verdicts
// that go with them, so that a pipeline reads both alike.
func (d Decision) ExitCode() int { return d.Verdict().ExitCode() }

// Verdict returns the verdict that goes with a decision (AgentAssay, Definition 6.2).
func (d Decision) Verdict() verdict.Verdict {
	switch d {
	case Deploy:
		return verdict.Pass
	case Block:
		return verdict.Fail
	}
	return verdict.Inconclusive
}

// Result is the decision of a deployment gate with every rule that it rests on.
type Result struct {
	Schema   string   `json:"schema"`   // names the JSON form
	Decision Decision `json:"decision"` // what to do
	// Of the process: 0 Deploy, 1 Block, 2 Review, unless the command was told otherwise.
	ExitCode int               `json:"exit_code"`
	Suite    string            `json:"suite"`    // name
	Reasons  []verdict.Reason  `json:"reasons"`  // of the decision, the most important first
	Warnings []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty
	Rules    []Rule            `json:"rules"`    // all of them, in their order

	Asked *Options `json:"asked,omitempty"` // what the rules were decided by
	// How often it blocks what deserves none; nil in results of earlier editions.
	Family *Family `json:"false_block,omitempty"`

	// What is decided over: one of these.
	Run        *runs.Result             `json:"run,omitempty"`
	Rates      *verdict.ThresholdResult `json:"rates,omitempty"` // of a recording against a threshold
	Sequence   *sequential.Result       `json:"sequence,omitempty"`
	Scores     *mean.Result             `json:"scores,omitempty"`
	Comparison *compare.Result          `json:"comparison,omitempty"`
	Ended      *compare.Ends            `json:"compared_runs,omitempty"` // runs that stopped, compared

	// What it was compared with; nil where none is named.
	Baseline  *Baseline             `json:"baseline,omitempty"`
	Coverage  *coverage.Result      `json:"coverage,omitempty"`  // nil where it was not measured
	Behaviour *behaviour.Comparison `json:"behaviour,omitempty"` // nil where it was not asked for
}

// Rule is one rule, what it found and why.
type Rule struct {
	Name     string   `json:"name"`               // such as "suite-verdict" or "floor"
	Scenario string   `json:"scenario,omitempty"` // empty for a rule of the whole run
	Outcome  RuleWord `json:"outcome"`            // what came of it
	Evidence string   `json:"evidence"`           // why, for a person
	P        *float64 `json:"p,omitempty"`        // of the test that decided it
}

// Said is the evidence, with the code that a reason has which the rule gives.
func (r Rule) Said() verdict.Reason { return verdict.Reason{Code: r.code(), Text: r.Evidence} }

func (r Rule) code() verdict.Code { return cmp.Or(codes[r.Name], verdict.Code(r.Name)) }

// Saying is the rule with another evidence.
func (r Rule) Saying(text string) any {
	r.Evidence = text
	return r
}

// TextField is the name of the evidence in JSON.
func (r Rule) TextField() string { return "evidence" }

// RuleWord says what came of a rule.
type RuleWord string

const (
	RuleHolds  RuleWord = "holds"
	RuleBroken RuleWord = "broken" // blocks
	RuleOpen   RuleWord = "open"   // keeps the gate from deploying
	RuleNoted  RuleWord = "noted"  // is shown, and decides nothing
)

// Baseline is what the run was compared with.
type Baseline struct {
	File       string `json:"file"`                  // that was named, or name; empty where it ran beside the candidate
	Finished   string `json:"finished_at,omitempty"` // when the baseline's run ended, RFC 3339
	Comparable bool   `json:"comparable"`            // something of it is, and it is not too old
	Why        string `json:"why,omitempty"`         // it is not comparable
	// Of a baseline with a name: its revision, from 1, and its runs; absent of a file.
	Revision int      `json:"revision,omitempty"`
	Runs     []string `json:"runs,omitempty"`
	// What is said otherwise of the agent and its tests, a line each.
	Changed []string `json:"changed,omitempty"`
	// The scenarios whose tests have ended on both sides.
	Tests []ComparedTest `json:"scenarios"`
}

// ComparedTest compares a scenario with the baseline's: by the test of the run, see
// [runs.Regression], or by where two tests ended, exactly, see [sprt.Comparison].
type ComparedTest struct {
	Name          string  `json:"name"`           // of the test
	BaselineRate  float64 `json:"baseline_rate"`  // observed pass rate, from 0 to 1
	CandidateRate float64 `json:"candidate_rate"` // observed pass rate, from 0 to 1
	// Of "the candidate is not worse", before any correction.
	PWorse float64 `json:"p_worse"`
	PDrop  float64 `json:"p_drop"` // of "it is worse by delta or more"
	// Tested says that the trials were stopped by this very question: it is the test of the run
	// against its baseline, and not a comparison of where two tests ended.
	Tested bool `json:"tested,omitempty"`
	// Fail: worse is shown; Pass: a drop of delta is excluded.
	Verdict verdict.Verdict `json:"verdict"`
}

// Floor is a pass rate that a scenario must reach.
type Floor struct {
	Rate      float64 `json:"min_pass_rate"`        // from 0 to 1; 0 is no floor
	Point     bool    `json:"point,omitempty"`      // compare the observed rate, in place of a test
	AllTrials bool    `json:"all_trials,omitempty"` // every trial must pass
}

// Options say what a gate asks for. The zero value asks for the verdict alone. A result
// holds them, with the defaults filled in, and is judged again from them.
type Options struct {
	// Of floors and the regression; 0 is [verdict.DefaultAlpha].
	Alpha float64 `json:"alpha"`
	Beta  float64 `json:"beta"` // 0 is [verdict.DefaultBeta]
	// Of the regression; 0 is [verdict.DefaultDelta].
	Delta float64 `json:"delta"`
	// On the Fail side of several scenarios; Holm's by default.
	Correction multiplicity.Correction `json:"correction"`
	Floor      Floor                   `json:"floor,omitzero"`   // of every scenario
	Floors     map[string]Floor        `json:"floors,omitempty"` // by scenario; the higher bar holds
	// Scenarios that must be among those of the result, by name; empty: whichever it is of.
	Scenarios []string `json:"scenarios,omitempty"`
	// What the suite asks of pass rates, where what is decided over is no run of it; none of a run, and without a
	// suite.
	Questions []Question `json:"questions,omitempty"`
	// The suite asks that the behaviour is compared: where it was not, the rule is open.
	AsksBehaviour bool `json:"asks_behaviour,omitempty"`
	// Coverage that is needed, from 0 to 1; nil: none.
	Minimum *float64 `json:"min_coverage,omitempty"`
	// The ages of the result and of the baseline are those at this time.
	Now      time.Time    `json:"now,omitzero"`
	Baseline *BaselineRun `json:"baseline,omitempty"` // nil: none is named
	// Of the baseline that the run's own tests are against; 0 is any.
	MaxAge Age `json:"max_age,omitempty"`
	// Of the run that is decided over; 0 is any.
	MaxResultAge Age `json:"max_result_age,omitempty"`
	// AllowUndecided notes a drop of delta that is neither shown nor excluded, which keeps the
	// gate from deploying otherwise.
	AllowUndecided bool `json:"allow_undecided_regression,omitempty"`
	// AllowIdentical notes answers that came again, of an agent that is known to answer alike, and AllowRepeated
	// attempts that were often made again: both keep the gate from deploying otherwise.
	AllowIdentical bool `json:"allow_identical_answers,omitempty"`
	AllowRepeated  bool `json:"allow_repeated_attempts,omitempty"` // see AllowIdentical
	// Edition is that of the rules. [Judge] sets it to that of today; a saved result is judged
	// again by those of its own.
	Edition Edition `json:"rules,omitempty"`

	Coverage  *coverage.Result      `json:"-"` // nil: not measured
	Behaviour *behaviour.Comparison `json:"-"` // nil: not asked for
}

// Edition says by which rules a gate decides, where they have changed. Results that do not
// say it are of the first.
type Edition uint8

// The editions of the rules.
const (
	// firstEdition notes a drop that is neither shown nor excluded, unless it is strict, and
	// takes the coverage of what was measured for that of all that was asked for.
	firstEdition Edition = iota
	// secondEdition leaves both open.
	secondEdition
	// thirdEdition compares the lower limit of the coverage with its minimum, in place of the estimate, and
	// says what it blocks falsely and what it seldom blocks.
	thirdEdition
	// fourthEdition asks for the age of the result, and leaves what comes from the future open.
	fourthEdition
	// fifthEdition leaves a comparison of trials with themselves open, and asks whether the trials of a run are
	// independent.
	fifthEdition
	// sixthEdition leaves open what passed mostly without any output, or with an exit code that nothing judges.
	sixthEdition
	// seventhEdition asks what a recording came to that was tested against a baseline, and whether a scenario of the
	// baseline was not run.
	seventhEdition
)

// today is the edition by which gates decide now.
const today = seventhEdition

// complete fills in the defaults, and leaves out what asks for nothing.
func (o *Options) complete() {
	if o.Alpha == 0 {
		o.Alpha = verdict.DefaultAlpha
	}
	if o.Beta == 0 {
		o.Beta = verdict.DefaultBeta
	}
	if o.Delta == 0 {
		o.Delta = verdict.DefaultDelta
	}
	if !o.Now.IsZero() {
		o.Now = o.Now.UTC()
	}
	// A copy, since the result keeps it; without floors that ask for nothing, so that the same
	// question has one form in JSON.
	o.Floors = maps.Clone(o.Floors)
	maps.DeleteFunc(o.Floors, func(_ string, f Floor) bool { return f == Floor{} })
}

// Codes of the reasons of a gate.
const (
	codeVerdict    verdict.Code = "suite-verdict"
	codeEvidence   verdict.Code = "evidence-missing"
	codeAge        verdict.Code = "result-age"
	codeFloor      verdict.Code = "floor"
	codeAllTrials  verdict.Code = "all-trials"
	codeCoverage   verdict.Code = "coverage"
	codeRegression verdict.Code = "regression"
	codeBaseline   verdict.Code = "baseline-not-comparable"
	codeBehaviour  verdict.Code = "behaviour"
	codeLimits     verdict.Code = "limits"
	codeLooks      verdict.Code = "earlier-looks"
	codeDeploy     verdict.Code = "every-rule-holds"
	CodeNoted      verdict.Code = "rules-noted" // no rule is broken or undecided, and not all of them hold
)

// Judge decides over a result (AgentAssay, Definition 6.2 and Algorithm 2): Block if
// a rule is broken, Deploy if every rule holds, Review otherwise. What is missing
// never deploys. The result is that of a run; or of recorded trials: a
// [*verdict.ThresholdResult], a [*sequential.Result], a [*mean.Result], a [*compare.Result] or a [*compare.Ends]. Any
// other is an error.
func Judge(ctx context.Context, result verdict.Result, o Options) (*Result, error) {
	o.Edition = today
	return judge(ctx, result, o)
}

// judge is Judge by the rules of an edition.
func judge(ctx context.Context, result verdict.Result, o Options) (*Result, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s, err := subjectOf(result, o.Edition)
	if err != nil {
		return nil, err
	}
	o.complete()
	g := &Result{
		Schema: Schema, Suite: s.name, Warnings: append([]verdict.Warning{}, s.warnings...),
		Rules:    []Rule{},
		Coverage: o.Coverage, Behaviour: o.Behaviour, Asked: &o,
	}
	g.over(result)
	// The rules stand in the result in this order. None of them stops the others: a person
	// who is asked wants to see all.
	g.evidence(s, o)
	g.answers(s, o)
	g.age(result, o)
	if err := g.verdicts(s, o); err != nil {
		return nil, err
	}
	if err := g.beyond(ctx, s, o); err != nil {
		return nil, err
	}
	g.limits(s)
	if err := g.floors(s, o); err != nil {
		return nil, err
	}
	if err := g.regression(ctx, s, o); err != nil {
		return nil, err
	}
	g.behaviour(o)
	g.coverage(o)
	g.looks(result)
	g.independence(s, o)
	g.doubtful(s, o)
	if o.Edition >= thirdEdition {
		g.family(s, o)
		if err := g.warnWeak(s, o); err != nil {
			return nil, err
		}
	}
	g.decide()
	return g, nil
}

// over sets what is decided over.
func (g *Result) over(result verdict.Result) {
	switch r := result.(type) {
	case *runs.Result:
		g.Run = r
	case *verdict.ThresholdResult:
		g.Rates = r
	case *sequential.Result:
		g.Sequence = r
	case *mean.Result:
		g.Scores = r
	case *compare.Result:
		g.Comparison = r
	case *compare.Ends:
		g.Ended = r
	}
}

// Over returns what is decided over, and its name in JSON; nil where there is nothing.
func (g *Result) Over() (verdict.Result, string) {
	switch {
	case g.Run != nil:
		return g.Run, "run"
	case g.Rates != nil:
		return g.Rates, "rates"
	case g.Sequence != nil:
		return g.Sequence, "sequence"
	case g.Scores != nil:
		return g.Scores, "scores"
	case g.Comparison != nil:
		return g.Comparison, "comparison"
	case g.Ended != nil:
		return g.Ended, "compared_runs"
	}
	return nil, ""
}

// The names of the rules; others have the code of a warning of the run.
const (
	ruleEvidence   = "evidence"
	ruleAge        = "age"
	ruleVerdict    = "suite-verdict"
	ruleLimit      = "limit"
	ruleFloor      = "floor"
	ruleAllTrials  = "all-trials"
	ruleBaseline   = "baseline"
	ruleRegression = "regression"
	ruleBehaviour  = "behaviour"
	ruleCoverage   = "coverage"
	ruleLooks      = "looks"
	ruleAnswers    = "answers"
	ruleAttempts   = "attempts"
	rulePrograms   = "programs"
)

// codes are those of the reasons that rules give, by the names of the rules.
var codes = map[string]verdict.Code{
	ruleEvidence:   codeEvidence,
	ruleAge:        codeAge,
	ruleVerdict:    codeVerdict,
	ruleLimit:      codeLimits,
	ruleFloor:      codeFloor,
	ruleAllTrials:  codeAllTrials,
	ruleBaseline:   codeBaseline,
	ruleRegression: codeRegression,
	ruleBehaviour:  codeBehaviour,
	ruleCoverage:   codeCoverage,
	ruleLooks:      codeLooks,
	ruleAnswers:    verdict.WarnAnswers,
	ruleAttempts:   runs.WarnRedrawn,
	rulePrograms:   runs.WarnChanged,
}

// rule notes what came of a rule, with the evidence as by [fmt.Sprintf], and returns it for
// the caller to add the p-value. The next call may move it.
func (g *Result) rule(name, scenario string, outcome RuleWord, format string, values ...any) *Rule {
	g.Rules = append(g.Rules, Rule{Name: name, Scenario: scenario, Outcome: outcome,
		Evidence: fmt.Sprintf(format, values...)})
	return &g.Rules[len(g.Rules)-1]
}

// decide weighs the rules: one that is broken blocks, one that is open needs a person.
func (g *Result) decide() {
	var broken, open []verdict.Reason
	for _, r := range g.Rules {
		text := r.Evidence
		if r.Scenario != "" {
			text = r.Scenario + ": " + text
		}
		switch r.Outcome {
		case RuleBroken:
			broken = append(broken, verdict.Reason{Code: r.code(), Text: text})
		case RuleOpen:
			open = append(open, verdict.Reason{Code: r.code(), Text: text})
		}
	}
	// With open rules the decision stays Review, its zero value. So it does without any rule:
	// nothing that was not asked may deploy.
	switch {
	case len(broken) > 0:
		g.Decision = Block
	case len(open) == 0 && len(g.Rules) > 0:
		g.Decision = Deploy
		g.Reasons = []verdict.Reason{g.deployed()}
	}
	// Of a Block the open rules are told too, after the broken ones.
	g.Reasons = append(g.Reasons, append(broken, open...)...)
	g.ExitCode = g.Decision.ExitCode()
}

// deployed is the reason of a Deploy. Where a rule is only noted it names it: what was not
// shown must not read as if every rule held.
func (g *Result) deployed() verdict.Reason {
	noted := map[string][]string{} // scenarios, by the names of rules
	var names []string
	for _, r := range g.Rules {
		if r.Outcome != RuleNoted {
			continue
		}
		if _, known := noted[r.Name]; !known {
			names = append(names, r.Name)
		}
		noted[r.Name] = append(noted[r.Name], r.Scenario)
	}
	if len(names) == 0 || g.Asked == nil || g.Asked.Edition < secondEdition {
		return codeDeploy.Reason("every check passed")
	}
	for i, name := range names {
		// The scenario of a rule of the whole run is "".
		if scenarios := noted[name]; scenarios[0] != "" {
			names[i] = fmt.Sprintf("%s of %s", name, prose.Some(scenarios, mostScenarios))
		}
		if name == ruleRegression {
			_, delta := g.Undecided()
			names[i] += fmt.Sprintf(" (a drop of %s is not ruled out, which is allowed)", phrase.Points(delta))
		}
	}
	return CodeNoted.Reason("no check failed or is undecided; only noted: %s", strings.Join(names, ", "))
}

// mostScenarios is how many scenarios a reason names of one rule. The number is chosen: all
// of them stand among the rules.
const mostScenarios = 5
