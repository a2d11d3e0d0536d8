package compare

import (
	"github.com/tribunal-dev/tribunal/internal/enum"
	"github.com/tribunal-dev/tribunal/stats"
	"github.com/tribunal-dev/tribunal/stats/multiplicity"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/behaviour"
	"github.com/tribunal-dev/tribunal/verdict/recording"
)

// Schema names the JSON form of a [Result].
const Schema = "tribunal/compare/v1"

// Result is a verdict on a candidate against a baseline, with all that it was
// decided from. A difference is candidate minus baseline; the p-value of a test is
// one-sided against "the candidate is worse" unless its name says otherwise.
type Result struct {
	Schema     string                  `json:"schema"`
	Verdict    verdict.Verdict         `json:"verdict"`
	ExitCode   int                     `json:"exit_code"`
	Alpha      float64                 `json:"alpha"`
	Beta       float64                 `json:"beta"`
	Delta      float64                 `json:"delta"`
	Rule       Rule                    `json:"rule"`
	By         verdict.Grouping        `json:"by"`
	Errors     verdict.ErrorPolicy     `json:"errors"`
	Correction multiplicity.Correction `json:"correction"`
	Reasons    []verdict.Reason        `json:"reasons"`
	Warnings   []verdict.Warning       `json:"warnings"`

	Baseline   Side       `json:"baseline"`
	Candidate  Side       `json:"candidate"`
	Difference Difference `json:"difference"`
	Pairs      *FlipTable `json:"pairs,omitempty"` // where trials are paired
	Tests      Tests      `json:"tests"`
	DecidedBy  stats.Test `json:"decided_by"`
	Effect     Effect     `json:"effect"`
	Power      *Power     `json:"power"`       // nil where it cannot be computed
	MoreTrials *MorePairs `json:"more_trials"` // nil where decided, or no reasonable number would do
	Bayes      Bayes      `json:"bayes"`

	Scenarios []Scenario            `json:"scenarios"`           // where both sides name several
	Metrics   []Metric              `json:"metrics"`             // those that both sides carry
	Behaviour *behaviour.Comparison `json:"behaviour,omitempty"` // where the trials themselves are known

	BehaviourCounts bool    `json:"behaviour_counts,omitempty"` // a change of it makes the verdict Fail
	Trials          *Trials `json:"trials,omitempty"`           // what all but the behaviour is computed from; absent for counts, and where they are too many
}

// Side is one of the two systems.
type Side struct {
	Name        string               `json:"name"`
	Passes      int                  `json:"passes"`
	Trials      int                  `json:"trials"`
	Errors      int                  `json:"errors"`
	Rate        *float64             `json:"rate"`
	Interval    *verdict.Interval    `json:"interval"`
	Reliability *verdict.Reliability `json:"reliability,omitempty"`
}

// Difference is the candidate's pass rate minus the baseline's.
type Difference struct {
	Value  *float64 `json:"value"` // nil without trials on both sides
	Method string   `json:"method"`
	Level  float64  `json:"level"`
	Low    float64  `json:"low"`
	High   float64  `json:"high"`
	// NewScenarios is the interval of the mean difference over new scenarios like
	// these; nil with fewer than two scenarios.
	NewScenarios *verdict.Interval `json:"new_scenarios,omitempty"`
}

// FlipTable counts paired trials by both outcomes, and names those that flipped.
type FlipTable struct {
	Pairs             int    `json:"pairs"`
	BothPass          int    `json:"both_pass"`
	Broke             int    `json:"broke"`
	Mended            int    `json:"mended"`
	BothFail          int    `json:"both_fail"`
	WithErrors        int    `json:"with_errors"` // pairs in which a trial ended in an error; not among Pairs
	UnpairedBaseline  int    `json:"unpaired_baseline"`
	UnpairedCandidate int    `json:"unpaired_candidate"`
	ByInput           bool   `json:"by_input"` // paired by scenario and input, not by scenario alone
	Flips             []Flip `json:"flips"`
}

// Flip is a pair whose outcomes differ.
type Flip struct {
	Scenario string `json:"scenario"`
	Trial    *int   `json:"trial"` // the baseline's trial number, nil where it has none
	To       string `json:"to"`    // "fail": it broke; "pass": it mended
	// The beginnings of what the two answered, where that was recorded.
	BaselineOutput  string `json:"baseline_output,omitempty"`
	CandidateOutput string `json:"candidate_output,omitempty"`
}

// CMH is the Cochran-Mantel-Haenszel test over scenarios.
type CMH struct {
	P         float64  `json:"p"`
	PTwoSided float64  `json:"p_two_sided"`
	OddsRatio *float64 `json:"odds_ratio"`
}

// Effect measures how large the difference is.
type Effect struct {
	CohensH         *float64 `json:"cohens_h"` // baseline minus candidate: positive if the candidate is worse
	Magnitude       string   `json:"magnitude"`
	OddsRatio       *float64 `json:"odds_ratio"` // candidate's odds over the baseline's
	OddsRatioReason string   `json:"odds_ratio_reason,omitempty"`
}

// Power is the exact power of the deciding test at the observed baseline rate.
type Power struct {
	AtDelta float64 `json:"at_delta"` // probability of finding a drop of delta
	// MDE is the smallest drop found with probability 1-beta; nil if none is.
	MDE *float64 `json:"mde"`
}

// MorePairs is the size of a new comparison that decides with this chance, if the
// observed rates are the true ones.
type MorePairs struct {
	Baseline  int     `json:"baseline_trials"`
	Candidate int     `json:"candidate_trials"`
	Chance    float64 `json:"chance_of_decision"`
}

// Bayes is the posterior probability that the candidate's rate is lower than the
// baseline's by more than delta, under independent uniform priors, and the verdict
// of the Bayesian rule.
type Bayes struct {
	Probability *float64        `json:"probability"`
	Verdict     verdict.Verdict `json:"verdict"`
}

// Scenario compares the two sides on one scenario.
type Scenario struct {
	Name      string          `json:"name"`
	Baseline  Passed          `json:"baseline"`
	Candidate Passed          `json:"candidate"`
	P         float64         `json:"p"`      // Boschloo's test against "worse"; 1 where a side has no trial
	PHolm     float64         `json:"p_holm"` // corrected for the chance that any scenario shows it
	PBH       float64         `json:"p_bh"`   // false discovery rate, for a list to look through
	Verdict   verdict.Verdict `json:"verdict"`
}

// Passed counts the passes of one side on one scenario.
type Passed struct {
	Passes int `json:"passes"`
	Trials int `json:"trials"`
	Errors int `json:"errors"`
}

// Metric compares a quantity that trials on both sides carry. P is that of the
// two-sided Mann-Whitney test, PAdjusted Holm's over all metrics.
type Metric struct {
	Name       recording.MetricName `json:"name"`
	Unit       string               `json:"unit"`
	Baseline   Summary              `json:"baseline"`
	Candidate  Summary              `json:"candidate"`
	Difference MeanChange           `json:"difference"`
	P          float64              `json:"p"`
	PAdjusted  float64              `json:"p_adjusted"`
	Changed    bool                 `json:"changed"` // PAdjusted <= alpha
}

// Summary describes the known values of a metric on one side.
type Summary struct {
	Known  int     `json:"known"`  // trials whose value is known
	Trials int     `json:"trials"` // all trials
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	Total  float64 `json:"total"` // over the known
}

// MeanChange is the candidate's mean minus the baseline's.
type MeanChange struct {
	Value    float64  `json:"value"`
	Ratio    *float64 `json:"ratio"` // candidate's mean over the baseline's; nil if that is 0
	Method   string   `json:"method"`
	Level    float64  `json:"level"`
	Low      *float64 `json:"low"` // nil where a side has fewer than two values
	High     *float64 `json:"high"`
	ByPairs  bool     `json:"by_pairs"` // resampled as pairs
	Resample int      `json:"resamples"`
	Seed     uint64   `json:"seed"`
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
