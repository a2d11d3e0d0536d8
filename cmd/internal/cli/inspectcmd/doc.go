// Package inspectcmd has the commands that look into trials without a test of rates: fingerprint, coverage and
// contract.
package inspectcmd
