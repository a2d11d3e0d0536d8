package design

import "github.com/tribunal-dev/tribunal/verdict"

// Warnings of a plan.
const (
	WarnErrorsExceed verdict.Code = "errors-exceed-targets"
)

// Reasons of a sequential verdict.
const (
	CodePassBoundary verdict.Code = "pass-boundary"
	CodeFailBoundary verdict.Code = "fail-boundary"
	CodeTrialsUsedUp verdict.Code = "max-trials"
)
