// Package rule says what a format does not: a [Scenario] where the scenario of a trial is
// found, a [Pass] when it passes, an [ErrorPattern] which outputs of tools are errors.
// Rules are written by users, as text; how, says package ingest.
//
// scenario.go reads and applies rules for scenarios; pass.go judges by conditions, which
// pass_parse.go reads and pass_condition.go answers; error_pattern.go finds errors of tools
// in their text. attribute.go looks up what rules name, error.go is what is wrong with one.
//
//	attribute:metadata.task_id                         a scenario
//	score>=0.5 and no-error                            a pass
//	^Error:                                            an error of a tool
//
// Rules come from people and files: a text is limited in length and depth, and patterns are
// RE2's, which take time in proportion to what they are matched with.
package rule
