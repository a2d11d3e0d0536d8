package ingest

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
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
		"good", "true", "1", "y"}
	failingWords = []string{"fail", "failed", "ko", "failure", "incorrect", "wrong", "unresolved", "unsolved", "no",
		"bad", "false", "0", "n"}
	errorWords   = []string{"error", "errored", "timeout", "crash", "crashed", "exception"}
	skippedWords = []string{"skip", "skipped"}
)

// plainPath is a path that needs no quotes, and plainColumn such a name of a column.
var (
	plainPath   = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)
	plainColumn = lazy.Regexp(`^[\pL_][\pL\pN_ ()/%-]*$`)
)

// keptFields are columns of a table that stay what they are.
var keptFields = []string{"trial", "attempt", "variant", "score", "cost_usd", "duration_s", "model", "input_tokens",
	"output_tokens", "input", "output"}

// proposedMapping is the mapping that would read records of a shape, as far as their fields tell: "" where nothing
// names what was tried. It reads "'{scenario: task_id, outcome: passed}'", as a shell takes it, and goes on with the
// words of the outcomes that a person has to sort.
func proposedMapping(s *record.Shape, table bool) string {
	rows, path := s.Objects, ""
	if !s.Array && len(rows) == 1 {
		rows, path = listOfRows(rows[0])
	}
	if len(rows) == 0 {
		return ""
	}
	name := plainPath()
	if table {
		name = plainColumn()
	}
	scenario := fieldOf(rows[0], name, namesOfTests, record.Node.IsScalar)
	if scenario == "" {
		return ""
	}
	outcome, words := proposedOutcome(rows, name)
	var parts []string
	if path != "" {
		parts = append(parts, "records: "+path)
	}
	parts = append(parts, "scenario: "+scenario)
	if outcome != "" {
		parts = append(parts, "outcome: "+outcome)
	}
	for column := range rows[0].Members() {
		if field := strings.ToLower(column); table && column != scenario && slices.Contains(keptFields, field) {
			parts = append(parts, field+": "+column)
		}
	}
	return "'{" + strings.Join(parts, ", ") + "}'" + words
}

// otherMapping is proposed of a table none of whose columns has a name that is known: the first column is the scenario,
// and the second the outcome, where no other shows it.
func otherMapping(rows []record.Node, columns []string) string {
	scenario, outcome, words := columns[0], columns[1], ""
	if len(rows) == 0 {
		outcome = inYAML(outcome)
	}
	if len(rows) > 0 {
		if field := fieldOfWords(rows, plainColumn()); field == columns[0] {
			scenario, outcome = outcome, scenario
		} else if field != "" {
			outcome = field
		}
		outcome, words = outcomeOf(rows, outcome)
		outcome = cmp.Or(outcome, inYAML(columns[1]))
	}
	return "'{scenario: " + inYAML(scenario) + ", outcome: " + outcome + "}'" + words
}

// inYAML is the name of a column in a mapping that a shell has in single quotes.
func inYAML(column string) string {
	if plainColumn().MatchString(column) {
		return column
	}
	return strings.ReplaceAll(strconv.Quote(column), "'", `\x27`)
}

// tableShape is the shape of a table, and the cells of its first line, which names the columns; few where it is none.
// The last line may be cut.
func tableShape(lines [][]byte) (s *record.Shape, columns []string) {
	s = &record.Shape{Array: true}
	for _, delimiter := range []rune{',', ';', '\t'} {
		r := csv.NewReader(bytes.NewReader(bytes.Join(lines, []byte{'\n'})))
		r.Comma = delimiter
		names, err := r.Read()
		if err != nil || len(names) < 2 {
			continue
		}
		columns = names
		for {
			cells, err := r.Read()
			if cut, is := errors.AsType[*csv.ParseError](err); err == io.EOF || is && cut.Line >= len(lines) {
				break
			}
			if err != nil { // also where a row has more cells or fewer
				return s, nil
			}
			row := map[string]any{}
			for i, name := range names {
				row[strings.TrimSpace(name)] = strings.TrimSpace(cells[i])
			}
			s.Objects = append(s.Objects, record.Node{Value: row})
		}
		break
	}
	return s, columns
}

// listOfRows are the records that one document holds in a list, and the path to it; the document itself where it
// holds none.
func listOfRows(n record.Node) (rows []record.Node, path string) {
	for name, m := range n.Members() {
		if list := m.List(); len(list) > 0 && list[0].IsObject() && plainPath().MatchString(name) &&
			fieldOf(list[0], plainPath(), namesOfTests, record.Node.IsScalar) != "" && len(list) > len(rows) {
			rows, path = list, name
		}
	}
	if path == "" {
		return []record.Node{n}, ""
	}
	return rows, path
}

// fieldOf is the field of a record that has the likeliest of the names, and is called as it may be; "" if none has.
func fieldOf(n record.Node, plain *regexp.Regexp, names []string, is func(record.Node) bool) string {
	for _, wanted := range names {
		for name, m := range n.Members() {
			if plainName(name) == wanted && is(m) && plain.MatchString(name) {
				return name
			}
		}
	}
	return ""
}

// proposedOutcome is where records tell what came of them, "" if nowhere, and what a person has to know of its words. A
// score passes from 1 on, which is for a person to change.
func proposedOutcome(rows []record.Node, plain *regexp.Regexp) (outcome, words string) {
	first := rows[0]
	isNumber := func(n record.Node) bool { return n.Number().Known }
	var doubtful string
	for _, name := range append(namesOfTruths, namesOfVerdicts...) {
		field := fieldOf(first, plain, []string{name}, record.Node.IsScalar)
		if field == "" {
			continue
		}
		if outcome, words = outcomeOf(rows, field); outcome != "" && words == "" {
			return outcome, ""
		}
		if doubtful == "" && slices.Contains(append(namesOfVerdicts, "passed"), name) && !isNumber(first.At(field)) {
			doubtful = field
		}
	}
	if field := fieldOfWords(rows, plain); field != "" {
		return outcomeOf(rows, field)
	}
	if field := fieldOf(first, plain, namesOfScores, isNumber); field != "" {
		return fmt.Sprintf("{path: %s, at_least: 1}", field), ""
	}
	for _, group := range []string{"scores", "metrics"} {
		for name, m := range first.At(group).Members() {
			if isNumber(m) && plainPath().MatchString(name) {
				return fmt.Sprintf("{path: %s.%s, at_least: 1}", group, name), ""
			}
		}
	}
	if doubtful = cmp.Or(doubtful, fieldOfTwo(rows, plain)); doubtful != "" {
		return outcomeOf(rows, doubtful)
	}
	return "", ""
}

// fieldOfTwo is the only field whose values are two words, of whatever language; "" where none is, or several are.
func fieldOfTwo(rows []record.Node, plain *regexp.Regexp) (field string) {
	for name := range rows[0].Members() {
		words := map[string]bool{}
		for _, row := range rows {
			if n := row.At(name); n.IsText() && !n.Number().Known {
				words[n.Text()] = true
			}
		}
		if len(words) != 2 || words[""] || !plain.MatchString(name) || slices.Contains(namesOfTests, plainName(name)) {
			continue
		}
		if field != "" {
			return ""
		}
		field = name
	}
	return field
}

// fieldOfWords is the only field whose values are all words of passing and failing; "" where none is, or several are.
func fieldOfWords(rows []record.Node, plain *regexp.Regexp) (field string) {
	for name := range rows[0].Members() {
		outcome, words := outcomeOf(rows, name)
		if outcome == "" || words != "" || !plain.MatchString(name) || slices.ContainsFunc(rows, func(row record.Node) bool {
			return !row.At(name).IsText() || row.At(name).Text() == "" || row.At(name).Number().Known
		}) {
			continue
		}
		if field != "" {
			return ""
		}
		field = name
	}
	return field
}

// outcomeOf is how the outcome stands in a field, with the words for it that are known, and what is said of the others.
// Truths, and the words of trials, need none.
func outcomeOf(rows []record.Node, field string) (outcome, others string) {
	var words [4][]string
	var unknown []string
	seen := map[string]bool{}
	known := true
	for _, row := range rows {
		text := row.At(field).Text()
		word := strings.ToLower(text)
		if n := row.At(field); n.Truth().Known {
			word = strconv.FormatBool(n.IsTrue())
		} else if n.Number().Known {
			word = fmt.Sprint(n.Number().Value)
		}
		if word == "" || seen[word] {
			continue
		}
		seen[word] = true
		known = known && slices.Contains([]string{"pass", "fail", "error", "true", "false", "1", "0"}, word)
		i := slices.IndexFunc([][]string{passingWords, failingWords, errorWords, skippedWords},
			func(list []string) bool { return slices.Contains(list, word) })
		if i < 0 {
			unknown = append(unknown, strconv.Quote(short(text)))
		} else {
			words[i] = append(words[i], cmp.Or(text, word))
		}
	}
	switch {
	case len(seen) == 0:
		return "", ""
	case known:
		return inYAML(field), ""
	}
	const most = 4
	if len(unknown) > 0 {
		others = ", with its words " + prose.Some(unknown, most) + " in place of the dots"
	}
	var parts []string
	for i, name := range []string{"pass", "fail", "error", "skip"} {
		slices.Sort(words[i])
		if others != "" && i < 2 {
			words[i] = append(words[i], "...")
		}
		if len(words[i]) > 0 {
			parts = append(parts, name+": ["+strings.Join(words[i], ", ")+"]")
		}
	}
	return fmt.Sprintf("{path: %s, %s}", inYAML(field), strings.Join(parts, ", ")), others
}
