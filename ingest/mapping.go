package ingest

import "github.com/tribunal-dev/tribunal/ingest/internal/mapping"

// MappingSchema returns the JSON Schema (draft 2020-12) of the file that Options.Map names, for editors.
func MappingSchema() []byte { return mapping.Schema() }
