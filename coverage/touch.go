package coverage

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/tribunal-dev/tribunal/trial"
)

// maxArgumentDepth is how deep arguments are looked into: they come from models, and
// nesting costs a model nothing.
const maxArgumentDepth = 32

// parameters are the limits of one tool, and what is known of its calls.
//
// Paths are those of [Domain]. Inside holds the path of everything that has a declared parameter below it:
// the rest of the arguments is not looked into.
type parameters struct {
	limits map[string][]*limit // by the path of the parameter
	inside map[string]bool     // paths with a declared parameter below them
	called bool                // by any trial
	known  bool                // a call records its arguments
}

// newParameters returns the limits of a tool, by path and as one list. Every beginning of a path that ends
// before a "." or "[]" has something below it. Parameters without limits have their extremes, where that is asked for.
func newParameters(tool string, domains map[string]Domain, extremes bool) (p *parameters, all []*limit) {
	p = &parameters{limits: make(map[string][]*limit), inside: map[string]bool{"": true}}
	for _, path := range sortedKeys(domains) {
		limits := domains[path].limits(tool, path)
		if extremes {
			limits = append(limits, domains[path].extremes(tool, path)...)
		}
		p.limits[path] = limits
		all = append(all, limits...)
		for i := 1; i < len(path); i++ {
			if path[i] == '.' || strings.HasPrefix(path[i:], "[]") {
				p.inside[path[:i]] = true
			}
		}
	}
	return p, all
}

// addCall notes which limits the arguments of a call touch. Some agents record them as
// a string that holds JSON. What is neither an object nor a text of one touches nothing, but is known.
func (p *parameters) addCall(arguments trial.Raw) {
	p.called = true
	if arguments == nil {
		return
	}
	p.known = true
	value := bytes.TrimSpace(arguments)
	if len(value) > 0 && value[0] == '"' {
		value = bytes.TrimSpace([]byte(arguments.Text()))
	}
	if len(value) > 0 && value[0] == '{' {
		p.object("", value, 0)
	}
}

// value touches the limits of one parameter, and looks into it where others are
// declared below. A limit that was touched stays so.
func (p *parameters) value(path string, value jsontext.Value, depth int) {
	for _, l := range p.limits[path] {
		if !l.touched && l.touchedBy(value) {
			l.touched = true
		}
	}
	if !p.inside[path] || depth == maxArgumentDepth {
		return
	}
	switch value.Kind() {
	case '{':
		p.object(path, value, depth+1)
	// All items have one path: a limit of an item is touched if any of them touches it.
	case '[':
		each(value, func(_ string, item jsontext.Value) { p.value(path+"[]", item, depth+1) })
	}
}

// object touches the limits of the members of an object.
func (p *parameters) object(path string, value jsontext.Value, depth int) {
	each(value, func(name string, member jsontext.Value) {
		at := name
		if path != "" {
			at = path + "." + name
		}
		p.value(at, member, depth)
	})
}

// each calls back for the members of an object or the items of a list, up to where
// the text breaks off. Arguments come from a model and may repeat a name or hold bytes that are no UTF-8:
// both are read, for what was called was called.
func each(value jsontext.Value, visit func(name string, value jsontext.Value)) {
	d := jsontext.NewDecoder(bytes.NewReader(value),
		jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	object := value.Kind() == '{'
	if _, err := d.ReadToken(); err != nil {
		return
	}
	for d.PeekKind() != '}' && d.PeekKind() != ']' {
		name := ""
		if object {
			token, err := d.ReadToken()
			if err != nil {
				return
			}
			name = token.String()
		}
		v, err := d.ReadValue()
		if err != nil {
			return
		}
		visit(name, slices.Clone(v)) // the decoder uses its memory again
	}
}

// touchedBy reports whether a value of an argument is at the limit or near it. A
// value of another type is not.
func (l *limit) touchedBy(value jsontext.Value) bool {
	kind := value.Kind()
	switch l.Kind {
	// Equal values may be written in different ways: 1 and 1.0, members in another order.
	case EnumBoundary:
		text, ok := canonical(value)
		return ok && text == l.canonical
	// JSON Schema counts characters (code points), not bytes.
	case minLengthBoundary, maxLengthBoundary:
		return kind == '"' && l.touches(float64(utf8.RuneCountInString(trial.Raw(value).Text())))
	case minItemsBoundary, maxItemsBoundary:
		items := 0
		if kind == '[' {
			each(value, func(string, jsontext.Value) { items++ })
		}
		return kind == '[' && l.touches(float64(items))
	case minimumBoundary, maximumBoundary, exclusiveMinimumBoundary, exclusiveMaximumBoundary:
		x, err := strconv.ParseFloat(string(value), 64)
		return kind == '0' && err == nil && l.touches(x)
	}
	return l.Kind.extreme(value)
}
