// Package importcmd has the commands that take in trials of others: import, from their files, and sql, for databases
// that count them.
package importcmd
