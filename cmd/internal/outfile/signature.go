package outfile

import (
	"context"

	"github.com/tribunal-dev/tribunal/internal/signature"
)

// Sign writes the signature of a file that has just been written beside it.
func Sign(ctx context.Context, key *signature.Key, file string, text []byte) error {
	to, err := New("--sign", file+signature.Extension)
	if err != nil {
		return err
	}
	return to.Write(ctx, key.Sign(file, text))
}
