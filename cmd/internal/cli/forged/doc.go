// Package forged has the tests of what commands make of results and recordings that somebody changed, or made far
// larger than they are.
package forged
