package mapping

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/oracle"
)

// recordPath leads to several values: a path as elsewhere, in which [] stands for each item of a list and * for each
// member of an object, such as tasks[].runs[] or cases.*.trials[]. The zero value leads to the items of a list, or
// to the value itself.
type recordPath struct {
	text  string
	parts []recordPart
}

// recordPart is a path, and what is then done with each value there.
type recordPart struct {
	path    oracle.Path
	items   bool // each item of the list
	members bool // each member of the object
}

// recordPath reads one.
func (d *decoder) recordPath(target *recordPath) func(*yaml.Node) {
	return func(n *yaml.Node) {
		text, ok := d.Text(n)
		d.Also("minLength", 1)
		if !ok {
			return
		}
		p, err := parseRecordPath(text)
		if !d.refused(n, err) {
			*target = p
		}
	}
}

// parseRecordPath reads a path to several values.
func parseRecordPath(text string) (recordPath, error) {
	p := recordPath{text: text}
	rest := text
	for rest != "" {
		inner, mark, after := cutMark(rest)
		part := recordPart{items: mark == "[]", members: mark == "*"}
		if inner != "" {
			path, err := oracle.ParsePath(inner)
			if err != nil {
				return p, err
			}
			part.path = path
		}
		p.parts = append(p.parts, part)
		if after == "." || len(p.parts) > deepest {
			return p, &oracle.OptionError{Value: prose.Quote(text), Problem: "has no end that leads anywhere",
				Advice: "write it like runs, tasks[].runs[] or cases.*.trials[]"}
		}
		rest = strings.TrimPrefix(after, ".")
		if mark == "" {
			break
		}
	}
	return p, nil
}

// deepest is how many marks a path may have; chosen.
const deepest = 16

// cutMark cuts a path at its first mark, [] or *, that is none of a name in quotes.
func cutMark(text string) (inner, mark, after string) {
	for i := 0; i < len(text); i++ {
		starts := i == 0 || text[i-1] == '.' || text[i-1] == ']'
		ends := i+1 == len(text) || text[i+1] == '.' || text[i+1] == '['
		switch {
		case strings.HasPrefix(text[i:], `["`):
			if end := strings.Index(text[i:], `"]`); end > 0 {
				i += end + 1
			}
		case strings.HasPrefix(text[i:], "[]"):
			return strings.TrimSuffix(text[:i], "."), "[]", text[i+2:]
		case text[i] == '*' && starts && ends:
			return strings.TrimSuffix(text[:i], "."), "*", text[i+1:]
		}
	}
	return text, "", ""
}

// each hands out the values that the path leads to from a scope. A list at its end is each of its items, unless a mark
// has led to it.
func (p recordPath) each(from *scope, read func(*scope) error) error {
	return eachPart(p.parts, from, false, read)
}

// eachPart is each for the rest of a path; marked is whether a mark led to the scope.
func eachPart(parts []recordPart, from *scope, marked bool, read func(*scope) error) error {
	if len(parts) == 0 {
		switch {
		case !marked && from.value.IsList():
			return eachItem(from.value, from, from.parent, read)
		case !from.value.Exists():
			return nil
		}
		return read(from)
	}
	part, rest := parts[0], parts[1:]
	at := *from
	if part.path.String() != "" {
		value, _ := part.path.Find(from.value.Value)
		at.value, at.parent = record.Node{Value: value}.Parsed(), from
	}
	inner := func(s *scope) error { return eachPart(rest, s, true, read) }
	switch {
	case part.items:
		return eachItem(at.value, from, from, inner)
	case part.members:
		for name, value := range at.value.Members() {
			if err := inner(&scope{value: value, key: name, parent: from, file: from.file, line: from.line}); err != nil {
				return err
			}
		}
		return nil
	}
	return eachPart(rest, &at, false, read)
}

// eachItem hands out the items of a list that was found in a scope.
func eachItem(list record.Node, from, parent *scope, read func(*scope) error) error {
	for i, value := range list.List() {
		item := &scope{value: value, key: from.key, index: i, parent: parent, file: from.file, line: from.line}
		if err := read(item); err != nil {
			return err
		}
	}
	return nil
}

// mappedFile is a file that is being read by a mapping.
type mappedFile struct {
	mapping  *Mapping
	in       *record.Input
	inside   bool // records stand inside of the values that lines hold
	records  int
	trials   int
	uses     []use    // of the sources, by their numbers
	samples  []*scope // the first records
	hasSteps bool     // the list of steps is in a record
	steps    []*scope // the first steps
}

// use is what came of a source.
type use struct {
	looked  bool // at any record
	matched bool // something stands at its places in one
	missing int  // trials that it says nothing of
}

// Decoder returns the decoder of the files that the mapping is for.
func (m *Mapping) Decoder() record.Decoder { return record.Decoder{Read: m.read} }

// read reads a file.
func (m *Mapping) read(in *record.Input) error {
	r := &mappedFile{mapping: m, in: in, uses: make([]use, len(m.sources))}
	isTable := m.table.Value
	if !m.table.Known {
		first, err := in.FirstLine()
		if err != nil {
			return err
		}
		text := strings.TrimSpace(first)
		isTable = text != "" && text[0] != '{' && text[0] != '['
	}
	var err error
	if isTable {
		if m.records.text != "" {
			return &trial.FileError{
				File:    in.File,
				Problem: "is a table, and the mapping looks for records at " + prose.Excerpt(m.records.text),
				Advice:  "leave records out, or say format: json",
			}
		}
		err = r.rows()
	} else {
		err = r.values()
	}
	if err != nil {
		return err
	}
	return r.end()
}

// values reads the records of one JSON document, or of one a line.
func (r *mappedFile) values() error {
	var last record.Node
	values := 0
	err := r.in.Values(func(n record.Node, line int) error {
		values++
		last = n
		r.inside = n.IsList() || r.mapping.records.text != ""
		before := r.records
		whole := &scope{value: n, file: r.in.File, line: line}
		err := r.mapping.records.each(whole, func(s *scope) error {
			r.records++
			s.number = r.records
			return r.trial(s)
		})
		if err == nil && r.records == before {
			r.in.Notes.Skip("values without records")
		}
		return err
	})
	if err != nil || r.records > 0 {
		return err
	}
	if values == 0 {
		return nil // there is another message for that
	}
	e := &trial.FileError{File: r.in.File, Problem: "has no records"}
	if text := r.mapping.records.text; text != "" {
		e.Problem = "has no records at " + prose.Excerpt(text)
	}
	if keys := keysOf(last); keys != "" {
		e.Advice = fmt.Sprintf("it has the keys %s", keys)
	}
	return e
}
