// Package monitor watches trials as they come, in many streams: the trials of each scenario, or of each value of a tag.
// Every stream has a detector of package change for its pass rate and one for each number that is watched; a stream
// that has raised an alarm stays in alarm until a person accepts what it has become as the new baseline.
//
//	m, err := monitor.New(monitor.Options{}, monitor.Baseline{Counts: stats.Counts{Passes: 186, Trials: 200}})
//	for t := range trials {
//		alarms, err := m.Add(ctx, t)
//	}
//
// It does no input or output: what it knows is one value, which is stored as JSON and goes on from there.
package monitor
