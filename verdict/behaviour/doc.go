// Package behaviour says whether a candidate works differently from a baseline, whatever
// its answers are worth. [Compare] tests two samples of fingerprints at a false-alarm rate
// of at most alpha; its [Comparison] stands beside that of pass rates, is a rule of a gate,
// or becomes a verdict of its own by [Judge].
package behaviour
