package design

import "github.com/tribunal-dev/tribunal/verdict"

// WarnErrorsExceed says that the exact errors of a design are above what was asked for:
// a plan, a run and a sequential verdict may warn of it.
const (
	WarnErrorsExceed verdict.Code = "errors-exceed-targets"
)

// How a sequential test ended: reasons of a run's tests and of sequential verdicts.
const (
	codePassBoundary verdict.Code = "pass-boundary"
	codeFailBoundary verdict.Code = "fail-boundary"
	CodeTrialsUsedUp verdict.Code = "max-trials"
)
