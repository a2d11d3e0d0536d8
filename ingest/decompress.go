package ingest

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/tribunal-dev/tribunal/trial"
)

// zstdMagic is how a file begins that zstd has compressed.
const zstdMagic = "\x28\xb5\x2f\xfd"

// largestWindow is how far back a file of zstd may refer, which the reader holds: what
// zstd --ultra --long=27 writes, 128 MiB.
const largestWindow = 128 << 20

// decompress is [trial.Decompress] that knows zstd as well.
func decompress(r io.Reader, file string) (io.Reader, error) {
	source := bufio.NewReader(r)
	if magic, _ := source.Peek(len(zstdMagic)); string(magic) != zstdMagic {
		return trial.Decompress(source, file)
	}
	// One thread: the reader needs no closing then.
	text, err := zstd.NewReader(source, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(largestWindow))
	if err != nil {
		return nil, zstdError(file, err)
	}
	return &unzstd{text, file}, nil
}

// unzstd names the file in the errors of a reader of what zstd has compressed.
type unzstd struct {
	text io.Reader
	file string
}

// Read reads what was compressed, and names the file in an error.
func (u *unzstd) Read(b []byte) (int, error) {
	n, err := u.text.Read(b)
	if err != nil && err != io.EOF {
		err = zstdError(u.file, err)
	}
	return n, err
}

// zstdError says what is wrong with a compressed file. What went wrong in the file itself
// has its name already.
func zstdError(file string, err error) error {
	if named, ok := errors.AsType[*trial.FileError](err); ok {
		return named
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return &trial.FileError{File: file, Err: err, Problem: "is a zstd file that is cut off",
			Advice: "was the copy or the program that wrote it stopped?"}
	}
	return &trial.FileError{File: file, Err: err, Problem: fmt.Sprintf("is a damaged zstd file: %v", err),
		Advice: "copy it again; zstd -t tests it"}
}
