package app

import (
	"context"
	"errors"
	"io"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// RefusedError is a saved result that can be read and is not believed: it does not follow from its
// own outcomes, or lacks the signature that is asked for.
type RefusedError struct{ Problem }

// ReadVerified reads a saved result as [ReadResult] does and judges it again. Where keys are trusted
// the file must have the signature of one of them; nil asks for none. What does not follow from its
// own outcomes is a [RefusedError], which names what differs, and so is a result that holds none.
func ReadVerified(
	ctx context.Context, name string, stdin io.Reader, trusted *signature.TrustedKeys,
) (verdict.Result, error) {
	result, err := readResult(ctx, name, stdin, trusted)
	if err != nil {
		return nil, err
	}
	_, err = Verify(ctx, name, result)
	return result, err
}

// Verify judges a result again, which was read from the file of that name.
func Verify(ctx context.Context, name string, result verdict.Result) (*verify.Verification, error) {
	found, err := verify.Verify(ctx, result)
	if err == nil {
		return found, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	// Only the first difference is named: those after it mostly follow from it.
	refused := &RefusedError{Problem{Text: prose.FileName(name) + ": " + err.Error(), Err: err}}
	if _, different := errors.AsType[*verdict.DifferenceError](err); different {
		refused.Advice = "the result was changed, or written by another version"
	}
	// Such a result is not wrong; there is nothing in it to recompute from.
	if errors.Is(err, verdict.ErrNoOutcomes) {
		refused.Advice = "it is verified by running the command again on the recordings"
	}
	return nil, refused
}
