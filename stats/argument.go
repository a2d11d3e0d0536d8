package stats

import "github.com/tribunal-dev/tribunal/internal/argument"

// ArgumentError says which argument of a function cannot be used, and why.
type ArgumentError = argument.Error
