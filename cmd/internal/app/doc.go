// Package app is what the commands of tribunal do, without the flags that ask for it and
// the streams that tell of it: it finds and loads suites, reads saved results and the
// evidence of a gate, and writes files whole or not at all.
//
// Its errors say by methods what is wrong, what to do about it and with which exit code
// they end a command; see package cli, which prints them.
//
// Where to look:
//
//   - suites.go: [FindSuite], [LoadSuite] and [Select], from a folder to scenarios
//   - read.go: [ReadResult] and [ReadJournal], within the memory that there is
//   - gate.go: what a gate decides on beside the run itself: [GateOptions] from the suite,
//     [ReadBaseline], [JournalTrials], and [Measure] for coverage and behaviour
//   - stops.go: [Stops], how tests stopped the trials of files
//   - commit.go, build.go: [Commit], [Branch] and [Build], of which a result is
//   - gathered.go: [AddJournal], from a run to the store
//   - stored.go: [StoredTrials], from a store to whoever reads trials
//   - problem.go: [Problem], the error that most of these return
//
// A gate over a saved result, for instance, goes this way:
//
//	saved, err := app.ReadResult(ctx, "shop.result.json", nil)
//	run := app.RunOf(saved) // nil where it is no run
//	options := app.GateOptions(suite)
//	trials, err := app.JournalTrials(ctx, ".tribunal/shop.jsonl", false, run)
//	err = app.Measure(ctx, &options, suite, run.Seed, runs.StoppedOf(run) != nil, trials, open)
//	decision, err := gate.Judge(ctx, run, options)
package app
