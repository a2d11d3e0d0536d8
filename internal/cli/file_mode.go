package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/spf13/pflag"
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

// registerFileMode registers the flag for a tree of commands.
func registerFileMode(flags *pflag.FlagSet) {
	flags.Var(new(fileMode), fileModeFlag,
		"who may read and write the files that are made, such as 0644 (default 0600, or that of a file that is replaced)")
	flags.Lookup(fileModeFlag).DefValue = ""
}

type fileModeKey struct{}

// withFileMode gives a command the mode of its files.
func withFileMode(ctx context.Context, flags *pflag.FlagSet) context.Context {
	if flag := flags.Lookup(fileModeFlag); flag != nil {
		if mode, is := flag.Value.(*fileMode); is && *mode != 0 {
			return context.WithValue(ctx, fileModeKey{}, fs.FileMode(*mode))
		}
	}
	return ctx
}

// modeAsked is the mode of files that was asked for; false where none was.
func modeAsked(ctx context.Context) (fs.FileMode, bool) {
	mode, asked := ctx.Value(fileModeKey{}).(fs.FileMode)
	return mode, asked
}

// share gives a file of the run that is no [outputFile], such as its journal, the mode that was asked for.
func share(ctx context.Context, name string) error {
	mode, asked := modeAsked(ctx)
	if !asked || name == "" {
		return nil
	}
	if err := os.Chmod(name, mode); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &writeError{name, err}
	}
	return nil
}
