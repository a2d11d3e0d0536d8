// Package input opens what a person names as an input: regular files, pipes and terminals. A device such as
// /dev/zero never ends, and a socket or a disk is not what anybody meant.
package input

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/term"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Open opens a file to be read, unless the context ends first: a named pipe waits for who writes to it. A device that
// is no terminal is a [fault.FileError], and so is a socket. A folder can be opened; the null device is an empty file.
func Open(ctx context.Context, name string) (*os.File, error) {
	in, inside, err := filesOf(ctx, name)
	if err != nil {
		return nil, err
	}
	info, err := in.stat(inside)
	switch {
	case err != nil:
		return nil, err
	// Known before it is opened, which may do something to a device.
	case info.Mode()&fs.ModeDevice != 0 && info.Mode()&fs.ModeCharDevice == 0, info.Mode()&fs.ModeSocket != 0:
		return nil, refused(name, info)
	}
	open := func() (*os.File, error) { return in.open(inside) }
	if info.Mode()&fs.ModeNamedPipe != 0 {
		open = func() (*os.File, error) { return openPipe(ctx, in, inside) }
	}
	file, err := open()
	if err != nil {
		return nil, err
	}
	if err := Check(name, file); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// Check refuses an open file that is a device other than a terminal or the null device. What was opened by somebody
// else, such as standard input, may be a socket.
func Check(name string, file *os.File) error {
	info, err := file.Stat()
	if err != nil || info.Mode()&fs.ModeDevice == 0 {
		return nil // an error comes again when it is read
	}
	if info.Mode()&fs.ModeCharDevice != 0 && (isNull(info) || term.IsTerminal(int(file.Fd()))) {
		return nil
	}
	return refused(name, info)
}

// isNull reports whether a device is the one that is always empty.
func isNull(info fs.FileInfo) bool {
	null, err := os.Stat(os.DevNull)
	return err == nil && os.SameFile(null, info)
}

// refused is the error of what is no input.
func refused(name string, info fs.FileInfo) error {
	kind := "a device"
	if info.Mode()&fs.ModeSocket != 0 {
		kind = "a socket"
	}
	return &fault.FileError{
		File: name, Problem: "is " + kind + ", which is not read", Advice: "name a file or a pipe; - is standard input",
	}
}

// openPipe opens a named pipe unless the context ends first.
func openPipe(ctx context.Context, in files, name string) (*os.File, error) {
	type openResult struct {
		file *os.File
		err  error
	}
	done := make(chan openResult)
	go func() {
		file, err := in.open(name)
		select {
		case done <- openResult{file, err}:
		case <-ctx.Done():
			file.Close() // nil if there is none: then that is all
		}
	}()
	select {
	case o := <-done:
		return o.file, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Read reads a whole file of at most so many bytes, or less where the budget of the context has less: an eighth of it.
// The name "-" is stdin. A longer one is a [fault.FileError] with the advice. The end of the context ends it with its
// cause, also while a pipe is waited for: that read goes on until something comes, and what comes is lost. In a context
// of [WithResults] the name of what a store keeps is a saved result of it.
func Read(ctx context.Context, name string, stdin io.Reader, most int, advice string) ([]byte, error) {
	if text, is, err := readStored(ctx, name, most, advice); is {
		return text, err
	}
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
		c.text, c.err = read(ctx, name, stdin, most, advice)
		found <- c
	}()
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case c := <-found:
		return c.text, c.err
	}
}

func read(ctx context.Context, name string, stdin io.Reader, most int, advice string) ([]byte, error) {
	source := stdin
	if file, ok := stdin.(*os.File); ok && name == "-" {
		if err := Check(name, file); err != nil {
			return nil, err
		}
	}
	if name != "-" {
		file, err := Open(ctx, name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		source = file
	}
	if source == nil {
		return nil, errors.New("there is no standard input")
	}
	limit := memory.From(ctx).Part(8, most)
	// One byte more than is allowed shows that it is longer.
	text, err := io.ReadAll(io.LimitReader(source, int64(limit)+1))
	switch {
	case err != nil:
		return nil, err
	case len(text) > limit && limit < most:
		return nil, &fault.FileError{File: name, Problem: "is larger than " + prose.ByteCount(limit),
			Advice: "raise MaxMemory if there is the memory", About: "MaxMemory"}
	case len(text) > limit:
		return nil, &fault.FileError{File: name, Problem: "is larger than " + prose.ByteCount(limit), Advice: advice}
	}
	return text, nil
}
