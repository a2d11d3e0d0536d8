package compare

import (
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/trial/oracle/guardrails"
	"github.com/tribunal-dev/tribunal/trial/usage"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/recording"
	"github.com/tribunal-dev/tribunal/verdict/sampled"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/compare/v1"

// Result is a verdict on a candidate against a baseline, with all that it was
// decided from. A difference is candidate minus baseline; the p-value of a test is
// one-sided against "the candidate is worse" unless its name says otherwise.
type Result struct {
	Schema  string          `json:"schema"`  // names the JSON form
	Verdict verdict.Verdict `json:"verdict"` // what the evidence allows to say
	// Of the process: 0 Pass, 1 Fail, 2 Inconclusive, unless the command was told otherwise.
	ExitCode int     `json:"exit_code"`
	Alpha    float64 `json:"alpha"` // bounds the chance of a false Fail, from 0 to 1
	Beta     float64 `json:"beta"`  // bounds the chance of a false Pass, from 0 to 1
	// The smallest drop of the pass rate that matters, from 0 to 1.
	Delta float64 `json:"delta"`
	Rule  Rule    `json:"rule"` // how the tests decide
	// Whether all trials together decide, or every scenario.
	By         verdict.Grouping        `json:"by"`
	Errors     verdict.ErrorPolicy     `json:"errors"`     // how trials count that ended in an error
	Correction multiplicity.Correction `json:"correction"` // of the p-values of the scenarios
	// Why the verdict is what it is, the most important first.
	Reasons  []verdict.Reason  `json:"reasons"`
	Warnings []verdict.Warning `json:"warnings"` // what to know before relying on it; may be empty

	Baseline  Side `json:"baseline"`  // what is compared with
	Candidate Side `json:"candidate"` // what is judged
	// Of the candidate's errors, those that stand for tests that did not run, and how many is not known.
	Unrun      int        `json:"unrun,omitempty"`
	Difference Difference `json:"difference"`          // of the pass rates, candidate minus baseline
	Pairs      *FlipTable `json:"pairs,omitempty"`     // where trials are paired
	Tests      Tests      `json:"tests"`               // all that apply, whichever decides
	DecidedBy  stats.Test `json:"decided_by"`          // the test against "the candidate is worse" that decided
	Effect     Effect     `json:"effect"`              // how large the difference is
	Power      *Power     `json:"power"`               // nil where it cannot be computed
	MoreTrials *MorePairs `json:"more_trials"`         // nil where decided, or no reasonable number would do
	Bayes      Bayes      `json:"bayes"`               // the same question, asked of the posterior
	Posterior  *Posterior `json:"posterior,omitempty"` // under priors that were given; it decides nothing

	Looks *verdict.Looks `json:"looks,omitempty"` // at this question; nil where they are not counted
	// Answers of each side that came again, by scenario; absent where hardly any did, or the recording has none.
	BaselineAnswers  []verdict.ScenarioAnswers `json:"baseline_identical_answers,omitempty"`
	CandidateAnswers []verdict.ScenarioAnswers `json:"candidate_identical_answers,omitempty"`

	Commit string `json:"commit,omitempty"` // of the folder in which it was compared, where one is known

	Seed uint64 `json:"seed,omitempty"` // of what was drawn
	// Edition is 5 of a result of more trials than one lists, whose exact tests look near what was observed, 4 of a
	// result of so many trials that only what matters of them is computed, 3 of one whose trials are pairs whatever
	// their inputs are, 2 of one whose pairs have the same input and whose metrics went by ranks; absent of older ones.
	Edition int `json:"edition,omitempty"`
	// Strata are the groups of like trials that the test compares within; nil where there is one.
	Strata *Strata `json:"strata,omitempty"`
	// Heterogeneity is whether the scenarios changed differently; nil with fewer than two that both tried.
	Heterogeneity *Heterogeneity `json:"heterogeneity,omitempty"`
	Family        *Family        `json:"family,omitempty"` // of errors: which tests share which level

	Scenarios []Scenario `json:"scenarios"` // where both sides name several
	// Examples are of scenarios that passed less often, those that fell most first: a trial of the baseline that passed
	// and one of the candidate that failed. Absent where trials are pairs, whose flips are listed, and of older results.
	Examples []Flip `json:"examples,omitempty"`
	// OneSided counts the scenarios that one side alone tried; nil where there are none, and in results of earlier
	// versions.
	OneSided  *OneSidedCounts       `json:"one_sided,omitempty"`
	Metrics   []Metric              `json:"metrics"`             // those that both sides carry
	FailOn    []MetricRise          `json:"fail_on,omitempty"`   // those whose rise fails the comparison too
	Behaviour *behaviour.Comparison `json:"behaviour,omitempty"` // where the trials themselves are known

	BehaviourCounts bool `json:"behaviour_counts,omitempty"` // a change of it makes the verdict Fail
	// Columns are measures of behaviour of which only sums are known, each by itself; absent of trials.
	Columns []ColumnChange `json:"columns,omitempty"`
	// What all but the behaviour is computed from; absent for counts, and where they are too many.
	Trials *Trials `json:"trials,omitempty"`
	// Aggregates are what else it is computed from where the trials are too many; absent of results of earlier versions.
	Aggregates *Aggregates `json:"aggregates,omitempty"`
	// Sampled are some of the trials, with digests, where they are too many; absent of results of earlier versions, and
	// where nobody drew them.
	Sampled *sampled.Sample `json:"sampled,omitempty"`
	// The groups that it is computed from in place of trials; absent of trials, of counts that were given by hand, and
	// where they are too many.
	Groups *Groups `json:"groups,omitempty"`
}

// Side is one of the two systems.
type Side struct {
	Name   string `json:"name"`   // of the variant or the file
	Passes int    `json:"passes"` // among Trials
	// Passes and failures; errors too where they count as failures.
	Trials int `json:"trials"`
	Errors int `json:"errors"` // trials without a verdict
	// Passes over Trials, from 0 to 1; nil without trials.
	Rate *float64 `json:"rate"`
	// Of the rate, two-sided; nil without trials.
	Interval    *verdict.Interval    `json:"interval"`
	Reliability *verdict.Reliability `json:"reliability,omitempty"` // nil without trials
	Usage       *usage.Usage         `json:"usage,omitempty"`       // what the trials took; nil where none names a model
	// What guards kept from being done in the trials; nil where none stood before any of them.
	Guardrails *guardrails.Counts `json:"guardrails,omitempty"`
}

// Difference is the candidate's pass rate minus the baseline's.
type Difference struct {
	Value  *float64 `json:"value"`  // nil without trials on both sides, of a scenario where each stands for itself
	Method string   `json:"method"` // "miettinen-nurminen", "stratified-newcombe" or "tango" of pairs
	Level  float64  `json:"level"`  // confidence of the interval, from 0 to 1
	Low    float64  `json:"low"`    // from -1 to 1, like High
	High   float64  `json:"high"`   // upper limit
	// NewScenarios is the interval of the mean difference over new scenarios like
	// these, which covers also where all scenarios agree; nil with fewer than two.
	NewScenarios *verdict.Interval `json:"new_scenarios,omitempty"`
}

// FlipTable counts paired trials by both outcomes, and names those that flipped.
type FlipTable struct {
	Pairs    int `json:"pairs"`     // with an outcome on both sides
	BothPass int `json:"both_pass"` // pairs that passed on both sides
	// Pairs that passed on the baseline and failed on the candidate.
	Regressed int `json:"broke"`
	// Pairs that failed on the baseline and passed on the candidate.
	Fixed    int `json:"mended"`
	BothFail int `json:"both_fail"` // pairs that failed on both sides
	// Pairs in which a trial ended in an error; not among Pairs.
	WithErrors        int  `json:"with_errors"`
	UnpairedBaseline  int  `json:"unpaired_baseline"`  // trials of the baseline without a partner
	UnpairedCandidate int  `json:"unpaired_candidate"` // trials of the candidate without a partner
	ByInput           bool `json:"by_input"`           // the inputs of all trials are known
	// Of the pairs, with errors or without, where inputs are known: those of the same input, and those of one
	// scenario whose inputs differ.
	SameInput  int    `json:"same_input,omitempty"`
	OtherInput int    `json:"other_input,omitempty"` // see SameInput
	Flips      []Flip `json:"flips"`                 // the pairs that flipped, regressed ones first
	// Omitted are further pairs that flipped, of which too many did to be listed.
	Omitted int `json:"flips_omitted,omitempty"`
}

// table are the counts alone: what broke and what mended, here and in JSON, is what the fields call regressed and
// fixed.
func (f *FlipTable) table() stats.Pairs {
	return stats.Pairs{BothPass: f.BothPass, Broke: f.Regressed, Mended: f.Fixed, BothFail: f.BothFail}
}

// Flip is a pair whose outcomes differ, or of examples two trials that are no pair.
type Flip struct {
	Scenario string `json:"scenario"` // of both trials
	Trial    *int   `json:"trial"`    // the baseline's trial number, nil where it has none
	// The candidate's, of an example; nil where it has none, and of pairs.
	CandidateTrial *int   `json:"candidate_trial,omitempty"`
	To             string `json:"to"` // "fail": it regressed; "pass": it was fixed
	// The beginnings of what the two answered, where that was recorded; else empty.
	BaselineOutput  string `json:"baseline_output,omitempty"`
	CandidateOutput string `json:"candidate_output,omitempty"`
	// What the two did, where that was recorded; else nil, as in results of earlier versions.
	BaselineSteps  *recording.Steps `json:"baseline_steps,omitempty"`
	CandidateSteps *recording.Steps `json:"candidate_steps,omitempty"`
}

// CMH is the Cochran-Mantel-Haenszel test over scenarios.
type CMH struct {
	P         float64 `json:"p"`           // one-sided, against "the candidate is worse"
	PTwoSided float64 `json:"p_two_sided"` // against "the two differ"
	// The candidate's common odds over the baseline's; nil where it is not finite.
	OddsRatio *float64 `json:"odds_ratio"`
}

// Effect measures how large the difference is.
type Effect struct {
	// Baseline minus candidate: positive if the candidate is worse.
	CohensH *float64 `json:"cohens_h"`
	// "negligible", "small", "medium" or "large", by Cohen's h.
	Magnitude       string   `json:"magnitude"`
	OddsRatio       *float64 `json:"odds_ratio"`                  // candidate's odds over the baseline's
	OddsRatioReason string   `json:"odds_ratio_reason,omitempty"` // why there is none; empty where there is
}

// Power is the exact power of the deciding test at the observed baseline rate.
type Power struct {
	AtDelta float64 `json:"at_delta"` // probability of finding a drop of delta
	// MDE is the smallest drop found with probability 1-beta; nil if none is.
	MDE *float64 `json:"mde"`
	// Draws is how many recordings were drawn for it; 0 where none were.
	Draws int `json:"draws,omitempty"`
	// Normal says that it is by the normal distribution; without draws it is exact else.
	Normal bool `json:"normal,omitempty"`
}

// MorePairs is the size of a new comparison that decides with this chance, if the
// observed rates are the true ones.
type MorePairs struct {
	Baseline  int     `json:"baseline_trials"`    // trials of the baseline, all in all
	Candidate int     `json:"candidate_trials"`   // trials of the candidate, all in all
	Chance    float64 `json:"chance_of_decision"` // of a decision, from 0 to 1
}

// Bayes is the posterior probability that the candidate's rate is lower than the
// baseline's by more than delta, under independent priors (uniform, unless some were given and decide), and the verdict
// of the Bayesian rule.
type Bayes struct {
	Probability *float64        `json:"probability"` // from 0 to 1; nil without trials on both sides
	Verdict     verdict.Verdict `json:"verdict"`     // Fail above 1-alpha, Pass below beta
}

// Strata says what is compared with what.
type Strata struct {
	Groups   int  `json:"groups"`   // scenarios, or inputs of them, that both sides tried
	ByInput  bool `json:"by_input"` // within inputs, where these were repeated or shared
	Clusters int  `json:"clusters"` // inputs that only one side tried and that count as one observation each
	// MixDiffers says that the groups have different shares of the two sides.
	MixDiffers bool `json:"mix_differs"`
	// Used is the share of the trials on which "not worse by delta" rests, and Mismatch what its delta loses
	// by shares that still differ; nil where another test decides that.
	Used     *float64 `json:"used,omitempty"`
	Mismatch float64  `json:"mismatch,omitempty"` // between 0 and 1
}

// Heterogeneity says whether the scenarios changed differently.
type Heterogeneity struct {
	P      float64  `json:"p"`      // of the exact test of one common change of the odds
	Differ bool     `json:"differ"` // P is at most its share of the level; see [Family]
	Worse  []string `json:"worse"`  // the scenarios that passed less often, those that fell most first
	Better []string `json:"better"` // those that passed more often, those that rose most first
}

// Family is the family of errors of the page. An unchanged agent gets a false Fail with at most Verdict, any
// of the other alarms with at most Others, and any alarm at all with at most Any.
type Family struct {
	// Alpha, of each test of rates or behaviour that can fail, and the share of the metrics where one of them can; 0
	// under the Bayes rule, which bounds none.
	Verdict float64 `json:"verdict"`
	Others  float64 `json:"others"` // in equal shares over the parts, Holm's correction within each
	Each    float64 `json:"each"`   // the share of a part
	// Scenarios is the level of the list of scenarios: alpha once the deciding test found the candidate worse,
	// else the share of a part. 0 without a list.
	Scenarios float64 `json:"scenarios,omitempty"`
	Any       float64 `json:"any"` // the union bound of all
	// The parts that are shown beside the verdict: "scenarios", "differing changes", "metrics", "behaviour".
	Parts []string `json:"parts"`
}

// Scenario compares the two sides on one scenario.
type Scenario struct {
	Name      string          `json:"name"`      // of the scenario
	Baseline  PassCounts      `json:"baseline"`  // the baseline's trials of it
	Candidate PassCounts      `json:"candidate"` // the candidate's trials of it
	P         float64         `json:"p"`         // against "worse"; 1 where a side has no trial
	PHolm     float64         `json:"p_holm"`    // corrected for the chance that any scenario shows it
	PBH       float64         `json:"p_bh"`      // false discovery rate, for a list to look through
	Verdict   verdict.Verdict `json:"verdict"`   // by the margin rule, with P corrected on the Fail side
}

// PassCounts counts the passes of one side on one scenario.
type PassCounts struct {
	Passes int `json:"passes"` // among Trials
	Trials int `json:"trials"` // passes and failures; errors too where they count as failures
	Errors int `json:"errors"` // trials without a verdict
}

// Metric compares the means of a quantity that trials on both sides carry, within pairs or groups of like
// trials. P is two-sided, PAdjusted Holm's over all metrics. The interval of the difference is that of P: it leaves 0
// out where P is at most alpha, and knows nothing of Holm's correction.
type Metric struct {
	Name       recording.MetricName `json:"name"`       // such as cost_usd
	Unit       string               `json:"unit"`       // such as USD
	Baseline   Summary              `json:"baseline"`   // over its trials, whatever their outcome
	Candidate  Summary              `json:"candidate"`  // over its trials, whatever their outcome
	Difference MeanChange           `json:"difference"` // of the means, candidate minus baseline
	// [MeansTest]; another in results of earlier editions, or none.
	Test   string `json:"test,omitempty"`
	Draws  int    `json:"draws,omitempty"`  // assignments that were drawn for P; 0 where it needed none
	Strata int    `json:"strata,omitempty"` // pairs, or groups of like trials that both sides tried
	// Two-sided; 1 where it cannot be computed.
	P         float64 `json:"p"`
	PAdjusted float64 `json:"p_adjusted"` // after Holm's correction over all metrics
	Changed   bool    `json:"changed"`    // PAdjusted is at most its share of the level; see [Family]
}

// MeansTest is the test of a [Metric] and the method of its interval; see [sample.CompareMeans].
const MeansTest = "permutation-of-means"

// SumsTest is the test of a [Metric] of which only sums are known; see [sample.CompareMoments].
const SumsTest = "welch-of-sums"

// Summary describes the known values of a metric on one side.
type Summary struct {
	Known  int     `json:"known"`  // trials whose value is known
	Trials int     `json:"trials"` // all trials
	Mean   float64 `json:"mean"`   // of the known values
	// Of the known values; absent where only their sums are known.
	Median *float64 `json:"median,omitempty"`
	Total  float64  `json:"total"` // over the known
}

// MeanChange is the candidate's mean minus the baseline's, within pairs or groups of like
// trials: with another mix of scenarios it is not the difference of the means that are shown.
type MeanChange struct {
	Value   float64  `json:"value"`    // candidate minus baseline, in the unit of the metric
	Ratio   *float64 `json:"ratio"`    // 1 and Value over the baseline's mean; nil if that is 0, or Value a fall by more
	Method  string   `json:"method"`   // [MeansTest]
	Level   float64  `json:"level"`    // confidence of the interval, from 0 to 1
	Low     *float64 `json:"low"`      // nil where a side has too few values, or there is no spread
	High    *float64 `json:"high"`     // nil where Low is
	ByPairs bool     `json:"by_pairs"` // of pairs
	// Of the resampling in results of earlier versions; later ones draw nothing.
	Resample int    `json:"resamples,omitempty"`
	Seed     uint64 `json:"seed,omitempty"`
}

// Rule says how a comparison is decided.
type Rule uint8

const (
	// MarginRule, the default, fails on "worse" at alpha and passes on "not worse
	// by delta" at beta.
	MarginRule Rule = iota
	// PaperRule is AgentAssay's Definition 3.7.
	PaperRule
	// BayesRule fails where the posterior probability of a drop above delta
	// exceeds 1-alpha, and passes where it is below beta.
	BayesRule
)

var ruleNames = enum.Of[Rule]("rule", "margin", "paper", "bayes")

// String returns "margin", "paper" or "bayes".
func (r Rule) String() string { return ruleNames.String(r) }

// MarshalText writes the rule's name.
func (r Rule) MarshalText() ([]byte, error) { return ruleNames.MarshalText(r) }

// UnmarshalText reads a rule's name.
func (r *Rule) UnmarshalText(text []byte) error {
	return ruleNames.UnmarshalText(text, r)
}

// Promises reports whether the verdict keeps alpha and beta: by the margin rule, tests whose level is exact and,
// where every scenario must hold, Holm's correction.
func (r *Result) Promises() bool {
	behaves := !r.BehaviourCounts || r.Behaviour.Promises()
	return r.Rule == MarginRule && r.DecidedBy.Exact() && behaves &&
		(r.By == verdict.BySuite || r.Correction == multiplicity.Holm)
}

// Look counts the result after earlier looks at its question: in each a false Fail has a chance of at most
// alpha and a false Pass one of at most beta.
func (r *Result) Look(earlier []verdict.Look, declared int) {
	risk := verdict.Risk{FalsePass: r.Beta, FalseFail: r.Alpha}
	if len(r.FailOn) > 0 && r.Family != nil {
		risk.FalseFail = max(r.Alpha, r.Family.Verdict)
	}
	r.Looks = verdict.NewLooks(earlier, declared, risk)
	r.Warnings = append(r.Warnings, r.Looks.Warnings()...)
}
