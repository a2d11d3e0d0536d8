// Package bench measures what the methods of this module promise, by enumeration where
// that can be had and by simulation elsewhere, on systems that are known.
//
// [RunRates] runs simulated agents through the whole runner and compares how often it
// passes and fails them with the exact characteristics of the design:
//
//	r, err := bench.RunRates(ctx, bench.RunRatesOptions{Design: plan.Design, Rate: 0.9, Runs: 20_000})
//
// The functions whose names begin with Behaviour measure the comparisons of package
// fingerprint: [BehaviourFalseAlarms] on systems that did not change, and
// [BehaviourPower] on systems that did.
//
//	alarms, err := bench.BehaviourFalseAlarms(ctx, bench.BehaviourHalves(agent, 20, 20), bench.BehaviourOptions{})
//	fmt.Println(alarms.Default, alarms.Hotelling) // shares of the splits in which a change was found
//
// [MeasureSavings] sets what sequential tests save beside the error rates at which they
// save it. An [Agent] is a simulated system whose rates are known.
//
// What a command prints is a [Report]: tables for people, records for programs. Every
// measurement but of time depends on its options and seed alone, not on the machine or
// the number of its processors.
package bench
