package warehouse

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"github.com/tribunal-dev/tribunal/internal/lazy"
)

// mostName bounds names and texts of a query, in bytes. Chosen: databases have less.
const mostName = 1000

// plainName is a name that SQL takes without quotation marks.
var plainName = lazy.Regexp(`^[A-Za-z_][A-Za-z0-9_$]*$`)

// check refuses what no name and no text of a query has.
func check(what, text string) error {
	switch {
	case text == "":
		return &Error{What: what, Problem: "is empty"}
	case len(text) > mostName:
		return &Error{What: what, Problem: fmt.Sprintf("is longer than %d bytes", mostName)}
	case strings.ContainsFunc(text, func(r rune) bool { return unicode.IsControl(r) || r == unicode.ReplacementChar }):
		return &Error{What: what, Problem: "holds a character that does not print"}
	}
	return nil
}

// path reads a name as SQL writes it: parts between dots. One that is in quotation marks is taken as it is, as is one
// that is no plain word; any other one is folded as the database does.
func (d Dialect) path(what, text string) (parts []string, err error) {
	if err := check(what, text); err != nil {
		return nil, err
	}
	for rest := text; ; {
		part, after, err := d.part(what, rest)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
		if after == "" {
			return parts, nil
		}
		if after[0] != '.' {
			return nil, &Error{What: what, Problem: "goes on behind a quotation mark",
				Advice: `write it as in SQL, such as analytics."my table"`}
		}
		rest = after[1:]
	}
}

// part reads the first part of a path.
func (d Dialect) part(what, text string) (name, rest string, err error) {
	if text == "" || text[0] == '.' {
		return "", "", &Error{What: what, Problem: "has an empty part", Advice: "write it as in SQL, such as analytics.spans"}
	}
	if quote := text[0]; quote == '"' || quote == '`' {
		for i := 1; i < len(text); i++ {
			switch {
			case text[i] != quote:
				name += text[i : i+1]
			case i+1 < len(text) && text[i+1] == quote:
				name += text[i : i+1]
				i++
			case name == "":
				return "", "", &Error{What: what, Problem: "has an empty part"}
			default:
				return name, text[i+1:], nil
			}
		}
		return "", "", &Error{What: what, Problem: "has no second quotation mark"}
	}
	end := strings.IndexByte(text, '.')
	if end < 0 {
		end = len(text)
	}
	name, rest = text[:end], text[end:]
	if plain(name, plainName()) {
		name = d.folded(name)
	}
	return name, rest, nil
}

func plain(name string, form *regexp.Regexp) bool { return form.MatchString(name) }

// table is the name of a table in a query.
func (d Dialect) table(text string) (string, error) {
	parts, err := d.path("table", text)
	return d.join(parts), err
}

// neighbour is the name of a table beside another one.
func (d Dialect) neighbour(text, name string) (string, error) {
	parts, err := d.path("table", text)
	if err != nil {
		return "", err
	}
	return d.join(append(parts[:len(parts)-1:len(parts)-1], d.folded(name))), nil
}

func (d Dialect) join(parts []string) string {
	quoted := make([]string, len(parts))
	for i, part := range parts {
		quoted[i] = d.quoted(part)
	}
	return strings.Join(quoted, ".")
}

// column is the name of a column in a query: one part, or the fields of a struct.
func (d Dialect) column(what, text string) (string, error) {
	parts, err := d.path(what, text)
	return d.join(parts), err
}

// Error says what of a query cannot be used.
type Error struct {
	What    string // such as "table"
	Problem string // what is wrong
	Advice  string // what to do; may be ""
}

func (e *Error) Error() string {
	text := e.Message()
	if e.Advice != "" {
		text += "; " + e.Advice
	}
	return text
}

// Message is the error without advice.
func (e *Error) Message() string { return e.What + " " + e.Problem }

// Hint says what to do about it.
func (e *Error) Hint() string { return e.Advice }
