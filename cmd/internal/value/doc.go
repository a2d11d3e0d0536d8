// Package value reads the values of options, such as [Count], [Level] and [Ratio], and refuses what cannot be meant.
//
//	trials, err := value.Count("30", 1, value.MaxTrials)
package value
