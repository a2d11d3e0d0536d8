// Package detection measures the comparisons of package fingerprint on simulated
// systems: [FalseAlarms] on those that did not change, [Power] on those that did.
//
//	alarms, err := detection.FalseAlarms(ctx, detection.Halves(agent, 20, 20), detection.Options{})
//	fmt.Println(alarms.Default, alarms.Hotelling) // shares of the splits in which a change was found
package detection
