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
	codePassedWhileWorse verdict.Code = "scenarios-worse-in-a-pass" // of earlier versions: see Options.excusing
	CodeUndecided        verdict.Code = "neither-shown"
	CodeMissing                       = runs.CodeGone // of the candidate: there is no Pass
	// AgentAssay's rule, which shares CodeWorse: see applyPaper.
	codeDropBelowDelta verdict.Code = "observed-drop-below-delta"
	codePowerReached   verdict.Code = "power-reached"
	codePowerTooLow    verdict.Code = "power-too-low"
	// The Bayesian rule: see applyBayes.
	codePosterior verdict.Code = "posterior-probability"
	// Metrics that may fail it, under any rule: see [MetricRise].
	CodeMetricRose   verdict.Code = "metric-rose"
	CodeMetricOpen   verdict.Code = "metric-open"
	codeMetricWithin verdict.Code = "metric-within"
)

// Warnings of a comparison; addWarnings and addPower give them. warnSameTrials is given
// where recordings are read, by those who can see that two files are one.
const (
	WarnUnpaired           verdict.Code = "unpaired-trials"
	warnScenarioMix        verdict.Code = "scenario-mix-differs"
	warnPooledTest         verdict.Code = "pooled-test"
	warnOppositeEffects    verdict.Code = "opposite-effects"
	warnTrialsUnused       verdict.Code = "trials-unused"
	warnScenariosWorse     verdict.Code = "scenarios-worse"
	warnApproximateLevel   verdict.Code = "approximate-level"
	warnDeltaExceedsRate   verdict.Code = "delta-exceeds-baseline-rate"
	warnSameTrials         verdict.Code = "same-trials"
	WarnMetricsChanged     verdict.Code = "metrics-changed"
	warnPowerNotComputed   verdict.Code = "power-not-computed"
	warnPaperPowerProperty verdict.Code = "paper-rule-power"
	warnOfSums             verdict.Code = "of-sums"
	WarnColumnsChanged     verdict.Code = "columns-changed"
	warnGone               verdict.Code = runs.WarnGone  // the baseline has scenarios that the candidate did not try
	warnAdded              verdict.Code = runs.WarnAdded // the candidate has scenarios that the baseline did not try
)
