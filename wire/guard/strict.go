package guard

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/wire"
	"github.com/tribunal-dev/tribunal/wire/internal/dialect"
)

// What a guard reads of an answer must be what every client reads of it. Clients differ: some take names in any case or
// with other underscores, some take the first of two members of one name, some build on what is of another kind than
// they were told. Real servers send none of that, so it does not pass.

// shape is what is known of a value. Members that it does not name, and what is in them, may be anything.
type shape struct {
	kind    kind
	members map[string]*shape // of an object, or of the objects in a list
	one     []string          // members of which one at most may be there
}

// kind is of a value; null is always one.
type kind string

const (
	anything kind = "anything"
	aText    kind = "a text"
	aNumber  kind = "a whole number"
	anObject kind = "an object"
	aList    kind = "a list of objects"
	nothing  kind = "nothing" // a call that a client may find where calls are not judged
)

// objectOf and listOf are shapes with members.
func objectOf(members map[string]*shape, one ...string) *shape { return &shape{anObject, members, one} }
func listOf(members map[string]*shape, one ...string) *shape   { return &shape{aList, members, one} }

// Values without members.
var (
	aValue = &shape{kind: anything}
	aWord  = &shape{kind: aText}
	index  = &shape{kind: aNumber}
	none   = &shape{kind: nothing}
	opaque = &shape{kind: anObject} // such as arguments
)

// fold is a name as lenient clients take it: functionCall and function_call are one.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '-':
			return -1
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == '\u017F': // a long s, which is one in another case
			return 's'
		case r == '\u212A': // a sign for kelvin
			return 'k'
		}
		return r
	}, name)
}

// check says where a value is not of the shape.
func (s *shape) check(name string, value any) error {
	if value == nil || s.kind == anything {
		return nil
	}
	is := false
	switch s.kind {
	case aText:
		_, is = value.(string)
	case aNumber:
		var n json.Number
		if n, is = value.(json.Number); is {
			_, err := n.Int64()
			is = err == nil
		}
	case anObject:
		var o object
		if o, is = value.(object); is {
			if err := s.checkMembers(name, o); err != nil {
				return err
			}
		}
	case aList:
		var all []any
		if all, is = value.([]any); is {
			for _, one := range all {
				o, object := one.(object)
				if !object {
					is = false
					break
				}
				if err := s.checkMembers(name, o); err != nil {
					return err
				}
			}
		}
	}
	if !is {
		return fmt.Errorf("its %s is not %s", name, s.kind)
	}
	return nil
}

// checkMembers checks those of an object.
func (s *shape) checkMembers(in string, o object) error {
	for name, value := range o {
		if member := s.members[name]; member != nil {
			if err := member.check(name, value); err != nil {
				return err
			}
			continue
		}
		for known := range s.members {
			if fold(name) == fold(known) {
				return fmt.Errorf("its %s has a member %.40q, which some take for %q", in, name, known)
			}
		}
	}
	there := 0
	for _, name := range s.one {
		if o[name] != nil {
			there++
		}
	}
	if there > 1 {
		return fmt.Errorf("its %s has several of %s", in, strings.Join(s.one, ", "))
	}
	return nil
}

// The shapes of calls, and of what has them.
var (
	function  = objectOf(map[string]*shape{"name": aWord, "arguments": aValue})
	toolCalls = listOf(map[string]*shape{
		"id": aWord, "type": aWord, "index": index, "function": function,
		"custom": objectOf(map[string]*shape{"name": aWord, "input": aValue}),
	}, "function", "custom")
	message = objectOf(map[string]*shape{"content": aValue, "tool_calls": toolCalls, "function_call": function})
	noCalls = objectOf(map[string]*shape{"tool_calls": none, "function_call": none})
	item    = map[string]*shape{
		"type": aWord, "id": aWord, "call_id": aWord, "name": aWord, "arguments": aValue, "input": aValue, "action": aValue,
		"actions": aValue, "operation": aValue,
	}
	block = map[string]*shape{"type": aWord, "id": aWord, "name": aWord, "input": opaque}
)

// choices are those of an answer, whose calls are in messages where it comes whole, and in deltas in parts.
func choices(message, delta *shape) *shape {
	return objectOf(map[string]*shape{"choices": listOf(map[string]*shape{
		"index": index, "message": message, "delta": delta, "finish_reason": aWord,
	})})
}

var (
	chatWholeShape = choices(message, noCalls)
	chatPartShape  = choices(noCalls, message)

	responsesWholeShape = objectOf(map[string]*shape{"output": listOf(item)})
	responsesPartShape  = objectOf(map[string]*shape{
		"type": aWord, "item": objectOf(item), "item_id": aWord, "output_index": index,
		"response": responsesWholeShape,
	})

	messagesWholeShape = objectOf(map[string]*shape{"content": listOf(block), "stop_reason": aWord})
	messagesPartShape  = objectOf(map[string]*shape{
		"type": aWord, "index": index, "content_block": objectOf(block),
		"delta": objectOf(map[string]*shape{
			"type": aWord, "text": aWord, "partial_json": aWord, "stop_reason": aWord,
		}),
		"message": objectOf(map[string]*shape{"content": listOf(map[string]*shape{"type": none})}),
	})

	geminiShape = objectOf(map[string]*shape{"candidates": listOf(map[string]*shape{
		"content": objectOf(map[string]*shape{"parts": listOf(map[string]*shape{
			"text": aWord,
			"functionCall": objectOf(map[string]*shape{
				"id": aWord, "name": aWord, "args": opaque, "partialArgs": none,
			}),
		})}),
	})})

	ollamaShape = objectOf(map[string]*shape{"message": message, "done": aValue})
)

// valid reports whether a text is JSON that all read alike: in UTF-8, and with no name twice in an object.
func valid(text []byte) bool { return jsontext.Value(text).IsValid() }

// unread is the error of an answer that some client may read otherwise.
func unread(why error) error {
	return fmt.Errorf("%w: a guard lets nothing through unread: %w", wire.ErrWithheld, why)
}

// errNoForm is that of an answer in which calls may be where they are not looked for.
var errNoForm = unread(errors.New("it has none of the members of an answer"))

// readWhole checks an answer that came whole: an object, or a list of them where the form may come so.
func (f form) readWhole(value any) error {
	all, isList := value.([]any)
	if !isList {
		all = []any{value}
	}
	for _, one := range all {
		o, ok := one.(object)
		if !ok || isList && !f.lists {
			return errNoForm
		}
		if err := f.wholeShape.check("answer", o); err != nil {
			return unread(err)
		}
		known := o["error"] != nil
		for _, name := range f.roots {
			known = known || o[name] != nil
		}
		if !known {
			return errNoForm
		}
	}
	return nil
}

// isError reports whether the body of an answer that is none is an error, or a list of them, and has nothing that may
// be a call.
func isError(body []byte) bool {
	if dialect.Excessive(body) || !valid(body) {
		return false
	}
	value := decoded(body)
	all, isList := value.([]any)
	if !isList {
		all = []any{value}
	}
	for _, one := range all {
		o, ok := one.(object)
		if !ok {
			return false
		}
		for name, value := range o {
			switch _, text := value.(string); fold(name) {
			case "choices", "output", "response", "content", "candidates", "toolcalls", "functioncall":
				return false
			case "message": // of some errors a text, and elsewhere an answer
				if !text {
					return false
				}
			}
		}
	}
	return true
}
