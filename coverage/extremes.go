package coverage

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/trial"
)

// The extremes of parameters that declare no limit ("representative extremes", AgentAssay, Definition 4.7; "empty
// lists, maximum-length strings, zero values, negative numbers", 4.8). Each is a boundary of its own, and there is no
// near: an argument is one of them or not.
const (
	zeroNumber     BoundaryKind = "zero"          // 0
	negativeNumber BoundaryKind = "negative"      // below 0
	largeNumber    BoundaryKind = "large"         // at least [largeFrom]
	emptyString    BoundaryKind = "emptyString"   // without a character
	longString     BoundaryKind = "longString"    // of at least [longFrom] characters
	unicodeString  BoundaryKind = "unicodeString" // with a character that is not of ASCII
	emptyArray     BoundaryKind = "emptyArray"    // without an item
	emptyObject    BoundaryKind = "emptyObject"   // without a member
)

// What is large and long. Both are chosen: more than tasks of a person need, and less than what no tool takes.
const (
	largeFrom = 1_000_000_000
	longFrom  = 1_000
)

// ofTypes are the extremes of the types of JSON Schema. A boolean has two values, which are limits already.
var ofTypes = []struct {
	types []string
	kinds []BoundaryKind
}{
	{[]string{"integer", "number"}, []BoundaryKind{zeroNumber, negativeNumber, largeNumber}},
	{[]string{"string"}, []BoundaryKind{emptyString, longString, unicodeString}},
	{[]string{"array"}, []BoundaryKind{emptyArray}},
	{[]string{"object"}, []BoundaryKind{emptyObject}},
}

// extremes are the boundaries of a domain without a limit, by its types; nil for one that has limits.
func (d Domain) extremes(tool, parameter string) (list []*limit) {
	if !d.Empty() {
		return nil
	}
	for _, entry := range ofTypes {
		if !slices.ContainsFunc(entry.types, func(t string) bool { return slices.Contains(d.Types, t) }) {
			continue
		}
		for _, kind := range entry.kinds {
			l := &limit{Boundary: Boundary{Tool: tool, Parameter: parameter, Kind: kind}}
			switch kind {
			case largeNumber:
				l.Value = json.RawMessage(strconv.Itoa(largeFrom))
			case longString:
				l.Value = json.RawMessage(strconv.Itoa(longFrom))
			}
			list = append(list, l)
		}
	}
	return list
}

// extreme reports whether a value is the extreme of this kind.
func (kind BoundaryKind) extreme(value jsontext.Value) bool {
	switch value.Kind() {
	case '0':
		// A number beyond all that can be computed with is infinite here.
		x, err := strconv.ParseFloat(string(value), 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) || math.IsNaN(x) {
			return false
		}
		return kind == zeroNumber && x == 0 || kind == negativeNumber && x < 0 || kind == largeNumber && x >= largeFrom
	case '"':
		text := trial.Raw(value).Text()
		characters := utf8.RuneCountInString(text)
		return kind == emptyString && characters == 0 || kind == longString && characters >= longFrom ||
			kind == unicodeString && characters < len(text)
	case '[', '{':
		members := 0
		each(value, func(string, jsontext.Value) { members++ })
		return members == 0 && (kind == emptyArray && value.Kind() == '[' || kind == emptyObject && value.Kind() == '{')
	}
	return false
}

// openTypes collects the types of parameters, for those that turn out to have no limit.
type openTypes map[string]map[string]bool // by path, then type: whether it has extremes

// add reads the types of a schema, and what limits a value in a way that is no boundary: a text of a format has no
// empty one, and an object with members is what they are.
func (o openTypes) add(n *node, path string) {
	set := func(word string, open bool) {
		if o[path] == nil {
			o[path] = make(map[string]bool)
		}
		before, known := o[path][word]
		o[path][word] = open && (before || !known)
	}
	for _, m := range n.members {
		switch m.name {
		case "type":
			for _, item := range append([]*node{m.value}, m.value.items...) {
				if item.kind == '"' {
					set(trial.Raw(item.raw).Text(), true)
				}
			}
		case "format", "pattern", "contentEncoding", "contentMediaType":
			set("string", false)
		case "properties", "patternProperties", "minProperties", "required":
			set("object", false)
		}
	}
}

// domain is that of a parameter without a limit; empty where its types have no extremes.
func (o openTypes) domain(path string) (d Domain) {
	for _, entry := range ofTypes {
		for _, word := range entry.types {
			if o[path][word] {
				d.Types = append(d.Types, word)
			}
		}
	}
	return d
}
