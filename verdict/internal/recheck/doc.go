// Package recheck compares a saved result with the one that its evidence gives.
package recheck
