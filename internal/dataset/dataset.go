// Package dataset reads files of data as rows: CSV, TSV, JSON, JSON lines and YAML. A row is a mapping of columns to
// values, with the place where it stands.
//
//	files, err := dataset.Files(ctx, "cases/*.jsonl")
//	rows, err := dataset.Read(ctx, files[0])
//
// What a row holds is a YAML node, so that it can be read by whoever reads suites. Values of CSV are texts; those of
// JSON keep their types and the digits of their numbers.
package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/glob"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/yamlnode"
)

// What is read at most. They are chosen: far more than a suite tries.
const (
	MaxBytes = 64 << 20 // of a file
	MaxRows  = 1_000_000
	maxFiles = 10_000
)

// Row is a row of a file.
type Row struct {
	Place fault.Place // where it begins
	Node  *yaml.Node  // a mapping of its columns, in their order; each value has the line of the row, at least
	Alone bool        // the file is this row, and no list
}

// reader reads the rows of a text, which is that of a file.
type reader func(file string, text []byte) ([]Row, error)

// readers are those of the endings of names.
func readers() map[string]reader {
	return map[string]reader{
		".csv":    func(file string, text []byte) ([]Row, error) { return separated(file, text, ',') },
		".tsv":    func(file string, text []byte) ([]Row, error) { return separated(file, text, '\t') },
		".json":   objects,
		".jsonl":  objects,
		".ndjson": objects,
		".yaml":   documents,
		".yml":    documents,
	}
}

// endings are those of the files that are read, in words.
const endings = ".csv, .tsv, .json, .jsonl, .ndjson, .yaml or .yml"

// readerOf returns what reads a file; nil where nothing does.
func readerOf(file string) reader { return readers()[strings.ToLower(filepath.Ext(file))] }

// Files returns the files of a name: the file itself, those that a pattern matches, or those of a folder and of the
// folders in it that can be read, but for names that begin with a point. A name that stands for no file is a
// [fault.FileError].
func Files(ctx context.Context, name string) ([]string, error) {
	names := []string{name}
	if glob.IsPattern(name) {
		matched, err := glob.Match(ctx, name)
		if err != nil {
			return nil, err
		}
		names = matched
	}
	var files []string
	for _, name := range names {
		info, err := input.Stat(ctx, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, &fault.FileError{File: name, Problem: "does not exist", Err: err}
		case err != nil:
			return nil, err
		case !info.IsDir():
			files = append(files, name)
		default:
			found, err := within(ctx, name)
			if err != nil {
				return nil, err
			}
			files = append(files, found...)
		}
		if len(files) > maxFiles {
			return nil, &fault.FileError{File: name, Problem: fmt.Sprintf("stands for more than %d files", maxFiles)}
		}
	}
	return files, nil
}

// within are the files of a folder that can be read, in the order of their names.
func within(ctx context.Context, folder string) (files []string, err error) {
	err = input.WalkDir(ctx, folder, func(name string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && name != folder
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		case hidden && entry.IsDir():
			return fs.SkipDir
		case !hidden && entry.Type().IsRegular() && readerOf(name) != nil:
			files = append(files, name)
		}
		if len(files) > maxFiles {
			return fs.SkipAll // said by the caller
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = &fault.FileError{File: folder, Problem: "is a folder without a file of data", Advice: "it ends in " + endings}
	}
	return files, err
}

// Read reads the rows of a file, told by its ending. The error is a [fault.FileError], or [yamlnode.Errors] with the
// place.
func Read(ctx context.Context, file string) ([]Row, error) {
	read := readerOf(file)
	if read == nil {
		return nil, &fault.FileError{
			File: file, Problem: "is no file of data by its name", Advice: "it ends in " + endings,
		}
	}
	open, err := input.Open(ctx, file)
	if err != nil {
		return nil, err
	}
	defer open.Close()
	text, err := io.ReadAll(io.LimitReader(open, MaxBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > MaxBytes:
		return nil, &fault.FileError{File: file, Problem: "is larger than " + prose.ByteCount(MaxBytes)}
	}
	rows, err := read(file, bytes.TrimPrefix(text, []byte("\ufeff")))
	if len(rows) > MaxRows {
		return nil, &fault.FileError{File: file, Problem: fmt.Sprintf("has more than %d rows", MaxRows)}
	}
	return rows, err
}

// Columns are the names of a row's columns, in their order.
func (r Row) Columns() (names []string) {
	for i := 0; i+1 < len(r.Node.Content); i += 2 {
		names = append(names, r.Node.Content[i].Value)
	}
	return names
}

// Value returns the value of a column, or of a path such as metadata.topic into mappings; nil where there is none. A
// column of that very name goes before a path.
func (r Row) Value(name string) *yaml.Node { return valueOf(r.Node, name) }

func valueOf(n *yaml.Node, name string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == name {
			return n.Content[i+1]
		}
	}
	first, rest, more := strings.Cut(name, ".")
	if !more {
		return nil
	}
	if inner := valueOf(n, first); inner != nil {
		return valueOf(inner, rest)
	}
	return nil
}

// documents reads a YAML file: a list of rows, or one.
func documents(file string, text []byte) ([]Row, error) {
	root, err := yamlnode.Parse(file, "file of data", text)
	if err != nil {
		return nil, err
	}
	list := []*yaml.Node{root}
	if root.Kind == yaml.SequenceNode {
		list = root.Content
	}
	var rows []Row
	for _, n := range list {
		place := fault.Place{File: file, Line: n.Line, Column: n.Column}
		if n.Kind != yaml.MappingNode {
			return nil, broken(place, "must be a mapping of columns, not "+yamlnode.Describe(n), "")
		}
		rows = append(rows, Row{place, n, root.Kind == yaml.MappingNode})
	}
	return rows, nil
}

// broken is a problem at a place.
func broken(place fault.Place, problem, advice string) error {
	return yamlnode.Errors{{Place: place, Problem: problem, Advice: advice, Whole: "a row"}}
}

// textNode is a text.
func textNode(text string, line int) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Line: line}
}

// twice returns a name that is there twice.
func twice(names []string) (string, bool) {
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return name, true
		}
	}
	return "", false
}

// Size is about how many bytes rows have.
func Size(rows []Row) (bytes int) {
	var size func(n *yaml.Node) int
	size = func(n *yaml.Node) int {
		total := len(n.Value)
		for _, inner := range n.Content {
			total += 1 + size(inner)
		}
		return total
	}
	for _, row := range rows {
		bytes += size(row.Node)
	}
	return bytes
}
