// Package mapping reads records of any shape as a mapping says that their writer wrote: where the
// records are, and at which paths in each stand the scenario, the outcome and all else.
//
//	records: runs[]
//	scenario: task.id
//	outcome: {path: status, pass: [solved], fail: [unsolved], error: [crashed]}
//	cost_usd: {path: usage.cents, unit: cents}
//
// The main type is [Mapping], which [Load] reads from a file and whose [Mapping.Decoder] reads logs.
// file.go reads the file; source.go is what stands at a path, and unit.go what its numbers count;
// records.go finds the records in a document and table.go those in a table; trial.go makes a trial of
// one, outcome.go its outcome and step.go its steps; unmatched.go says which paths led nowhere.
package mapping
