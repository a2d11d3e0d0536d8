// Package rule says what a format does not: a [Scenario] where the scenario of a trial is
// found, a [Pass] when it passes, an [ErrorPattern] which outputs of tools are errors.
// Rules are written by users, as text; how, says package ingest.
package rule
