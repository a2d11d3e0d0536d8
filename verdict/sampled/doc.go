// Package sampled keeps a sample of the trials that were judged, with a digest of each, for results that are of too
// many trials to hold them. Which trials these are follows from a seed and from what names a trial, never from what it
// did, so whoever has the recordings can draw them again and compare: [Drawing] draws, in memory that does not grow
// with the trials, and [Side.Differences] compares. A change of a share f of the trials is missed by a sample of k of
// them with probability (1-f)^k.
package sampled
