// Package plan says what a test will take before a trial is paid for. [Test] designs one
// sequential test and describes it beside the classical one and Wald's; a [Suite], begun by
// [NewSuite], adds up the tests of a suite; [NewForecast] projects what successes will cost
// a month. [Design] returns the design alone.
package plan
