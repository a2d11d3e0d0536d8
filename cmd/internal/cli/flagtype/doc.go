// Package flagtype has the types of the values of flags, such as [Count], [Level] and [Word], which refuse what cannot
// be meant, and the errors of a command line that cannot be read.
//
//	trials := flagtype.Count{Least: 1, Most: flagtype.MaxTrials}
//	flags.Var(&trials, "trials", "how many trials")
package flagtype
