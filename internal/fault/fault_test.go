package fault

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/exit"
)

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err             error
		text, said      string
		hint            string
		code            int
		causedByMissing bool
	}{
		{&Error{Problem: "the port is taken", Advice: "choose another one", Code: exit.Unavailable, Err: fs.ErrNotExist},
			"the port is taken; choose another one", "the port is taken", "choose another one", 69, true},
		{&Error{Problem: "there is no reason"}, "there is no reason", "there is no reason", "", 65, false},
		{&FileError{File: "-", Problem: "is empty", Err: fs.ErrNotExist}, "standard input is empty", "standard input is empty",
			"", 65, true},
		{&FileError{Problem: "is empty", Advice: "record more"}, "input is empty; record more", "input is empty",
			"record more", 65, false},
	} {
		said := c.err.(interface {
			Message() string
			Hint() string
			ExitCode() int
		})
		if c.err.Error() != c.text || said.Message() != c.said || said.Hint() != c.hint || said.ExitCode() != c.code ||
			errors.Is(c.err, fs.ErrNotExist) != c.causedByMissing {
			t.Errorf("%+v: %q, %q, %q, %d", c.err, c.err, said.Message(), said.Hint(), said.ExitCode())
		}
	}
}
