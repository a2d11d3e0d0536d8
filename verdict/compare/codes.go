package compare

import (
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/runs"
)

// Reasons of a comparison.
const (
	// The margin rule: see applyMargin.
	CodeWorse            verdict.Code = "worse"
	CodeNotWorseByDelta  verdict.Code = "not-worse-by-delta"
	CodeWorseWithinDelta verdict.Code = "worse-by-less-than-delta"
	CodePassedWhileWorse verdict.Code = "scenarios-worse-in-a-pass"
	CodeUndecided        verdict.Code = "neither-shown"
	CodeMissing                       = runs.CodeGone // of the candidate: there is no Pass
	// AgentAssay's rule, which shares CodeWorse: see applyPaper.
	CodeDropBelowDelta verdict.Code = "observed-drop-below-delta"
	CodePowerReached   verdict.Code = "power-reached"
	CodePowerTooLow    verdict.Code = "power-too-low"
	// The Bayesian rule: see applyBayes.
	CodePosterior verdict.Code = "posterior-probability"
	// Metrics that may fail it, under any rule: see [MetricRise].
	CodeMetricRose   verdict.Code = "metric-rose"
	CodeMetricOpen   verdict.Code = "metric-open"
	CodeMetricWithin verdict.Code = "metric-within"
)

// Warnings of a comparison; addWarnings and addPower give them. WarnSameTrials is given
// where recordings are read, by those who can see that two files are one.
const (
	WarnUnpaired           verdict.Code = "unpaired-trials"
	WarnScenarioMix        verdict.Code = "scenario-mix-differs"
	WarnPooledTest         verdict.Code = "pooled-test"
	WarnOppositeEffects    verdict.Code = "opposite-effects"
	WarnTrialsUnused       verdict.Code = "trials-unused"
	WarnScenariosWorse     verdict.Code = "scenarios-worse"
	WarnApproximateLevel   verdict.Code = "approximate-level"
	WarnDeltaExceedsRate   verdict.Code = "delta-exceeds-baseline-rate"
	WarnSameTrials         verdict.Code = "same-trials"
	WarnMetricsChanged     verdict.Code = "metrics-changed"
	WarnPowerNotComputed   verdict.Code = "power-not-computed"
	WarnPaperPowerProperty verdict.Code = "paper-rule-power"
	WarnOfSums             verdict.Code = "of-sums"
	WarnColumnsChanged     verdict.Code = "columns-changed"
	WarnGone               verdict.Code = runs.WarnGone  // the baseline has scenarios that the candidate did not try
	WarnAdded              verdict.Code = runs.WarnAdded // the candidate has scenarios that the baseline did not try
)
