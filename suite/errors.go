package suite

import "github.com/tribunal-dev/tribunal/internal/yamlnode"

// Error is one thing that is wrong with a suite file, or with a contract that it
// names.
type Error = yamlnode.Error

// Errors are the problems of a suite file in their order, at most 20 of them.
type Errors = yamlnode.Errors
