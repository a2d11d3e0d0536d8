package outfile

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
)

type fileModeKey struct{}

// WithFileMode gives a command the mode of its files; 0 leaves it to the usual one.
func WithFileMode(ctx context.Context, mode fs.FileMode) context.Context {
	if mode == 0 {
		return ctx
	}
	return context.WithValue(ctx, fileModeKey{}, mode)
}

// ModeAsked is the mode of files that was asked for; false where none was.
func ModeAsked(ctx context.Context) (fs.FileMode, bool) {
	mode, asked := ctx.Value(fileModeKey{}).(fs.FileMode)
	return mode, asked
}

// Share gives a file of the run that is no [File], such as its journal, the mode that was asked for.
func Share(ctx context.Context, name string) error {
	mode, asked := ModeAsked(ctx)
	if !asked || name == "" {
		return nil
	}
	if err := os.Chmod(name, mode); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &problem.WriteError{Target: name, Err: err}
	}
	return nil
}
