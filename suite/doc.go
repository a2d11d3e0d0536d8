// Package suite reads tribunal.yaml: which agent to run, on which scenarios, and
// how to judge it.
//
// The main type is [Suite]. [Load] reads one from a file and [Find] finds it:
//
//	s, err := suite.Load("tribunal.yaml")
//	if err != nil {
//		return err // every problem with file, line, column and a hint
//	}
//	for _, scenario := range s.Scenarios {
//		judgement := scenario.Judge(ctx, evidence)
//	}
//
// Reading is strict: a key that is not known, a value of the wrong type, a name
// given twice and an evaluator that does not exist are errors. A suite that was
// read is complete: defaults are filled in, and what a scenario inherits is copied
// to it.
//
// # How a suite is read
//
// A file is one YAML document, without aliases, tags or depth that a suite has no use
// for. Every mapping has known keys: one that is not known is refused, with the one that
// may have been meant, since a limit that is misspelt limits nothing. All problems of a
// file are told at once, up to 20.
//
// What a scenario does not say it has from the suite: the test, key by key, and the
// limits. Limits must be declared, here or there; that there is none is said by none.
//
// # Evaluators
//
// An evaluator is a row of a table: its name, what it means, and a function that reads
// its options. The same options make its part of the JSON Schema that editors use.
//
//	suite.go       the types: Suite, Agent, Scenario, Test, Prior, Budget
//	load.go        from a file to a Suite; Find looks for the file
//	decode_*.go    a part of the file each, over a decoder that collects problems
//	evaluate_*.go  one function for each evaluator; evaluators.go is their table, form.go what
//	               these functions read their options with
//	schema.go      the JSON Schema for editors: the frame in schema.json, the rest from the table
//	digest.go      what identifies a suite, so that a run can be continued
//	task.go        what identifies what is asked, so that results can be compared
//	settings.go    what is said of the agent, a line each, and what of it changed
//	gate.go, coverage.go, prior.go  what the file says for other packages
package suite
