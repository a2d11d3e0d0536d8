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
//		judgement := oracle.Judge(ctx, evidence, scenario.Evaluators(), scenario.Limits)
//	}
//
// Reading is strict: a key that is not known, a value of the wrong type, a name
// given twice and an evaluator that does not exist are errors. A suite that was
// read is complete: defaults are filled in, and what a scenario inherits is copied
// to it.
package suite
