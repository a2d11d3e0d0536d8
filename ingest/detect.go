package ingest

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/format/plain"
	"github.com/tribunal-dev/tribunal/ingest/internal/format/testreports"
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/trial"
)

// Detect returns the format of a file that begins with the bytes, which may be
// cut anywhere; some thousands of them tell. Compressed bytes (gzip, zstd, bzip2) are
// looked into. The error is a [trial.FileError] without the name of the file: for a
// prefix that is empty, binary, or in no format known.
func Detect(prefix []byte) (Format, error) {
	text, err := plainPrefix(prefix)
	if err != nil {
		return Auto, err
	}
	return detect(text)
}

// plainPrefix returns what the beginning of a file holds, if it is compressed, and else
// itself.
func plainPrefix(prefix []byte) ([]byte, error) {
	text, err := decompress(bytes.NewReader(prefix), "")
	if err != nil {
		return nil, err
	}
	b, _ := io.ReadAll(io.LimitReader(text, record.PrefixBytes)) // the prefix may end early
	return b, nil
}

// markLength is the length of the UTF-8 byte order mark, if the text has one.
func markLength(text []byte) int {
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		return 3
	}
	return 0
}

// detect is Detect of text.
func detect(prefix []byte) (Format, error) {
	if bytes.HasPrefix(prefix, []byte("\xff\xfe")) || bytes.HasPrefix(prefix, []byte("\xfe\xff")) {
		return Auto, &trial.FileError{Problem: "is UTF-16 text", Advice: "save it as UTF-8"}
	}
	if zip := record.ZipShape(prefix); zip != nil {
		if format := shown(zip); format != Auto {
			return format, nil
		}
	}
	if bytes.IndexByte(prefix, 0) >= 0 {
		return Auto, binaryError(prefix)
	}
	text := bytes.TrimLeft(prefix[markLength(prefix):], " \t\r\n")
	if record.IsLogLine(text) {
		return detectText(text)
	}
	if len(text) == 0 {
		return Auto, &trial.FileError{Problem: "is empty",
			Advice: "was the program that wrote it stopped?", Err: errEmpty}
	}
	switch text[0] {
	case '<':
		return detectXML(text)
	case '{', '[':
		return detectJSON(text)
	}
	return detectText(text)
}

// detectXML tells the formats of XML apart by their root. JUnit, whose root may be either of two, is
// also known by its elements.
func detectXML(text []byte) (Format, error) {
	switch testreports.RootOf(text) {
	case "TestRun":
		return "trx", nil
	case "test-run", "test-results", "test-suite":
		return "nunit", nil
	case "assemblies", "assembly":
		return "xunit", nil
	case "robot":
		return "robot", nil
	}
	if bytes.Contains(text, []byte("<testsuite")) || bytes.Contains(text, []byte("<testcase")) {
		return "junit", nil
	}
	return Auto, &trial.FileError{
		Problem: "is XML, but no report of tests: it has no testsuite",
		Advice:  "FormatNames lists the formats",
		About:   "From",
	}
}

// detectText tells lines, CSV, TAP and go test -json that begins with other output.
func detectText(text []byte) (Format, error) {
	lines := bytes.Split(text, []byte{'\n'})
	if testreports.BeginsTAP(lines[0]) {
		return "tap", nil // whatever its diagnostics hold
	}
	for _, line := range lines {
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		if names, _ := record.MemberNames(line); testreports.IsGoTest(names) {
			return "gotest", nil
		}
	}
	if format := shown(record.ShapeOf(objectsOf(lines))); format != Auto {
		return format, nil
	}
	first := strings.TrimSpace(string(lines[0]))
	if _, ok := plain.LineOutcome(first); ok {
		return "lines", nil
	}
	if _, ok := plain.HeaderDelimiter(first); ok {
		return "csv", nil
	}
	if slices.ContainsFunc(lines[:len(lines)-1], testreports.IsTAP) || len(lines) == 1 && testreports.IsTAP(lines[0]) {
		return "tap", nil
	}
	begin := first
	if begin == "---" && len(lines) > 1 {
		begin = string(lines[1])
	}
	if cassetteLine(begin) {
		return Auto, &trial.FileError{Problem: exchanges, Advice: exchangesAdvice, About: "Map"}
	}
	if line := sourceLine(lines); line != "" {
		return Auto, &trial.FileError{
			Problem: "is in no format known: it looks like source code, with the line " + strconv.Quote(short(line)),
			Advice:  "name what the program wrote in place of the program; FormatNames lists the formats", About: "From",
		}
	}
	if suiteLines(lines) {
		return Auto, &trial.FileError{Problem: "is a suite, and no recording of trials",
			Advice: "tribunal run runs a suite, and tribunal judge takes it before a recording"}
	}
	if e := tableProblem(lines, first); e != nil {
		return Auto, e
	}
	return Auto, &trial.FileError{
		Problem: "is in no format known: it begins with " + strconv.Quote(short(first)),
		Advice:  "name the format with From; FormatNames lists them",
		About:   "From",
	}
}

// suiteLines reports whether the beginning is that of a suite: it has a version, and an agent or scenarios.
func suiteLines(lines [][]byte) bool {
	begins := func(keys ...string) bool {
		return slices.ContainsFunc(lines, func(line []byte) bool {
			return slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(string(line), key+":") })
		})
	}
	return begins("version") && begins("agent", "scenarios")
}

// codeLine is how lines of programs begin, and no header of a table.
var codeLine = lazy.Regexp(`^\s*(?:#!|#include\b|//|/\*|"""|import\s+[\w{*("']|from\s+[\w.]+\s+import\b|` +
	`(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[:({]|package\s+\w+\s*;?$|func\s+\w+\s*\(|` +
	`(?:export\s+)?(?:async\s+)?function\b.*\(|` +
	`(?:export\s+)?(?:const|let|var)\s+[\w{\[][^,]*=)`)

// sourceLine is the first of the beginning lines that is one of a program; "" where none is.
func sourceLine(lines [][]byte) string {
	const most = 20 // chosen: below a licence at the top
	for _, line := range lines[:min(len(lines), most)] {
		if codeLine().Match(line) {
			return strings.TrimSpace(string(line))
		}
	}
	return ""
}

// tableProblem says why a table is not read; nil where the lines are none.
func tableProblem(lines [][]byte, first string) error {
	table, columns := tableShape(lines)
	if len(columns) < 2 || len(table.Objects) == 0 && len(lines) > 2 {
		return nil
	}
	if proposal := proposedMapping(table, true); proposal != "" {
		return &trial.FileError{Problem: "is a table whose first line, " + strconv.Quote(short(first)) +
			", has no column scenario", Advice: mappingAdvice + proposal, About: "Map"}
	}
	header, names := headerFor(columns)
	if header {
		delimiter := "\t" // which alone may be cut from the end of the line
		if at := strings.IndexAny(first, ",;\t"); at >= 0 {
			delimiter = first[at : at+1]
		}
		return &trial.FileError{
			Problem: "looks like CSV without a header: its first line, " + strconv.Quote(short(first)) +
				", has no column scenario",
			Advice: "begin it with a line that names the columns, such as " + strings.Join(names, delimiter),
		}
	}
	return &trial.FileError{Problem: "is a table, none of whose columns is called scenario: " +
		strconv.Quote(short(strings.Join(columns, ", "))),
		Advice: mappingAdvice + otherMapping(table.Objects, columns), About: "Map"}
}

// headerFor names the columns of a table by the cells of a line, and reports whether the line is one of values.
func headerFor(cells []string) (values bool, names []string) {
	scenario, outcome, number := -1, -1, -1
	for i, cell := range cells {
		cell = strings.ToLower(strings.TrimSpace(cell))
		_, err := strconv.ParseFloat(cell, 64)
		_, is := plain.LineOutcome(cell)
		switch is = is || slices.Contains(passingWords, cell) || slices.Contains(failingWords, cell); {
		case err == nil:
			number = i
		case is:
			outcome = i
		case scenario < 0:
			scenario = i
		}
		values = values || is || err == nil
		names = append(names, "column"+strconv.Itoa(i+1))
	}
	if outcome < 0 {
		outcome = number
	}
	if scenario < 0 || outcome < 0 {
		scenario, outcome = 0, len(cells)-1
	}
	names[scenario], names[outcome] = "scenario", "outcome"
	return values, names
}

// objectsOf returns the JSON objects that end the lines, as some logs have them after
// a time.
func objectsOf(lines [][]byte) (objects []byte) {
	for _, line := range lines {
		if i := bytes.IndexByte(line, '{'); i >= 0 {
			objects = append(append(objects, line[i:]...), '\n')
		}
	}
	return objects
}

// short is the beginning of a text for a message, 40 bytes at most.
func short(text string) string {
	if len(text) <= 40 {
		return text
	}
	return strings.ToValidUTF8(text[:40], "") + "…"
}
