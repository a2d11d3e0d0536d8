package input

import (
	"context"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// storePrefix begins the names of what is kept in a store.
const storePrefix = "store:"

// Stored returns the query of a name such as store:suite=shop, which stands for what a store keeps; false for the
// name of a file.
func Stored(name string) (query string, is bool) { return strings.CutPrefix(name, storePrefix) }

// IsStored reports whether a name stands for what a store keeps.
func IsStored(name string) bool { return strings.HasPrefix(name, storePrefix) }

// resultsKey is that of the function in a context which reads saved results of a store.
type resultsKey struct{}

// WithResults returns a context in which [Read] gets the saved results of a store from a function, by their query.
func WithResults(ctx context.Context, read func(ctx context.Context, query string) ([]byte, error)) context.Context {
	return context.WithValue(ctx, resultsKey{}, read)
}

// readStored reads the saved result that a query means, of at most so many bytes; false where nothing in the context
// reads any.
func readStored(ctx context.Context, name string, most int, advice string) (text []byte, is bool, err error) {
	query, stored := Stored(name)
	from, ok := ctx.Value(resultsKey{}).(func(context.Context, string) ([]byte, error))
	if !stored || !ok {
		return nil, false, nil
	}
	text, err = from(ctx, query)
	if err == nil && len(text) > most {
		return nil, true, &fault.FileError{File: name, Problem: "is larger than " + prose.ByteCount(most), Advice: advice}
	}
	return text, true, err
}
