package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/internal/signature"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/verdict"
	"github.com/tribunal-dev/tribunal/verdict/verify"
)

// ReadFile reads a file, or stdin for the name "-". The end of the context ends it with
// its cause, also while a pipe is waited for: that read goes on until something comes,
// and what comes is lost.
func ReadFile(ctx context.Context, name string, stdin io.Reader) ([]byte, error) {
	// A read of a pipe or of a terminal cannot be interrupted, so it gets a goroutine of
	// its own. The channel has room for what it finds: where nobody waits any more, it can
	// still end.
	type content struct {
		text []byte
		err  error
	}
	found := make(chan content, 1)
	go func() {
		var c content
		if name == "-" {
			c.text, c.err = io.ReadAll(stdin)
		} else {
			c.text, c.err = os.ReadFile(name)
		}
		found <- c
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case c := <-found:
		return c.text, c.err
	}
}

// ReadResult reads a saved result, from stdin for the name "-". What is not there, cannot
// be read or is no result at all are different errors, each with its own advice; none of
// them is a verdict.
func ReadResult(ctx context.Context, name string, stdin io.Reader) (verdict.Result, error) {
	return readResult(ctx, name, stdin, nil)
}

// readResult is ReadResult of a file that has the signature of one of the keys, where they are asked
// for; nil asks for none.
func readResult(
	ctx context.Context, name string, stdin io.Reader, trusted *signature.Trusted,
) (verdict.Result, error) {
	text, err := ReadFile(ctx, name, stdin)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist):
		return nil, &trial.FileError{
			File: name, Problem: "does not exist", Advice: "tribunal run saves its result in .tribunal", Err: err,
		}
	case err != nil:
		return nil, unreadable(name, err)
	}
	// What nobody vouches for is not even decoded.
	if err := trusted.Check(name, text); err != nil {
		return nil, &RefusedError{Problem{Text: err.Error(), Err: err,
			Advice: "tribunal run and gate sign what they save with --sign KEY"}}
	}
	result, err := verify.Decode(text)
	// The decoder has seen a text and no name.
	if problem, ok := errors.AsType[*verify.DecodeError](err); ok {
		return nil, &Problem{
			Text:   prose.FileName(name) + " " + problem.Problem,
			Advice: problem.Advice, About: problem.About, Err: problem,
		}
	}
	return result, err
}

// unreadable is an error of opening or reading a file, without the name that package os
// puts into it. The message would otherwise name the file twice.
func unreadable(name string, err error) error {
	problem := err
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		problem = path.Err
	}
	return &trial.FileError{File: name, Problem: "cannot be read: " + problem.Error(), Err: err}
}
