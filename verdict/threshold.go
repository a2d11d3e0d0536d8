package verdict

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/phrase"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/threshold"
	"github.com/tribunal-dev/tribunal/trial/usage"
)

// ThresholdSchema names the JSON form of a [ThresholdResult].
const ThresholdSchema = "tribunal/verdict/v1"

// DefaultAlpha bounds the probability of a false Fail where nothing else is said.
const DefaultAlpha = 0.05

// ThresholdOptions say how a pass rate is judged.
type ThresholdOptions struct {
	Threshold float64              // strictly between 0 and 1
	Alpha     float64              // two-sided error of the interval; 0 means DefaultAlpha
	Interval  stats.IntervalMethod // Wilson by default
	Errors    ErrorPolicy          // robust by default
	By        Grouping             // the pooled suite by default
	// Anytime judges by bets on the rate in place of Interval, so that the errors hold over all looks together, however
	// many there are and whenever they are taken; see [betting.Above].
	Anytime bool
	// Labels of some of the trials decide in place of the outcomes, which are the verdicts of a judge; nil: the
	// outcomes
	// do.
	Labels *LabelSample

	edition int  // of a result that is judged again; 0: thresholdEdition
	uniform bool // one at any time, whose version judged by the uniform mixture
}

// thresholdEdition is that of the results of [JudgeThreshold]; see [ThresholdResult]. Results of the first have none.
const (
	thresholdEdition = 4
	firstEdition     = 1
)

// ThresholdResult is a verdict on one or more scenarios against a threshold, with
// all that it was decided from.
type ThresholdResult struct {
	Schema  string  `json:"schema"`  // names the JSON form
	Verdict Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode  int         `json:"exit_code"`
	Alpha     float64     `json:"alpha"`     // two-sided error of the interval, from 0 to 1
	Threshold float64     `json:"threshold"` // the least pass rate that is good enough, from 0 to 1
	By        Grouping    `json:"by"`        // whether the pooled trials decide, or every scenario
	Errors    ErrorPolicy `json:"errors"`    // how trials count that ended in an error
	// At any time: errors are those over all looks, and Alpha bounds either, as it does that of each limit.
	Anytime bool `json:"anytime,omitempty"`
	// Method is the interval that was asked for; each interval names its own, which is Clopper and Pearson's where
	// a risk of Method is above Alpha at that number of trials. It is "betting" at any time; absent of results of
	// versions that judged by a confidence sequence then, both of whose limits together erred with Alpha.
	Method string `json:"interval_method,omitempty"`
	// Edition is 4; 3 of results of versions that passed whatever a single scenario did where all trials together decide,
	// 2 of results of versions whose MoreTrials did not know the correction for the number of scenarios,
	// and absent of those by which Method decided whatever its risks.
	Edition int `json:"edition,omitempty"`
	// Why the verdict is what it is, the most important first.
	Reasons     []Reason      `json:"reasons"`
	Warnings    []Warning     `json:"warnings"`        // what to know before relying on it; may be empty
	Suite       *RateVerdict  `json:"suite,omitempty"` // with several scenarios
	Scenarios   []RateVerdict `json:"scenarios"`       // in the order of the evidence
	Reliability *Reliability  `json:"reliability"`     // of repeated trials
	// What the trials took, by model; nil where none names a model, and of counts.
	Usage *usage.Usage `json:"usage,omitempty"`
	Looks *Looks       `json:"looks,omitempty"` // at this question; nil where they are not counted
	// Answers that came again, by scenario; absent where hardly any did, or the recording has none.
	Answers []ScenarioAnswers `json:"identical_answers,omitempty"`
	// Labels decide where they are: the rates are those of the judge then.
	Labels *Labels `json:"labels,omitempty"`
}

// Look counts this judgement after earlier ones. The verdict stays what it is.
func (r *ThresholdResult) Look(earlier []Look, declared int) {
	r.Looks = NewLooks(earlier, declared, r.Risk())
	r.Warnings = append(r.Warnings, r.Looks.Warnings()...)
}

// Repeat tells of answers that came again. The verdict stays what it is.
func (r *ThresholdResult) Repeat(list []ScenarioAnswers) {
	r.Answers = list
	if text := AnswersText(list); text != "" {
		r.Warnings = append(r.Warnings, WarnAnswers.Warning("%s", text))
	}
}

// Risk is that of the verdict; zero where there is nothing to judge.
func (r *ThresholdResult) Risk() Risk {
	switch {
	case r.Labels != nil:
		return Risk{FalsePass: r.Alpha / 2, FalseFail: r.Alpha / 2, Bound: true}
	case r.Suite != nil && r.Suite.Risk != nil:
		return *r.Suite.Risk
	case len(r.Scenarios) == 1 && r.Scenarios[0].Risk != nil:
		return *r.Scenarios[0].Risk
	}
	return Risk{}
}

// RateVerdict judges one pass rate.
type RateVerdict struct {
	Name   string `json:"name"`   // of the scenario, or "suite"
	Passes int    `json:"passes"` // among Trials
	Trials int    `json:"trials"` // passes and failures
	// Trials without a verdict; among Trials only where they count as failures.
	Errors int `json:"errors"`
	// Of these, those that stand for tests that did not run, and how many is not known.
	Unrun    int       `json:"unrun,omitempty"`
	Rate     *float64  `json:"rate"`     // nil without trials
	Interval *Interval `json:"interval"` // of the rate; nil without trials
	Verdict  Verdict   `json:"verdict"`  // what the evidence allows to say
	Reasons  []Reason  `json:"reasons"`  // why the verdict is what it is, the most important first
	Risk     *Risk     `json:"risk"`     // of the rule; nil without trials
	// MoreTrials says what would decide; nil where the verdict is reached, or where
	// no reasonable number of trials would do.
	MoreTrials *MoreTrials `json:"more_trials"`
	// PBelow is the exact binomial p-value of H0: the rate is at least the
	// threshold, and PBelowHolm the same after Holm's correction over all
	// scenarios; only where there are several.
	PBelow     *float64 `json:"p_below,omitempty"`
	PBelowHolm *float64 `json:"p_below_holm,omitempty"` // see PBelow
	// Scope gives the suite's rate for two questions; only on a suite.
	Scope *Scope `json:"scope,omitempty"`
}

// Interval is an interval at a two-sided confidence level, and its method.
type Interval struct {
	Method string  `json:"method"` // such as "wilson"
	Level  float64 `json:"level"`  // confidence of the interval, from 0 to 1
	Low    float64 `json:"low"`    // lower limit
	High   float64 `json:"high"`   // upper limit
}

// Risk holds the error probabilities of the rule at this number of trials: the largest
// probability of Pass over rates below the threshold, and of Fail over rates at or above
// it, also where the trials have unlike rates of that mean.
//
// That of a suite is the risk of the rule that decides. Where every scenario must hold,
// it is that of the verdict on all: of Pass although a scenario is below the threshold,
// and of Fail although none is. Where all trials together decide, a scenario that has collapsed withdraws
// a Pass, which only makes a false one rarer.
type Risk struct {
	FalsePass float64 `json:"false_pass"` // from 0 to 1
	FalseFail float64 `json:"false_fail"` // from 0 to 1
	// A bound that may not be reached; without it, there are rates that reach both.
	Bound bool `json:"bound,omitempty"`
}

// MoreTrials is the number of further trials after which a decision has this
// chance, if the observed rate is the true one.
type MoreTrials struct {
	Trials int     `json:"trials"`             // further ones
	Chance float64 `json:"chance_of_decision"` // of a decision, from 0 to 1
}

// DecisionChance is the chance of a decision that [MoreTrials] gives a number of trials
// for, and that comparisons ask for too. 80 % is chosen: it is the usual power of a study.
const DecisionChance = 0.8

// JudgeThreshold judges the pass rate of the scenarios against a threshold. An
// error means that the options or the counts cannot be used; weak evidence is an
// Inconclusive result. Scenarios keep their order. With thousands of scenarios it takes
// seconds: the end of the context ends it with its cause.
func JudgeThreshold(ctx context.Context, tallies []Tally, options ThresholdOptions) (*ThresholdResult, error) {
	options.edition = cmp.Or(options.edition, thresholdEdition)
	j, err := newThresholdJudge(tallies, options)
	if err != nil {
		return nil, err
	}
	result := &ThresholdResult{
		Schema:      ThresholdSchema,
		Alpha:       j.rule.Alpha,
		Threshold:   j.rule.Threshold,
		By:          options.By,
		Errors:      options.Errors,
		Anytime:     options.Anytime,
		Edition:     options.edition,
		Warnings:    []Warning{},
		Scenarios:   []RateVerdict{},
		Reliability: ReliabilityOf(tallies, options.Errors),
	}
	switch {
	case options.edition == firstEdition:
		result.Edition = 0
	case !options.Anytime:
		result.Method = options.Interval.String()
	case !options.uniform:
		result.Method = bettingMethod
	}
	for _, t := range tallies {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		result.Scenarios = append(result.Scenarios, j.judge(t))
	}
	// One scenario is its own verdict; of several the options say which rates decide.
	switch {
	case len(tallies) == 0:
		result.Reasons = []Reason{CodeNoTrials.Reason("there are no trials")}
	case len(tallies) == 1:
		result.Verdict = result.Scenarios[0].Verdict
		result.Reasons = result.Scenarios[0].Reasons
	default:
		j.judgeSuite(result, tallies)
	}
	if options.Labels != nil {
		result.Warnings = []Warning{} // they are about the judge's rates, which decide nothing
		if err := j.judgeLabels(ctx, result, options.Labels); err != nil {
			return nil, err
		}
	}
	result.Warnings = append(result.Warnings, j.warnings(result)...)
	result.ExitCode = result.Verdict.ExitCode()
	return result, nil
}

// thresholdJudge holds the rule and how errors are scored.
type thresholdJudge struct {
	rule    threshold.Rule
	errors  ErrorPolicy
	uniform bool // see byUniform
	// corrects: moreTrials of several scenarios know Holm's correction.
	corrects  bool
	collapses bool // see collapsed
	// What was computed before: of thousands of scenarios many have the same counts.
	risks map[int]*Risk
	more  map[corrected]*MoreTrials
}

// newThresholdJudge checks the options and the counts, each tally and their sum, so that
// nothing after it can go wrong.
func newThresholdJudge(tallies []Tally, options ThresholdOptions) (thresholdJudge, error) {
	if options.Alpha == 0 {
		options.Alpha = DefaultAlpha
	}
	j := thresholdJudge{
		rule: threshold.Rule{
			Method: options.Interval, Alpha: options.Alpha, Threshold: options.Threshold,
			Guarded: options.edition > firstEdition,
		},
		errors:    options.Errors,
		corrects:  options.edition > 2,
		collapses: options.edition > 3,
		risks:     map[int]*Risk{},
		more:      map[corrected]*MoreTrials{},
	}
	switch {
	case options.Anytime && options.uniform:
		j.byUniform()
	case options.Anytime:
		j.byBets()
	}
	if err := CheckLevel("alpha", options.Alpha); err != nil {
		return j, err
	}
	if err := CheckLevel("threshold", options.Threshold); err != nil {
		return j, err
	}
	for _, t := range tallies {
		if err := t.Validate(); err != nil {
			return j, fmt.Errorf("scenario %q: %w", t.Scenario, err)
		}
	}
	if err := Pool("", tallies).Validate(); err != nil || options.Labels == nil {
		return j, err
	}
	return j, checkLabels(tallies, options)
}

// judge applies the rule to one tally.
func (j thresholdJudge) judge(t Tally) RateVerdict {
	c := t.Counts(j.errors)
	v := RateVerdict{Name: t.Scenario, Passes: c.Passes, Trials: c.Trials, Errors: t.Errors, Unrun: t.Unrun}
	// Nothing is known of the rate: the zero verdict, Inconclusive, stands.
	if c.Trials == 0 {
		v.Reasons = []Reason{noTrials(t)}
		return v
	}
	v.Rate = new(c.Rate())
	v.Interval = j.interval(c)
	v.Risk = j.risk(c.Trials)
	v.Verdict, v.Reasons = j.decide(t, v.Interval)
	// Only where more trials would help: where errors alone keep the verdict open, they would
	// not.
	if j.decideCounts(c) == Inconclusive {
		v.MoreTrials = j.moreTrials(corrected{c, 0})
	}
	return v
}

// corrected are counts whose p-value is multiplied by a factor, and must be alpha at most for a Fail; 0: it does not
// matter.
type corrected struct {
	stats.Counts
	factor int
}

// moreTrials is what would decide; nil where no reasonable number would.
func (j thresholdJudge) moreTrials(c corrected) *MoreTrials {
	known, there := j.more[c]
	if !there {
		fails := func(after stats.Counts) bool {
			return c.factor == 0 || float64(c.factor)*j.pBelowOf(after, j.rule.Threshold) <= j.rule.Alpha
		}
		if more, ok := j.rule.MoreTrials(c.Counts, DecisionChance, fails); ok {
			known = &MoreTrials{Trials: more.Trials, Chance: more.Chance}
		}
		j.more[c] = known
	}
	if known == nil {
		return nil
	}
	return new(*known)
}

// risk is that of the rule at a number of trials; nil where there is none.
func (j thresholdJudge) risk(trials int) *Risk {
	if j.anytime() {
		return j.anytimeRisk()
	}
	known, there := j.risks[trials]
	if !there {
		if risks, err := j.rule.Risks(trials); err == nil {
			known = &Risk{FalsePass: risks.FalsePass, FalseFail: risks.FalseFail}
		}
		j.risks[trials] = known
	}
	if known == nil {
		return nil
	}
	return new(*known)
}

// noTrials tells "nobody tried" from "everything broke": a person does different things
// about the two.
func noTrials(t Tally) Reason {
	if t.Errors > 0 {
		return CodeNoTrials.Reason("%s ended in an error, so nothing is known of the pass rate",
			prose.Form(t.Errors, "the only trial", fmt.Sprintf("all %d trials", t.Errors)))
	}
	return CodeNoTrials.Reason("there are no trials")
}

// UnrunReason is why there is no Pass beside errors that stand for tests which did not run.
func (t Tally) UnrunReason() Reason {
	return CodeErrorsMatter.Reason("%s for tests that did not run, and how many is not known",
		prose.Form(t.Unrun, "1 error stands", fmt.Sprintf("%d errors stand", t.Unrun)))
}

// decide returns the verdict that holds however the errors are scored.
func (j thresholdJudge) decide(t Tally, shown *Interval) (Verdict, []Reason) {
	scorings := t.scorings(j.errors)
	verdict := j.decideCounts(scorings[0])
	// Every other way of scoring the errors must come to the same verdict.
	for _, c := range scorings[1:] {
		if j.decideCounts(c) != verdict {
			return Inconclusive,
				[]Reason{CodeErrorsMatter.Reason(
					"%s could change the verdict, which is %s without them: find their cause and run those trials again",
					prose.Count(t.Errors, "error"), verdict)}
		}
	}
	if t.Unrun > 0 && (j.errors == RobustErrors || j.errors == FailErrors && verdict == Pass) {
		return Inconclusive, []Reason{t.UnrunReason()}
	}
	c := t.Counts(j.errors)
	seen := phrase.Share(c.Passes, c.Trials) + j.errors.omitted(t.Errors)
	limits := fmt.Sprintf("%s interval %s to %s", phrase.Percent(shown.Level), phrase.Percent(shown.Low),
		phrase.Percent(shown.High))
	threshold := phrase.Percent(j.rule.Threshold)
	switch verdict {
	case Pass:
		return Pass, []Reason{CodeAboveThreshold.Reason("%s: at or above the %s you require (%s)", seen, threshold, limits)}
	case Fail:
		return Fail, []Reason{CodeBelowThreshold.Reason("%s: below the %s you require (%s)", seen, threshold, limits)}
	}
	reasons := []Reason{CodeStraddlesThreshold.Reason("%s: too few to tell whether the rate is below or above the %s you "+
		"require (%s)", seen, threshold, limits)}
	// With very few trials even a perfect score is open: say so, rather than only "open".
	if least, ok := j.rule.LeastTrialsToPass(); ok && c.Trials < least {
		reasons = append(reasons,
			CodePassUnreachable.Reason("a Pass takes %s at least, all of them passing", prose.Count(least, "trial")))
	}
	return Inconclusive, reasons
}

// decideCounts is the rule itself: the whole interval on one side of the threshold. A rate
// at the threshold is good enough, so the lower limit may touch it.
func (j thresholdJudge) decideCounts(c stats.Counts) Verdict {
	switch side := j.rule.Decide(c); {
	case side > 0:
		return Pass
	case side < 0:
		return Fail
	}
	return Inconclusive
}

// interval is the interval that results show; nil where there is none, as without trials.
func (j thresholdJudge) interval(c stats.Counts) *Interval {
	interval, err := j.rule.Interval(c)
	if err != nil {
		return nil
	}
	return &Interval{Method: j.method(c.Trials), Level: j.level(), Low: interval.Low, High: interval.High}
}

// warnings are about the deciding rates: that of the suite, or those of the scenarios.
func (j thresholdJudge) warnings(result *ThresholdResult) []Warning {
	deciding := result.Scenarios
	if result.Suite != nil && result.By == BySuite {
		deciding = []RateVerdict{*result.Suite}
	}
	var list []Warning
	if result.Labels == nil { // else no interval of these rates decides
		list = j.risky(deciding, result)
	}
	errors := 0
	for _, v := range deciding {
		errors += v.Errors
	}
	if errors > 0 {
		list = append(list, WarnErrors.Warning("%s ended in an error%s", prose.Count(errors, "trial"),
			j.errors.Meaning(errors)))
	}
	if result.Labels == nil {
		list = append(list, j.unevenRounds(result)...)
	}
	return append(list, result.Reliability.Cost.Warnings()...)
}

// risky warns where another interval than the one that was asked for decides, since that one keeps its level on
// average over rates and errs more often than alpha at this number of trials. Of several rates the one with the largest
// risk is named. Results of the first edition were decided all the same, and warned.
func (j thresholdJudge) risky(deciding []RateVerdict, result *ThresholdResult) []Warning {
	var list []Warning
	plain := j.rule
	plain.Guarded = false
	for _, kind := range []struct {
		verdict Verdict
		risk    func(threshold.Risks) float64
		where   string
	}{
		{Fail, func(r threshold.Risks) float64 { return r.FalseFail }, "is"},
		{Pass, func(r threshold.Risks) float64 { return r.FalsePass }, "is just below"},
	} {
		// Where every scenario must hold, Holm's correction keeps Fail, and Pass alone is at the mercy of the interval.
		if kind.verdict == Fail && result.Suite != nil && result.By == ByScenario {
			continue
		}
		worst, trials := j.rule.Alpha, 0
		for _, v := range deciding {
			if v.Trials == 0 || j.anytime() {
				continue
			}
			if risks, err := plain.Risks(v.Trials); err == nil && kind.risk(risks) > worst {
				worst, trials = kind.risk(risks), v.Trials
			}
		}
		if trials == 0 {
			continue
		}
		if !j.rule.Guarded {
			list = append(list, warnRiskAboveAlpha.Warning(
				"at %s the %s interval says %s with probability up to %s where the rate %s %s, more than alpha %s; the "+
					"Clopper-Pearson interval never does",
				prose.Count(trials, "trial"), j.rule.Method, capital(kind.verdict), phrase.Percent(worst), kind.where,
				phrase.Number(j.rule.Threshold), phrase.Number(j.rule.Alpha)))
			continue
		}
		list = append(list, warnExactInterval.Warning(
			"the exact interval (Clopper-Pearson) decides: with %s the %s interval would say %s in up to %s of the cases "+
				"where the rate %s %s, and alpha is %s",
			prose.Count(trials, "trial"), j.rule.Method, capital(kind.verdict), phrase.Percent(worst), kind.where,
			phrase.Percent(j.rule.Threshold), phrase.Percent(j.rule.Alpha)))
	}
	return list
}

// capital is the name of a verdict as sentences have it.
func capital(v Verdict) string {
	name := v.String()
	return strings.ToUpper(name[:1]) + name[1:]
}

// omitted says how many errors are none of the trials that are counted; "" where they count as failures.
func (p ErrorPolicy) omitted(errors int) string {
	if p == FailErrors {
		return ""
	}
	return phrase.Omitted(errors)
}

// Meaning goes on behind "3 trials ended in an error": what so many of them count as.
func (p ErrorPolicy) Meaning(errors int) string {
	switch p {
	case ExcludeErrors:
		return prose.Form(errors, " and is left out", " and are left out")
	case FailErrors:
		return prose.Form(errors, " and counts as a failure", " and count as failures")
	}
	return ": Pass or Fail is said only where it holds whether " + prose.Form(errors, "it", "they") +
		" would have passed or failed"
}
