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
//   - faults: whether suites that cover more find more faults, where faults were planted.
//   - simulation: systems whose rates are known, and how often the whole runner passes
//     and fails them.
//
// Every measurement depends on its options and seed alone, not on the machine or the
// number of its processors. Time is measured by the benchmarks of the tests; those of
// this package compare it with other programs and follow how it grows.
//
// # Reports
//
// Each measurement returns a [Report]: [Page] for people, in which a [Table] has [Cell] values with
// a text, and records for programs, in which the same cells have a value with all digits. What it
// holds is also encoded as JSON. The program tribunal-calibrate prints them:
//
//	r, err := calibration.Measure(ctx, calibration.Options{Short: true, Seed: 1})
//	if err != nil {
//		return err
//	}
//	err = r.Page().WriteText(os.Stdout, 80) // or r.Records().WriteCSV(os.Stdout)
//
// [Repeat] is what simulations run on: table.go holds the tables, repeat.go the repetition.
package bench
