package ingest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/trial"
	"github.com/tribunal-dev/tribunal/trial/journal"
)

// open tells the format of the file, and returns it as its decoder sees it.
func (r *fileReading) open(source io.Reader) (*record.Input, error) {
	plain, err := decompress(source, r.file)
	if err != nil {
		return nil, err
	}
	if r.sum != nil {
		r.sum.text, plain = plain, r.sum
	}
	// The buffer holds what detection looks at, so that nothing is read twice.
	text := bufio.NewReaderSize(plain, record.PrefixBytes)
	prefix, err := text.Peek(record.PrefixBytes)
	if err != nil && err != io.EOF && len(prefix) == 0 {
		return nil, err
	}
	name, err := detect(prefix)
	// A format that is named needs no detection; only that the file is empty still counts.
	if r.options.From != Auto || r.format != nil {
		if r.format == nil && err == nil && name != r.options.From {
			r.looksLike = name
		}
		name, err = r.options.From, onlyIfEmpty(err)
	}
	if err != nil {
		return nil, named(err, r.file)
	}
	if name == Trials && r.options.From == Auto && r.format == nil {
		r.fields = otherFields(prefix[markLength(prefix):])
	}
	if name == "csv" && r.format == nil {
		r.beginning = bytes.Clone(prefix[markLength(prefix):])
	}
	if n := markLength(prefix); n > 0 {
		text.Discard(n) // it is in the buffer
	}
	if r.format == nil { // no mapping takes its place
		r.format = formatOf(name)
	}
	return &record.Input{Text: text, File: r.file, Options: r.options.forDecoders(r.file, r.memory),
		Notes: &r.notes, Sink: r, Spread: r.spread, Memory: r.memory}, nil
}

// ends looks through the file for where the records of each run end. nil is not known: an error comes again when the
// file is read.
func (r *fileReading) ends(in *record.Input, again func() (io.ReadCloser, error)) *record.Ends {
	find := r.format.decoder.Ends
	if find == nil {
		return nil
	}
	source, err := again()
	if err != nil {
		return nil
	}
	defer source.Close() // opened for reading: nothing to lose
	plain, err := decompress(source, r.file)
	if err != nil {
		return nil
	}
	ends, err := find(bufio.NewReaderSize(plain, record.PrefixBytes), in.Options.MaxLineBytes)
	if err != nil {
		return nil
	}
	return ends
}

// named sets the file of an error about a file.
func named(err error, file string) error {
	if e, ok := errors.AsType[*trial.FileError](err); ok {
		e.File = file
		if e.Advice == resultAdvice {
			beside := journal.Beside(file)
			if _, missing := os.Stat(beside); missing != nil {
				beside = ".tribunal/SUITE.journal.jsonl"
			}
			e.Advice += ", " + beside
		}
	}
	return err
}

// openFile opens a file that is not a directory.
func openFile(ctx context.Context, name string) (*os.File, error) {
	file, err := input.Open(ctx, name)
	if refused, ok := errors.AsType[*trial.FileError](err); ok {
		return nil, refused
	}
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
		return nil, &trial.FileError{File: name, Problem: "is a directory",
			Advice: "name the files in it, such as " + name + "/*.jsonl, or what tribunal import makes of them"}
	}
	return file, nil
}

// errEmpty is the cause of the error about a file without content.
var errEmpty = errors.New("empty")

// onlyIfEmpty keeps the error of a file without content: a format that is named cannot help.
func onlyIfEmpty(err error) error {
	if errors.Is(err, errEmpty) {
		return err
	}
	return nil
}

// noTrials says that the file was read to its end in vain.
func (r *fileReading) noTrials() error {
	e := &trial.FileError{File: r.file, Problem: "holds no trials", Err: errEmpty}
	if r.format.decoder.Empty != "" {
		e.Problem, e.Advice = r.format.decoder.Empty, r.format.decoder.Hint
	}
	return r.misnamed(e)
}

// misnamed lets the error about a file of which nothing could be read say that it looks like another format than the
// one that was named.
func (r *fileReading) misnamed(err error) error {
	if r.looksLike == Auto || r.trials > 0 {
		return err
	}
	advice, about := fmt.Sprintf("it looks like %s: omit From", r.looksLike), "From"
	if e, ok := errors.AsType[*trial.FileError](err); ok {
		e.Advice, e.About = advice, about
	}
	// JSON that is cut off early looks like that of any format.
	if e, ok := errors.AsType[*trial.SyntaxError](err); ok && (r.looksLike != Trials || e.Advice == "") {
		e.Advice, e.About = advice, about
	}
	if e, ok := errors.AsType[*trial.FieldError](err); ok {
		e.Advice, e.About = advice, about
	}
	return err
}
