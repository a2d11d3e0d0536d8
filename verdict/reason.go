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
	// Shared: what other judges say too.
	CodeNoTrials      Code = "no-trials"
	CodeErrorsMatter  Code = "errors-could-change-verdict"
	CodeScenariosFail Code = "scenarios-fail"
	CodeScenariosOpen Code = "scenarios-inconclusive"
	CodeScenariosPass Code = "scenarios-pass"
)

// Warnings of a threshold verdict; other judges give WarnErrors and WarnCostPartlyKnown
// too, and have further codes of their own.
const (
	warnRiskAboveAlpha  Code = "risk-above-alpha" // of results of earlier versions
	warnExactInterval   Code = "exact-interval"
	warnMeanBelow       Code = "mean-below"
	warnScenariosBelow  Code = "scenarios-below-threshold"
	warnFewScenarios    Code = "few-scenarios"
	WarnErrors          Code = "errors"
	WarnCostPartlyKnown Code = "cost-partly-known"
	warnCostEstimated   Code = "cost-estimated"
)

// Reason says, to a program and to a person, why a verdict is what it is.
type Reason struct {
	Code Code   `json:"code"` // stable
	Text string `json:"text"` // for a person; may change
}

// Warning says what a reader of a result should know before relying on it.
type Warning struct {
	Code Code   `json:"code"` // stable
	Text string `json:"text"` // for a person; may change
}

// Reason returns a reason with the code; the text is that of [fmt.Sprintf].
func (c Code) Reason(format string, arguments ...any) Reason {
	return Reason{c, fmt.Sprintf(format, arguments...)}
}

// Warning returns a warning with the code; the text is that of [fmt.Sprintf].
func (c Code) Warning(format string, arguments ...any) Warning {
	return Warning{c, fmt.Sprintf(format, arguments...)}
}
