// Package verdict turns evidence and a rule into Pass, Fail or Inconclusive, with the
// reasons. It holds what all judges share, and judges a pass rate against a threshold:
// see [JudgeThreshold] and its example. The other judges have packages of their own below this
// one, such as compare, runs and gate: each has options, a Judge and a result. Package plan says
// what a test will take, before there are trials.
//
// All of them return a [Result]: it holds the options and the evidence that it was decided
// from, ready to be written as JSON. Package verify lists all kinds of results with what they
// are (verify.Kinds), reads a saved one and judges it again (verify.Decode, verify.Verify);
// package report renders it. Packages recording and design hold what several judges need:
// recorded trials, and sequential designs as results show them.
//
// An error of a judge means that its options cannot be used, or that its context ended.
// Weak evidence, or none, is an Inconclusive result with its reasons.
package verdict
