package main

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
	"unicode/utf8"
)

// file is what is counted in one file.
type file struct {
	lines     int
	long      int        // lines of more than so many columns
	code      int        // lines that hold code, and may hold a comment too
	comments  int        // lines that hold a comment alone
	functions []int      // lines of each
	exported  int        // top-level names
	names     documented // exported top-level names, and exported methods
	fields    documented // exported fields of exported structs
}

// documented counts names, and those with a comment.
type documented struct{ with, all int }

func (d *documented) add(names int, comments ...*ast.CommentGroup) {
	d.all += names
	for _, c := range comments {
		if c != nil && strings.TrimSpace(c.Text()) != "" {
			d.with += names
			return
		}
	}
}

const (
	mostColumns = 120
	tabColumns  = 4
)

func readFile(set *token.FileSet, parsed *ast.File, text []byte) file {
	var f file
	f.countLines(set, parsed, text)
	for _, declaration := range parsed.Decls {
		switch d := declaration.(type) {
		case *ast.FuncDecl:
			f.function(set, d)
		case *ast.GenDecl:
			f.declared(d)
		}
	}
	return f
}

// countLines tells lines of code from those that hold a comment alone or nothing.
func (f *file) countLines(set *token.FileSet, parsed *ast.File, text []byte) {
	bare := bytes.Clone(text) // with blanks for comments
	commented := map[int]bool{}
	for _, group := range parsed.Comments {
		for _, comment := range group.List {
			first, last := set.Position(comment.Pos()), set.Position(comment.End())
			for line := first.Line; line <= last.Line; line++ {
				commented[line] = true
			}
			for i := first.Offset; i < last.Offset; i++ {
				if bare[i] != '\n' {
					bare[i] = ' '
				}
			}
		}
	}
	number := 0
	for line := range bytes.Lines(bare) {
		number++
		switch {
		case len(bytes.TrimSpace(line)) > 0:
			f.code++
		case commented[number]:
			f.comments++
		}
	}
	f.lines = number
	for line := range bytes.Lines(text) {
		if columns(bytes.TrimRight(line, "\r\n")) > mostColumns {
			f.long++
		}
	}
}

// columns is the width of a line.
func columns(line []byte) (n int) {
	for len(line) > 0 {
		r, size := utf8.DecodeRune(line)
		line = line[size:]
		if r == '\t' {
			n += tabColumns - n%tabColumns
			continue
		}
		n++
	}
	return n
}

func (f *file) function(set *token.FileSet, d *ast.FuncDecl) {
	f.functions = append(f.functions, set.Position(d.End()).Line-set.Position(d.Pos()).Line+1)
	if !d.Name.IsExported() {
		return
	}
	if d.Recv == nil {
		f.exported++
	} else if !ast.IsExported(receiver(d.Recv.List[0].Type)) {
		return
	}
	f.names.add(1, d.Doc)
}

// receiver is the name of the type that a method belongs to.
func receiver(of ast.Expr) string {
	switch t := of.(type) {
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

// declared counts constants, variables and types. A comment above a group speaks for
// all of the group.
func (f *file) declared(d *ast.GenDecl) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.ValueSpec:
			n := exportedNames(s.Names)
			f.exported += n
			f.names.add(n, d.Doc, s.Doc, s.Comment)
		case *ast.TypeSpec:
			if !s.Name.IsExported() {
				continue
			}
			f.exported++
			f.names.add(1, d.Doc, s.Doc, s.Comment)
			if structure, ok := s.Type.(*ast.StructType); ok {
				for _, field := range structure.Fields.List {
					f.fields.add(exportedNames(field.Names), field.Doc, field.Comment)
				}
			}
		}
	}
}

func exportedNames(names []*ast.Ident) (n int) {
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}
