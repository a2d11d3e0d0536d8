// Package jsonschema is github.com/santhosh-tekuri/jsonschema/v6, file by file, but for
// two things: that package compiles the meta-schemas of all drafts when a program starts,
// which takes a third of the start of this one, and here they are compiled when the
// first schema is; and it has no bound, as [Schema.ValidateWithin] has. The kinds of its errors are its own package
// kind.
//
// The files are written by generate.go, which the test runs again; LICENSE is theirs.
package jsonschema

import "sync"

//go:generate go run generate.go

var metaSchemas = sync.OnceFunc(compileMetaSchemas)

// NewCompiler returns a compiler of schemas. The first call compiles the meta-schemas.
func NewCompiler() *Compiler {
	metaSchemas()
	return newCompiler()
}
