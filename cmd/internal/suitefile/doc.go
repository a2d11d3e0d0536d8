// Package suitefile finds and reads the suite of a command, chooses among its scenarios, and finds the baselines that
// it names.
//
//	s, err := suitefile.Load(a, args)
//	chosen, err := choice.Selected(s) // a Choice: --only and --tag
package suitefile
