package base

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"

	"github.com/tribunal-dev/tribunal/cmd/internal/cli/option"
)

// fileMode is who may read and write the files that a command makes; 0 is their owner alone, or whoever may
// read and write the file that is replaced.
var fileMode = option.Type[fs.FileMode]{
	Unit: "MODE",
	Text: func(m fs.FileMode) string {
		if m == 0 {
			return ""
		}
		return fmt.Sprintf("%04o", uint32(m))
	},
	Parse: func(text string) (fs.FileMode, error) {
		const owner, everybody = 0o600, 0o666
		bits, err := strconv.ParseUint(text, 8, 32)
		switch {
		case err != nil:
			return 0, errors.New("must be an octal number such as 0640")
		case bits&^everybody != 0:
			return 0, errors.New("must be made of 4, read, and 2, write, for owner, group and others, such as 0640")
		case bits&owner != owner:
			return 0, errors.New("must let its owner read and write, such as 0640")
		}
		return fs.FileMode(bits), nil
	},
}
