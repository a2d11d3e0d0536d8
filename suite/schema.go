package suite

import (
	_ "embed"
	"slices"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of a suite file, for editors. It
// says less than [Parse] checks: whether a path, a regular expression or a test
// makes sense is not for a schema to tell.
func Schema() []byte { return slices.Clone(schema) }
