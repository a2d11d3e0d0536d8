// Package detection measures the comparisons of package fingerprint on simulated
// systems: [FalseAlarms] on those that did not change, [Power] on those that did.
//
//	alarms, err := detection.FalseAlarms(ctx, detection.Halves(agent, 20, 20), detection.Options{})
//	fmt.Println(alarms.Default, alarms.Hotelling) // shares of the splits in which a change was found
//
//	agents.go     agents that do not change, each hard on a test in its own way
//	alarms.go     false alarms: two samples of one agent, or of one recording
//	shift.go      an agent of which four columns can be shifted by a known distance
//	power.go      how often the tests find such a shift, against a reference that knows the columns
//	behaviour.go  options and counts that both share
package detection
