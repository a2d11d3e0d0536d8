package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
	"github.com/tribunal-dev/tribunal/wire/endpoint"
)

// Mock is a tool that answers as it is told, and does nothing.
type Mock struct {
	Tool
	Answers []MockAnswer // the first that fits a call is the one
}

// MockAnswer is what a mock answers to some calls.
type MockAnswer struct {
	When  trial.Raw `json:",omitempty"` // an object: the arguments have its members; nil is any
	Times int       `json:",omitempty"` // for so many calls of a conversation; 0 is any number
	// One of the two.
	Result trial.Raw `json:",omitempty"` // JSON; a string is a text
	Error  string    `json:",omitempty"` // the call fails
}

// Check returns what is wrong with the schema of the parameters. The error is an [oracle.OptionError].
func (t Tool) Check() error {
	_, err := oracle.NewSchema(trial.Raw(parameters(t.Parameters)))
	return err
}

// mocks are those of a conversation.
type mocks struct {
	list []Mock
	used map[*MockAnswer]int
}

// call answers a call. The problem is told to the model, and is "" where there is a result.
func (m *mocks) call(c Call) (arguments, result trial.Raw, problem string) {
	text := c.Arguments
	if text == "" { // of a tool without parameters
		text = "{}"
	}
	document, err := endpoint.Decode([]byte(text))
	if err == nil && !jsontext.Value(text).IsValid(jsontext.AllowInvalidUTF8(true)) {
		err = errors.New("a name stands twice in an object")
	}
	if err != nil {
		return trial.RawString(c.Arguments), nil, "the arguments are not JSON: " + err.Error()
	}
	arguments = trial.Raw(text)
	for i := range m.list {
		if mock := &m.list[i]; mock.Name == c.Name {
			result, problem = m.answer(mock, document)
			return arguments, result, problem
		}
	}
	return arguments, nil, fmt.Sprintf("there is no tool %.100q", c.Name)
}

// answer finds the answer of a tool to arguments.
func (m *mocks) answer(mock *Mock, arguments any) (trial.Raw, string) {
	schema, err := oracle.NewSchema(trial.Raw(parameters(mock.Parameters)))
	if err != nil {
		return nil, err.Error() // not reached: it was checked
	}
	if problem, err := schema.Violation(context.Background(), arguments); err != nil {
		return nil, "the arguments were not checked: " + err.Error()
	} else if problem != "" {
		return nil, "the arguments do not fit the parameters: " + problem
	}
	for i := range mock.Answers {
		a := &mock.Answers[i]
		if a.Times > 0 && m.used[a] >= a.Times || !a.fits(arguments) {
			continue
		}
		m.used[a]++
		return a.Result, a.Error
	}
	return nil, "the suite has no result for this call"
}

// fits reports whether arguments have all members that the answer is for.
func (a *MockAnswer) fits(arguments any) bool {
	if a.When == nil {
		return true
	}
	when, err := endpoint.Decode(a.When)
	return err == nil && has(arguments, when)
}

// has reports whether a document has all that another one has: objects may have more members.
func has(document, wanted any) bool {
	members, ok := wanted.(map[string]any)
	if !ok {
		return oracle.Equal(document, wanted)
	}
	object, ok := document.(map[string]any)
	for name, value := range members {
		found, there := object[name]
		ok = ok && there && has(found, value)
	}
	return ok
}
