package verdict

import "fmt"

// Code identifies a reason or a warning; codes are stable, texts are not.
type Code string

// Reasons of a threshold verdict.
const (
	CodeAboveThreshold     Code = "interval-above-threshold"
	CodeBelowThreshold     Code = "interval-below-threshold"
	CodeStraddlesThreshold Code = "interval-straddles-threshold"
	CodeCorrected          Code = "not-below-after-correction"
	CodePassUnreachable    Code = "pass-unreachable"
	CodeNoTrials           Code = "no-trials"
	CodeErrorsMatter       Code = "errors-could-change-verdict"
	CodeScenariosFail      Code = "scenarios-fail"
	CodeScenariosOpen      Code = "scenarios-inconclusive"
	CodeScenariosPass      Code = "scenarios-pass"
)

// Reasons of a comparison.
const (
	CodeWorse            Code = "worse"
	CodeNotWorseByDelta  Code = "not-worse-by-delta"
	CodeWorseWithinDelta Code = "worse-by-less-than-delta"
	CodeUndecided        Code = "neither-shown"
	CodeDropBelowDelta   Code = "observed-drop-below-delta"
	CodePowerReached     Code = "power-reached"
	CodePowerTooLow      Code = "power-too-low"
	CodePosterior        Code = "posterior-probability"
)

// Warnings.
const (
	WarnRiskAboveAlpha     Code = "risk-above-alpha"
	WarnScenariosBelow     Code = "scenarios-below-threshold"
	WarnFewScenarios       Code = "few-scenarios"
	WarnErrors             Code = "errors"
	WarnUnpaired           Code = "unpaired-trials"
	WarnScenarioMix        Code = "scenario-mix-differs"
	WarnScenariosWorse     Code = "scenarios-worse"
	WarnApproximateLevel   Code = "approximate-level"
	WarnCostPartlyKnown    Code = "cost-partly-known"
	WarnDeltaExceedsRate   Code = "delta-exceeds-baseline-rate"
	WarnSameTrials         Code = "same-trials"
	WarnMetricsChanged     Code = "metrics-changed"
	WarnPowerNotComputed   Code = "power-not-computed"
	WarnPaperPowerProperty Code = "paper-rule-power"
)

// Reason says, to a program and to a person, why a verdict is what it is.
type Reason struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

// Warning says what a reader of a result should know before relying on it.
type Warning struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
}

func reason(code Code, format string, arguments ...any) Reason {
	return Reason{code, fmt.Sprintf(format, arguments...)}
}

func warning(code Code, format string, arguments ...any) Warning {
	return Warning{code, fmt.Sprintf(format, arguments...)}
}
