// Package results writes, ranks and recomputes results that were saved: each command has a request, which is plain
// data, and a function that answers it. It knows no flags.
package results
