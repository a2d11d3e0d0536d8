package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// separated reads a table whose first line has the names of its columns (RFC 4180). Empty lines are passed over.
func separated(file string, text []byte, separator rune) ([]Row, error) {
	table := csv.NewReader(bytes.NewReader(text))
	table.Comma = separator
	names, err := table.Read()
	if err == io.EOF {
		return nil, &fault.FileError{File: file, Problem: "is empty", Advice: "its first line has the names of columns"}
	}
	if err != nil {
		return nil, unreadable(file, err)
	}
	first := fault.Place{File: file, Line: 1}
	if name, again := twice(names); again {
		return nil, broken(first, "has the column "+yamlnode.Shown(name)+" twice", "")
	}
	var rows []Row
	for len(rows) <= MaxRows {
		fields, err := table.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, unreadable(file, err)
		}
		line, _ := table.FieldPos(0)
		n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: line}
		for i, field := range fields {
			at, _ := table.FieldPos(i)
			n.Content = append(n.Content, textNode(names[i], at), textNode(field, at))
		}
		rows = append(rows, Row{Place: fault.Place{File: file, Line: line}, Node: n})
	}
	return rows, nil
}

// unreadable gives an error of the table its place.
func unreadable(file string, err error) error {
	place := fault.Place{File: file}
	reason, advice := err.Error(), ""
	if at, ok := errors.AsType[*csv.ParseError](err); ok {
		place.Line, place.Column, reason = at.Line, at.Column, at.Err.Error()
		if errors.Is(at.Err, csv.ErrFieldCount) {
			reason, advice = "has another number of fields than the first line has names",
				"a comma within a field wants quotes around it"
		}
	}
	return broken(place, "cannot be read: "+prose.Reason(reason), advice)
}
