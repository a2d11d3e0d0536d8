package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/internal/door"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// readToken reads the token that clients of a server tell, of the file that --token names; "" where none is named.
func readToken(ctx context.Context, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	unread := func(err error) error {
		return badInput(fmt.Sprintf("--token %s cannot be read: %v", prose.FileName(file), withoutPath(err)),
			"it names a file or a pipe, whose first line is the token")
	}
	from, err := input.Open(ctx, file)
	if err != nil {
		return "", unread(err)
	}
	defer from.Close()
	token, err := door.ReadToken(from)
	if e, ok := errors.AsType[*door.TokenError](err); ok {
		return "", badInput("the token in "+prose.FileName(file)+" "+e.Problem, e.Hint())
	}
	if err != nil {
		return "", unread(err)
	}
	return token, nil
}
