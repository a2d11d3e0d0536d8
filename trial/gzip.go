package trial

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"io"
)

// Decompress returns a reader of the text of r: of what r holds, if it begins as a file
// does that gzip or bzip2 has compressed, also of several gzip files in a row, and of
// r itself if not. A file that another program has compressed is a [FileError] that names
// the program, and so is what goes wrong while reading.
func Decompress(r io.Reader, file string) (io.Reader, error) {
	source := bufio.NewReaderSize(r, 1<<16)
	magic, err := source.Peek(longestMagic)
	if err != nil && err != io.EOF {
		return nil, readError(file, err)
	}
	if !bytes.HasPrefix(magic, []byte("\x1f\x8b")) {
		return decompressOther(source, magic, file)
	}
	text, err := gzip.NewReader(source)
	if err != nil {
		return nil, gzipError(file, err)
	}
	return &gzipReader{text, file}, nil
}

// plainReader names the file in the errors of a reader.
type plainReader struct {
	source io.Reader
	file   string
}

// Read reads, and names the file in an error.
func (p *plainReader) Read(b []byte) (int, error) {
	n, err := p.source.Read(b)
	if err != nil && err != io.EOF {
		err = readError(p.file, err)
	}
	return n, err
}

// gzipReader names the file in the errors of a gzip reader.
type gzipReader struct {
	text *gzip.Reader
	file string
}

// Read reads what was compressed, and names the file in an error.
func (z *gzipReader) Read(b []byte) (int, error) {
	n, err := z.text.Read(b)
	if err != nil && err != io.EOF {
		err = gzipError(z.file, err)
	}
	return n, err
}

// readError names the file in an error of reading, unless that does so itself.
func readError(file string, err error) error {
	if named, ok := errors.AsType[*FileError](err); ok {
		return named
	}
	return &FileError{File: file, Problem: "cannot be read: " + err.Error(), Err: err}
}

// gzipError says what is wrong with a compressed file, and what may have happened to it.
func gzipError(file string, err error) error {
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	e := &FileError{File: file, Err: err}
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Problem, e.Advice = "is a gzip file that is cut off", "was the copy or the program that wrote it stopped?"
	case errors.Is(err, gzip.ErrHeader):
		e.Problem, e.Advice = "has data after the end of its gzip part, or a broken gzip header", "compress it again"
	case errors.Is(err, gzip.ErrChecksum), corrupt:
		e.Problem, e.Advice = "is a damaged gzip file: "+err.Error(), "copy it again; gzip -t tests it"
	default:
		return readError(file, err)
	}
	return e
}
