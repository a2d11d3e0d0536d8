package base

import (
	"errors"
	"fmt"
	"io/fs"
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

// fileModeOf is the mode that the flag says; 0 where it says none.
func fileModeOf(flags *pflag.FlagSet) fs.FileMode {
	if flag := flags.Lookup(fileModeFlag); flag != nil {
		if mode, is := flag.Value.(*fileMode); is {
			return fs.FileMode(*mode)
		}
	}
	return 0
}
