// Package plain reads the formats in which outcomes are written down as such: trials of
// this project, tables, lines, and the journal of a run.
//
// trials.go hands records of package trial on; csv.go reads tables, lines.go one outcome a
// line; journal.go puts the trials of a run in the order of their launch. The outcome of
// a trial stands in the file, or a rule has to tell it.
package plain
