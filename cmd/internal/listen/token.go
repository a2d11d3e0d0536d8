package listen

import (
	"context"
	"errors"
	"fmt"

	"github.com/tribunal-dev/tribunal/cmd/internal/problem"
	"github.com/tribunal-dev/tribunal/internal/door"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// ReadToken reads the token that clients of a server tell, of the file that --token names; "" where none is named.
func ReadToken(ctx context.Context, file string) (string, error) {
	if file == "" {
		return "", nil
	}
	token, err := door.ReadToken(ctx, file)
	if e, ok := errors.AsType[*door.TokenError](err); ok && e.Err != nil {
		return "", problem.BadInput(fmt.Sprintf("--token %s cannot be read: %v", prose.FileName(file), e.Err), e.Hint())
	}
	return token, err
}
