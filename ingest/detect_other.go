package ingest

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/lazy"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// What is often given for a recording and is none has a message of its own: a person then knows what file they
// have, and what to do with it.
const (
	dataSet      = "looks like a data set: it holds what is asked and what is expected, no outcomes"
	trainingData = "looks like training data: it holds what a model is to say, no outcomes"
	exchanges    = "records HTTP exchanges, not what an agent did with them"

	dataSetAdvice      = "record what the agent answers, with an outcome for each; a suite can hold the questions"
	trainingDataAdvice = "a recording holds what an agent did, and whether it passed"
	exchangesAdvice    = "record the messages or the spans of the agent; Map names a mapping that reads other JSON"
	mappingAdvice      = "add Map "
	unknownAdvice      = "a trial needs scenario and outcome; From names another format"
)

// otherJSON says what JSON may be that is no recording, by its first object.
func otherJSON(shape *record.Shape, names []string) *trial.FileError {
	first := shape.First()
	switch {
	case first.At("scenarios").IsList() && first.Has("agent"):
		return &trial.FileError{Problem: "is a suite, not a recording", Advice: "run and check read suites"}
	case holdsExchanges(first):
		return &trial.FileError{Problem: exchanges, Advice: exchangesAdvice, About: "Map"}
	case isTraining(first):
		return &trial.FileError{Problem: trainingData, Advice: trainingDataAdvice}
	case isQuestion(first) || isQuestion(listed(first)):
		return &trial.FileError{Problem: dataSet, Advice: dataSetAdvice}
	case len(names) == 0:
		return unknownJSON("its first object is empty")
	}
	e := unknownJSON("its first object has the fields " + fieldList(names))
	if proposal := proposedMapping(shape, false); proposal != "" {
		e.Advice = mappingAdvice + proposal
		e.About = "Map"
	}
	return e
}

// ours begins what commands save and print, however long it is.
var ours = lazy.Regexp(`^\{\s*"schema"\s*:\s*"(tribunal/[^"]{1,40})"`)

// ourJSON says that JSON is what a command saved or printed, and no recording; nil of other JSON.
func ourJSON(text []byte) error {
	schema := ours().FindSubmatch(text)
	if schema == nil {
		return nil
	}
	return &trial.FileError{
		Problem: "is a saved result, not a recording: a " + string(schema[1]),
		Advice:  resultAdvice,
	}
}

// resultAdvice is for who takes a result for a recording.
const resultAdvice = "tribunal report FILE shows it; the trials of a run are in its journal"

// unknownJSON says that JSON is of no format, and what shows it.
func unknownJSON(shown string) *trial.FileError {
	return &trial.FileError{Problem: "is JSON of no format known: " + shown, Advice: unknownAdvice, About: "From"}
}

// fieldList names the first fields of an object.
func fieldList(names []string) string {
	names = slices.Clone(names)
	for i := range names {
		names[i] = prose.Excerpt(names[i])
	}
	if len(names) > 5 {
		names = append(names[:5:5], "…")
	}
	return strings.Join(names, ", ")
}

// otherFields returns the fields of the first object of JSON, none where one of them is a trial's.
func otherFields(text []byte) []string {
	names, _ := record.MemberNames(text)
	if slices.ContainsFunc(names, isTrialField) {
		return nil
	}
	return names
}

// mapped lets the error about a table without outcomes, or with other words for them, propose a mapping that reads it.
func (r *fileReading) mapped(err error) error {
	e, ok := errors.AsType[*trial.FieldError](err)
	if !ok || r.beginning == nil || e.About != "Map" && e.Field != "header" {
		return err
	}
	table, _ := tableShape(bytes.Split(r.beginning, []byte{'\n'}))
	if len(table.Objects) > 0 && e.Value != "" { // the word may stand behind the beginning
		word, _ := strconv.Unquote(e.Value)
		row := map[string]any{}
		for name := range table.Objects[0].Members() {
			if strings.EqualFold(name, e.Field) {
				row[name] = word
			}
		}
		table.Objects = append(table.Objects, record.Node{Value: row})
	}
	if proposal := proposedMapping(table, true); strings.Contains(proposal, "outcome: ") {
		if !strings.HasSuffix(e.Advice, "?") {
			e.Advice = ""
		} else {
			e.Advice += " Or "
		}
		e.Advice, e.About = e.Advice+mappingAdvice+proposal, "Map"
	}
	return err
}

// withoutScenario lets the error about a first record say that the file is in no format known, where the record has
// neither a scenario nor anything else of a trial. Detection does not see that of a record beyond what it looks at.
func (r *fileReading) withoutScenario(err error) error {
	if e, ok := errors.AsType[*trial.FieldError](err); ok && len(r.fields) > 0 && e.Field == "scenario" && e.Value == "" {
		unknown := unknownJSON("its first object has the fields " + fieldList(r.fields))
		unknown.File = r.file
		return unknown
	}
	return err
}

// holdsExchanges reports whether an object is what HTTP recorders write: a cassette of VCR and its kin, a HAR, or an
// exchange alone.
//
//	{"interactions":[{"request":{"method":"GET","uri":"…"},"response":{…}}],"version":1}
func holdsExchanges(n record.Node) bool {
	for _, list := range []record.Node{
		n.At("interactions"), n.At("http_interactions"), n.At("Interactions"), n.At("HttpInteractions"),
		n.At("log", "entries"),
	} {
		if list.IsList() && (list.Length() == 0 || isExchange(list.List()[0])) {
			return true
		}
	}
	return isExchange(n)
}

// isExchange reports whether an object is a request with its method and address.
func isExchange(n record.Node) bool {
	request := n.Either("request", "Request")
	return request.Either("method", "Method").IsText() &&
		request.Either("uri", "url", "Uri", "URL", "path").Exists()
}

// isTraining reports whether an object is an example that models are trained on.
//
//	{"conversations":[{"from":"human","value":"…"},{"from":"gpt","value":"…"}]}
//	{"prompt":"…","chosen":"…","rejected":"…"}
func isTraining(n record.Node) bool {
	if said := n.At("conversations").List(); len(said) > 0 && said[0].Has("from") && said[0].Has("value") {
		return true
	}
	return n.Has("chosen") && n.Has("rejected") || n.Has("instruction") && n.Either("output", "response").Exists() ||
		n.Has("prompt") && n.Has("completion") && !n.Has("model")
}

// The words of data sets, as plainName has them.
var (
	asked = []string{
		"question", "questions", "query", "prompt", "input", "inputs", "problem", "problemstatement", "instruction", "task",
		"goal", "scenario", "userinput",
	}
	expected = []string{
		"answer", "answers", "finalanswer", "correctanswer", "correct", "bestanswer", "target", "ideal", "label", "labels",
		"solution", "canonicalsolution", "gold", "goldanswer", "goldpatch", "groundtruth", "truth", "patch",
		"reference", "references", "referenceanswer", "referenceoutput", "referenceoutputs", "referencetrajectory",
		"outputs", "answerkey",
	}
	// done are words of recordings. A table of answers and what was expected of them is no data set alone.
	done = []string{
		"outcome", "score", "scores", "steps", "output", "actual", "actualoutput", "response", "prediction", "passed",
		"error", "costusd", "durationseconds", "inputtokens", "outputtokens", "trajectory", "messages", "tooloutputs",
	}
)

// plainName is the name of a field in small letters and digits alone.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' || r == '.' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// isQuestion reports whether an object says what is asked and what is expected, and nothing that was done.
func isQuestion(n record.Node) bool {
	asks, expects := false, false
	for name := range n.Members() {
		name = plainName(name)
		if slices.Contains(done, name) {
			return false
		}
		asks = asks || slices.Contains(asked, name)
		expects = expects || slices.Contains(expected, name) || strings.HasPrefix(name, "expected")
	}
	return asks && expects
}

// listed returns the first object of the list that a document of a data set holds.
//
//	{"name":"…","examples":[{"inputs":{…},"outputs":{…}}]}
func listed(n record.Node) record.Node {
	for _, name := range []string{
		"examples", "items", "data", "cases", "tests", "test_cases", "testCases", "questions", "samples", "rows",
		"eval_cases", "evals", "tasks", "entries",
	} {
		if list := n.At(name).List(); len(list) > 0 && list[0].IsObject() {
			return list[0]
		}
	}
	return record.Node{}
}

// isDataSet reports whether all objects that are seen, with scenarios as trials have them, are questions.
func isDataSet(shape *record.Shape) bool {
	return len(shape.Objects) > 0 && !shape.Any(func(n record.Node) bool { return !isQuestion(n) })
}

// cassetteLine reports whether a line is the first of a cassette in YAML.
func cassetteLine(line string) bool {
	switch strings.TrimSpace(line) {
	case "interactions:", "http_interactions:", "interactions: []":
		return true
	}
	return false
}
