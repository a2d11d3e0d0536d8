// Package value has the types of the values of options, such as [Count], [Level] and [Word], which refuse what cannot
// be meant.
//
//	trials := value.Count{Least: 1, Most: value.MaxTrials}
//	err := trials.Set("30")
package value
