// Package suitefile finds and reads the suite of a command, chooses among its scenarios, and finds the baselines that
// it names.
//
//	s, err := suitefile.Load(a, args)
//	chosen, err := f.suite.Selected(s) // --only and --tag
package suitefile
