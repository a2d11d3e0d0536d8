package outfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/problem"
)

// fileModeFlag is of all commands.
const fileModeFlag = "file-mode"

// fileMode is who may read and write the files that a command makes; 0 is their owner alone, or whoever may
// read and write the file that is replaced.
type fileMode fs.FileMode

func (m *fileMode) Set(text string) error {
	const owner, everybody = 0o600, 0o666
	bits, err := strconv.ParseUint(text, 8, 32)
	switch {
	case err != nil:
		return errors.New("must be an octal number such as 0640")
	case bits&^everybody != 0:
		return errors.New("must be made of 4, read, and 2, write, for owner, group and others, such as 0640")
	case bits&owner != owner:
		return errors.New("must let its owner read and write, such as 0640")
	}
	*m = fileMode(bits)
	return nil
}

func (m *fileMode) String() string {
	if *m == 0 {
		return ""
	}
	return fmt.Sprintf("%04o", uint32(*m))
}

func (m *fileMode) Type() string { return "MODE" }

// RegisterFileMode registers the flag for a tree of commands.
func RegisterFileMode(flags *pflag.FlagSet) {
	flags.Var(new(fileMode), fileModeFlag,
		"who may read and write the files that are made, such as 0644 (default 0600, or that of a file that is replaced)")
	flags.Lookup(fileModeFlag).DefValue = ""
}

type fileModeKey struct{}

// WithFileMode gives a command the mode of its files.
func WithFileMode(ctx context.Context, flags *pflag.FlagSet) context.Context {
	if flag := flags.Lookup(fileModeFlag); flag != nil {
		if mode, is := flag.Value.(*fileMode); is && *mode != 0 {
			return context.WithValue(ctx, fileModeKey{}, fs.FileMode(*mode))
		}
	}
	return ctx
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
