// Package bench is what the measurements of this module have in common: the tables in
// which they are printed, for people and for programs, and the repetition of runs on all
// processors. What is measured are the promises of the methods, by enumeration where
// that can be had and by simulation elsewhere, on systems that are known:
//
//   - calibration: how often every decision errs, beside what is promised of it.
//   - savings: how many trials sequential tests save, beside the error rates at which
//     they save them.
//   - detection: how often a comparison of behaviour finds a change that is there, and
//     one that is not.
//   - simulation: systems whose rates are known, and how often the whole runner passes
//     and fails them.
//
// Every measurement depends on its options and seed alone, not on the machine or the
// number of its processors. Time is measured by the benchmarks of the tests; those of
// this package compare it with other programs and follow how it grows.
package bench
