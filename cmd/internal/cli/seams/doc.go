// Package seams holds the matrix of what commands write and what other commands read: every kind of result and of run
// before every reader of either, each of which works with the figures that are known, or refuses with a sentence.
package seams
