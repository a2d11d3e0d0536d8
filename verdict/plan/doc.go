// Package plan says what a test will take before a trial is paid for: [Test] plans one
// test, a [Suite] adds up those of a suite, and [NewForecast] projects what successes
// will cost.
package plan
