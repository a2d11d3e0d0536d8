package ingest

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/tribunal-dev/tribunal/trial"
)

// prefixBytes is how much of a file is looked at to tell its format.
const prefixBytes = 64 << 10

// input is one file on its way to trials.
type input struct {
	text    *bufio.Reader // decompressed, without a byte order mark
	file    string
	format  Format
	options Options
	notes   *Notes
	numbers numbering
	emit    func(*trial.Trial) error // hands out a trial
}

func newInput(r io.Reader, name string, o Options) (*input, error) {
	o.File = name
	plain, err := trial.Decompress(r, name)
	if err != nil {
		return nil, err
	}
	text := bufio.NewReaderSize(plain, prefixBytes)
	prefix, err := text.Peek(prefixBytes)
	if err != nil && err != io.EOF && len(prefix) == 0 {
		return nil, err
	}
	format, err := detect(prefix)
	if o.From != Auto {
		format, err = o.From, onlyIfEmpty(err)
	}
	if err != nil {
		return nil, named(err, name)
	}
	if n := markLength(prefix); n > 0 {
		text.Discard(n) // it is in the buffer
	}
	return &input{text: text, file: name, format: format, options: o}, nil
}

// place is a line of the file.
func (in *input) place(line int) trial.Place { return trial.Place{File: in.file, Line: line} }

// named sets the file of an error about a file.
func named(err error, file string) error {
	if e, ok := errors.AsType[*trial.FileError](err); ok {
		e.File = file
	}
	return err
}

// openFile opens a file that is not a directory.
func openFile(ctx context.Context, name string) (*os.File, error) {
	file, err := openUnless(ctx, name)
	if err != nil {
		e := &trial.FileError{File: name, Problem: "cannot be opened: " + err.Error(), Err: err}
		var path *fs.PathError
		switch {
		case errors.Is(err, fs.ErrNotExist):
			e.Problem, e.Advice = "does not exist", "check the name; - reads standard input"
		case errors.As(err, &path):
			e.Problem = "cannot be opened: " + path.Err.Error()
		}
		return nil, e
	}
	info, err := file.Stat()
	if err == nil && info.IsDir() {
		file.Close()
		return nil, &trial.FileError{File: name, Problem: "is a directory", Advice: "name the files in it, such as " + name + "/*.jsonl"}
	}
	return file, nil
}

// errEmpty is the cause of the error about a file without content.
var errEmpty = errors.New("empty")

func onlyIfEmpty(err error) error {
	if errors.Is(err, errEmpty) {
		return err
	}
	return nil
}

// noTrials says that a file of the format was read to its end in vain.
func noTrials(file string, format Format) error {
	e := &trial.FileError{File: file, Problem: "holds no trials", Err: errEmpty}
	switch format {
	case CSV:
		e.Problem, e.Advice = "has a header and no rows", "was the program that wrote it stopped?"
	case JUnit:
		e.Problem, e.Advice = "holds no testcase", "did the tests run?"
	case GoTest:
		e.Problem, e.Advice = "holds no test that ran", "did the tests run? A package without tests has none"
	}
	return e
}
