package process

import (
	"errors"
	"io"
	"math"
	"os"
	"syscall"
)

// ErrNotRegular says that the file of an output is a link, a pipe, a folder or a device. To read one
// could take for ever, or hand out what the program itself must not see.
var ErrNotRegular = errors.New("it is not a regular file")

// ReadOutput reads a file that the program wrote as its output: capped,
// as standard output is. Truncated says that it was longer. The caller names the file; that it was
// written by this program is not checked. The error is [ErrNotRegular], or that of the file system.
func (c Command) ReadOutput(name string) (text []byte, truncated bool, err error) {
	file, err := openRegular(name)
	if err != nil {
		return nil, false, err
	}
	defer file.Close() // opened for reading: nothing to lose
	secrets := newSecrets(c.Environment.list(), c.Redact)
	// That is enough for head to see whether the file is longer than it may be; the rest
	// is not read.
	h := &head{
		limit: positive(c.MaxOutputBytes, DefaultMaxOutputBytes), slack: secrets.longest, most: math.MaxInt64,
	}
	if _, err := io.Copy(h, io.LimitReader(file, int64(h.limit)+int64(h.slack)+1)); err != nil {
		return nil, false, err
	}
	text, truncated = h.text(secrets)
	return text, truncated, nil
}

// openRegular opens a regular file for reading. The last part of its name must not be a link. What is put
// into its place between the two looks at it is opened without waiting, and is not the same file.
func openRegular(name string) (*os.File, error) {
	before, err := os.Lstat(name)
	if err != nil {
		return nil, err
	}
	notRegular := &os.PathError{Op: "open", Path: name, Err: ErrNotRegular}
	if !before.Mode().IsRegular() {
		return nil, notRegular
	}
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if now, err := file.Stat(); err != nil || !os.SameFile(before, now) {
		file.Close()
		return nil, errors.Join(err, notRegular)
	}
	return file, nil
}
