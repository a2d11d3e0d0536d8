// Package report writes the result of a judgement as text for a person or as JSON
// for a program. It computes nothing: every number is in the result.
//
//	result, err := verdict.JudgeThreshold(tallies, verdict.ThresholdOptions{Threshold: 0.85})
//	err = report.Threshold(os.Stdout, result, report.TextOptions{Width: 80})
//	err = report.JSON(os.Stdout, result)
//
// Names and messages in a result were written by systems under test: text output
// shows what a terminal or a log would act on, in place of passing it on.
package report

import "errors"

// ErrNoResult is returned where there is no result to report.
var ErrNoResult = errors.New("no result to report")

// TextOptions say how text looks. The zero value is plain text for a log.
type TextOptions struct {
	Width     int  // columns of the terminal; 0 means 80, less than 40 means 40
	Color     bool // with ANSI colour sequences
	ASCII     bool // no box or block characters and no ellipsis character
	Scenarios int  // most scenarios listed; 0 means 20, and 8 in a comparison
}

const (
	defaultWidth               = 80
	leastWidth                 = 40
	defaultScenarios           = 20
	defaultScenariosComparison = 8
)

func (o TextOptions) withDefaults(scenarios int) TextOptions {
	if o.Width <= 0 {
		o.Width = defaultWidth
	}
	o.Width = max(o.Width, leastWidth)
	if o.Scenarios <= 0 {
		o.Scenarios = scenarios
	}
	return o
}
