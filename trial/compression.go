package trial

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
)

// longestMagic is how many bytes tell how a file is compressed.
const longestMagic = 10

// bzip2Magic is how a block of bzip2 begins: with the digits of pi.
const bzip2Magic = "\x31\x41\x59\x26\x53\x59"

// unpackers are programs that unpack what is not unpacked here, by how their files begin.
var unpackers = []struct{ magic, name, command string }{
	{"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"},
	{"\xfd7zXZ\x00", "xz", "xz -dc"},
	{"\x04\x22\x4d\x18", "lz4", "lz4 -dc"},
	{"LZIP", "lzip", "lzip -dc"},
	{"\x1f\x9d", "compress", "uncompress -c"},
	{"7z\xbc\xaf\x27\x1c", "7z", "7z x -so"},
	{"Rar!\x1a\x07", "rar", "unrar p -inul"},
}

// decompressOther is Decompress of what gzip has not compressed.
func decompressOther(source *bufio.Reader, magic []byte, file string) (io.Reader, error) {
	if bytes.HasPrefix(magic, []byte("BZh")) && bytes.HasPrefix(magic[min(4, len(magic)):], []byte(bzip2Magic)) {
		return &unpackedReader{bzip2.NewReader(source), file, "bzip2"}, nil
	}
	for _, u := range unpackers {
		if bytes.HasPrefix(magic, []byte(u.magic)) {
			return nil, &FileError{
				File: file, Problem: "is compressed with " + u.name,
				Advice: fmt.Sprintf("%s unpacks it: %s FILE | ... -, or compress it with gzip or bzip2", u.name, u.command),
			}
		}
	}
	return &plainReader{source, file}, nil
}

// unpackedReader names the file and the program in the errors of a reader of what was compressed.
type unpackedReader struct {
	text    io.Reader
	file    string
	program string
}

// Read reads what was compressed, and names the file in an error.
func (u *unpackedReader) Read(b []byte) (int, error) {
	n, err := u.text.Read(b)
	if err != nil && err != io.EOF {
		err = unpackError(u.file, u.program, err)
	}
	return n, err
}

// unpackError says what is wrong with a compressed file. What went wrong in the file itself
// has its name already.
func unpackError(file, program string, err error) error {
	if named, ok := errors.AsType[*FileError](err); ok {
		return named
	}
	e := &FileError{File: file, Err: err}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		e.Problem, e.Advice = "is a "+program+" file that is cut off", "was the copy or the program that wrote it stopped?"
		return e
	}
	e.Problem = fmt.Sprintf("is a damaged %s file: %v", program, err)
	e.Advice = fmt.Sprintf("copy it again; %s -t tests it", program)
	return e
}
