package ingest

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// The words for what a mapping needs, as plainName has them, the likelier ones first.
var (
	namesOfTests = []string{
		"scenario", "test", "testname", "testcase", "testid", "caseid", "case", "taskid", "task", "sampleid", "instanceid",
		"questionid", "exampleid", "docid", "problemid", "name", "title", "id", "key", "question", "prompt", "input",
	}
	namesOfTruths = []string{
		"passed", "pass", "success", "succeeded", "successful", "correct", "iscorrect", "resolved", "solved", "issolved",
		"ok",
	}
	namesOfVerdicts = []string{"outcome", "status", "result", "verdict", "grade", "label"}
	namesOfScores   = []string{"score", "reward", "accuracy", "acc", "exactmatch", "rating", "points", "f1"}
	passingWords    = []string{"pass", "passed", "ok", "success", "succeeded", "correct", "resolved", "solved", "yes",
		"good"}
	failingWords = []string{"fail", "failed", "ko", "failure", "incorrect", "wrong", "unresolved", "unsolved", "no",
		"bad"}
)

// plainPath is a path that needs no quotes.
var plainPath = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// proposedMapping is the mapping that would read records of a shape, as far as their fields tell: "" where nothing
// names what was tried. It reads "{scenario: task_id, outcome: passed}".
func proposedMapping(s *record.Shape) string {
	rows, path := s.Objects, ""
	if !s.Array && len(rows) == 1 {
		rows, path = listOfRows(rows[0])
	}
	if len(rows) == 0 {
		return ""
	}
	scenario := fieldOf(rows[0], namesOfTests, record.Node.IsScalar)
	if scenario == "" {
		return ""
	}
	var parts []string
	if path != "" {
		parts = append(parts, "records: "+path)
	}
	parts = append(parts, "scenario: "+scenario)
	if outcome := proposedOutcome(rows); outcome != "" {
		parts = append(parts, "outcome: "+outcome)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// tableShape is the shape of a table, and the cells of its first line, which names the columns; few where it is none.
func tableShape(lines [][]byte) (s *record.Shape, columns []string) {
	s = &record.Shape{Array: true}
	for _, delimiter := range []rune{',', ';', '\t'} {
		r := csv.NewReader(bytes.NewReader(bytes.Join(lines[:len(lines)-1], []byte{'\n'})))
		r.Comma = delimiter
		names, err := r.Read()
		if err != nil || len(names) < 2 {
			continue
		}
		columns = names
		for len(s.Objects) < mostRows {
			cells, err := r.Read()
			if err == io.EOF {
				break
			}
			if err != nil { // also where a row has more cells or fewer
				return s, nil
			}
			row := map[string]any{}
			for i, name := range names {
				row[strings.TrimSpace(name)] = cells[i]
			}
			s.Objects = append(s.Objects, record.Node{Value: row})
		}
		break
	}
	return s, columns
}

// mostRows is how many rows of a table are looked at; chosen.
const mostRows = 32

// listOfRows are the records that one document holds in a list, and the path to it; the document itself where it
// holds none.
func listOfRows(n record.Node) (rows []record.Node, path string) {
	for name, m := range n.Members() {
		if list := m.List(); len(list) > 0 && list[0].IsObject() && plainPath().MatchString(name) &&
			fieldOf(list[0], namesOfTests, record.Node.IsScalar) != "" && len(list) > len(rows) {
			rows, path = list, name
		}
	}
	if path == "" {
		return []record.Node{n}, ""
	}
	return rows, path
}

// fieldOf is the field of a record that has the likeliest of the names, as a path; "" if none has.
func fieldOf(n record.Node, names []string, is func(record.Node) bool) string {
	for _, wanted := range names {
		for name, m := range n.Members() {
			if plainName(name) == wanted && is(m) && plainPath().MatchString(name) {
				return name
			}
		}
	}
	return ""
}

// proposedOutcome is where records tell what came of them, "" if nowhere. A score passes from 1 on, which is for a
// person to change.
func proposedOutcome(rows []record.Node) string {
	first := rows[0]
	isTruth := func(n record.Node) bool {
		return n.Truth().Known || n.Number() == trial.Some(1.0) || n.Number() == trial.Some(0.0)
	}
	isNumber := func(n record.Node) bool { return n.Number().Known }
	if field := fieldOf(first, append(namesOfTruths, namesOfVerdicts...), isTruth); field != "" {
		return field
	}
	if field := fieldOf(first, namesOfVerdicts, record.Node.IsText); field != "" {
		if words := wordsOf(rows, field); words != "" {
			return fmt.Sprintf("{path: %s, %s}", field, words)
		}
	}
	if field := fieldOf(first, namesOfScores, isNumber); field != "" {
		return fmt.Sprintf("{path: %s, at_least: 1}", field)
	}
	for _, group := range []string{"scores", "metrics"} {
		for name, m := range first.At(group).Members() {
			if isNumber(m) && plainPath().MatchString(name) {
				return fmt.Sprintf("{path: %s.%s, at_least: 1}", group, name)
			}
		}
	}
	return ""
}

// unknownWords says which words a column of outcomes has where none of them is known; "" elsewhere.
func unknownWords(rows []record.Node) string {
	field := fieldOf(rows[0], namesOfVerdicts, record.Node.IsText)
	if field == "" || proposedOutcome(rows) != "" {
		return ""
	}
	var words []string
	for _, row := range rows {
		if text := strconv.Quote(short(row.At(field).Text())); !slices.Contains(words, text) {
			words = append(words, text)
		}
	}
	const most = 4
	return fmt.Sprintf(", with outcome: {path: %s, pass: [...], fail: [...]} for its words %s", field,
		prose.Some(words, most))
}

// wordsOf are the words of a field that pass and fail, of those that are known.
func wordsOf(rows []record.Node, field string) string {
	var words [2][]string
	for _, row := range rows {
		text := row.At(field).Text()
		for i, known := range [][]string{passingWords, failingWords} {
			if slices.Contains(known, strings.ToLower(text)) && !slices.Contains(words[i], text) {
				words[i] = append(words[i], text)
			}
		}
	}
	var parts []string
	for i, name := range []string{"pass", "fail"} {
		if len(words[i]) > 0 {
			slices.Sort(words[i])
			parts = append(parts, name+": ["+strings.Join(words[i], ", ")+"]")
		}
	}
	return strings.Join(parts, ", ")
}
