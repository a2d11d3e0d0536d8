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
	// All of them, the empty ones too.
	lines int
	long  int // lines of more than so many columns
	// A blank line is neither code nor comment, and no part of the share of comments.
	code      int       // lines that hold code, and may hold a comment too
	comments  int       // lines that hold a comment alone
	functions []int     // lines of each
	exported  int       // top-level names
	errors    int       // types that are errors
	names     nameCount // exported top-level names, and exported methods
	fields    nameCount // exported fields of exported structs
}

// nameCount counts names, and those with a comment.
type nameCount struct{ with, all int }

// add counts so many names that share these comments: one that says something is enough. A
// directive, such as //go:embed, says nothing to a reader, and Text leaves it out.
func (d *nameCount) add(names int, comments ...*ast.CommentGroup) {
	d.all += names
	for _, c := range comments {
		if c != nil && strings.TrimSpace(c.Text()) != "" {
			d.with += names
			return
		}
	}
}

// The limit of this repository, and how wide a tab counts for it.
const (
	mostColumns = 120
	tabColumns  = 4
)

// readFile counts a parsed file; text is what it was parsed from.
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

// countLines tells lines of code from those that hold a comment alone or nothing. It needs
// both, the text and the positions of the comments: a // within a string is none.
func (f *file) countLines(set *token.FileSet, parsed *ast.File, text []byte) {
	// Bytes are blanked, not cut out, so that lines keep their numbers.
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
	// What is left on a line after that is code; a line that is empty without its comment
	// is a comment; and one that had neither is blank.
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

// columns is the width of a line. A tab goes to the next multiple of tabColumns. A
// character is one column, also a wide one of East Asia, which takes two on a screen.
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

// function counts a function. Its length is from func to the closing brace, without its
// comment. A method is no name of the package; it has to be documented where its type is
// exported.
func (f *file) function(set *token.FileSet, d *ast.FuncDecl) {
	f.functions = append(f.functions, set.Position(d.End()).Line-set.Position(d.Pos()).Line+1)
	if d.Recv != nil && d.Name.Name == "Error" && d.Type.Params.NumFields() == 0 && d.Type.Results.NumFields() == 1 {
		f.errors++
	}
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

// receiver is the name of the type that a method belongs to. A pointer and the parameters
// of a generic type are left out.
func receiver(expr ast.Expr) string {
	switch t := expr.(type) {
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

// declared counts constants, variables and types. A comment above a group speaks for all of
// the group. A name in a group counts as documented by the group's comment, as godoc shows
// it.
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

// exportedNames counts the exported ones; of _ and lower case there may be others between.
func exportedNames(names []*ast.Ident) (n int) {
	for _, name := range names {
		if name.IsExported() {
			n++
		}
	}
	return n
}
