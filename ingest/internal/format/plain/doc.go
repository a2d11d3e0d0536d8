// Package plain reads the formats in which outcomes are written down as such: trials of
// this project, tables, lines, and the journal of a run.
package plain
