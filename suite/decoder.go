package suite

import "github.com/tribunal-dev/tribunal/internal/yamlnode"

// decoder reads a suite.
type decoder struct {
	yamlnode.Decoder

	dir       string   // of the file, from which paths lead
	redact    []string // names of variables, for commands that judge
	contracts []string // digests of those that were read, in their order
}

type key = yamlnode.Key
