// Package phrase writes numbers, counts and lists for the texts of reasons and warnings, and of reports.
// All judges use it, so that equal numbers look equal wherever they stand: numbers.go has
// the numbers, words.go names and lists of them, which are cut so that a reason stays a
// line.
package phrase
