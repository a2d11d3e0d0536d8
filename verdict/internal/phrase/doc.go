// Package phrase writes numbers, counts and lists for the texts of reasons and warnings.
package phrase
