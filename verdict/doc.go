// Package verdict turns evidence and a rule into Pass, Fail or Inconclusive, with the
// reasons. It holds what all judges share, and judges a pass rate against a threshold:
// see [JudgeThreshold] and its example. The other judges have packages of their own below this one:
//
//   - compare judges a candidate against a baseline, from two recordings (compare.Judge),
//     and behaviour whether it works differently (behaviour.Compare, behaviour.Judge);
//   - sequential judges a recording as a sequential test would have (sequential.Judge), and
//     runs what a run of a suite gathered (runs.Judge);
//   - gate decides over a run whether to deploy (gate.Judge);
//   - compliance says how trials keep a contract (compliance.Judge);
//   - race picks one of several variants, rank orders them, and improvement says whether a
//     challenger takes the champion's place;
//   - relations judges whether related inputs have related answers, and mutants whether a
//     suite notices a changed agent;
//   - history says since when a rate is what it is, named which runs a name stands for,
//     proxy what trials of a cheap model say of an expensive one, and sampled whether a
//     result is of these very trials;
//   - plan says what a test, a suite or a month will take (plan.Test, plan.NewSuite,
//     plan.NewForecast).
//
// All of them return a [Result]: it holds the options and the evidence that it was decided
// from, ready to be written as JSON. Package verify reads a saved one and judges it again
// (verify.Decode, verify.Verify); package report renders it. Packages recording and design
// hold what several judges need: recorded trials, and sequential designs as results show
// them.
//
// An error of a judge means that its options cannot be used, or that its context ended.
// Weak evidence, or none, is an Inconclusive result with its reasons.
package verdict
