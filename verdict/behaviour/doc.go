// Package behaviour says whether a candidate works differently from a baseline, whatever
// its answers are worth: [Compare] tests two samples of fingerprints, and [Judge] makes
// a verdict of it.
package behaviour
