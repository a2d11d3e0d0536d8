package benchmarks

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// The files of an archive that are read.
// An .eval file is a zip archive:
//
//	_journal/start.json          the header as the evaluation began
//	_journal/summaries/1.json    what is known of the first samples, and so on
//	samples/a_epoch_1.json       one sample
//	summaries.json, header.json  written when the evaluation ends
const (
	inspectHeader    = "header.json"
	inspectStart     = "_journal/start.json" // the header while the evaluation runs
	inspectSummaries = "summaries.json"
	inspectJournal   = "_journal/summaries/"
	inspectSamples   = "samples/"
)

// archiveEntries is the most files that an archive may hold.
// It is chosen: far more than evaluations have samples, and the directory fits memory.
const archiveEntries = 1 << 20

// archive is a zip file whose content may not be longer than a document, however
// little of it there is in the file.
// A few bytes of a file may unpack to gigabytes: left is what all its files together may
// still take, and begins with MaxDocumentBytes, which the archive itself is held to, too.
type archive struct {
	in      *record.Input
	entries map[string]*zip.File
	names   []string // in their order; of several files of one name, the last counts
	left    int      // bytes that may still be read
}

// openArchive reads the directory of an archive, which is at its end: all of it is needed.
func openArchive(in *record.Input) (*archive, error) {
	text, err := in.Everything()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, &trial.FileError{
			File: in.File, Problem: "is a zip archive that cannot be read: " + err.Error(),
			Advice: "was the copy or the program that wrote it stopped?", Err: err,
		}
	}
	if len(z.File) > archiveEntries {
		return nil, &trial.FileError{File: in.File, Problem: "holds " + strconv.Itoa(len(z.File)) +
			" files, more than are read"}
	}
	limit := in.Options.MaxDocumentBytes
	// Logs may be compressed with zstd, under the number that WinZip gave it. One thread and
	// little memory do: samples are read one after the other.
	z.RegisterDecompressor(zstd.ZipMethodWinZip,
		zstd.ZipDecompressor(zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1)))
	a := &archive{in: in, entries: map[string]*zip.File{}, left: limit}
	// A file that was added once more replaces the one before.
	for _, f := range z.File {
		if _, again := a.entries[f.Name]; !again {
			a.names = append(a.names, f.Name)
		}
		a.entries[f.Name] = f
	}
	return a, nil
}

// read returns the content of a file as JSON. A file that is not there is absent.
func (a *archive) read(name string) (record.Node, error) {
	f := a.entries[name]
	if f == nil {
		return record.Node{}, nil
	}
	// A truncated or damaged file is an error of the whole: what it held is not known.
	text, err := a.content(f)
	if err != nil {
		return record.Node{}, err
	}
	n, err := a.in.Decode(text)
	if record.OutOfMemory(err) {
		return record.Node{}, err
	}
	if err != nil {
		return record.Node{}, &trial.FileError{File: a.in.File, Problem: "holds " + strconv.Quote(name) +
			", which is not JSON: " + err.Error(), Err: err}
	}
	return n, nil
}

// content unpacks a file, up to one byte more than may be left, which tells that it is longer.
func (a *archive) content(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, a.damaged(f, err)
	}
	defer r.Close() // it is read
	text, err := io.ReadAll(io.LimitReader(r, int64(a.left)+1))
	switch {
	case len(text) > a.left:
		return nil, &trial.FileError{
			File: a.in.File, Problem: "is an archive of more than " + prose.ByteCount(a.in.Options.MaxDocumentBytes),
			Advice: "raise the limit with MaxDocumentBytes if there is the memory",
			About:  "MaxDocumentBytes",
		}
	case err != nil:
		return nil, a.damaged(f, err)
	}
	a.left -= len(text)
	return text, nil
}

// damaged says which file of the archive cannot be unpacked, and why.
func (a *archive) damaged(f *zip.File, err error) error {
	e := &trial.FileError{
		File: a.in.File, Problem: "holds " + strconv.Quote(f.Name) + ", which cannot be read: " + err.Error(),
		Advice: "was the copy or the program that wrote it stopped?", Err: err,
	}
	if errors.Is(err, zip.ErrAlgorithm) {
		e.Problem = "holds " + strconv.Quote(f.Name) + ", which is compressed in a way that is not known here (" +
			strconv.Itoa(int(f.Method)) + ")"
		e.Advice = "deflate and zstd are"
	}
	return e
}

// readInspectArchive reads one sample after the other; one is held at a time.
func readInspectArchive(in *record.Input) error {
	a, err := openArchive(in)
	if err != nil {
		return err
	}
	header, err := a.read(inspectHeader)
	if err != nil {
		return err
	}
	if !header.Exists() {
		// The header is written last: without it the evaluation was stopped.
		if header, err = a.read(inspectStart); err != nil {
			return err
		}
		if header.Exists() {
			in.Notes.Remark("the evaluation was cut off: the archive has no " + inspectHeader +
				", and samples may be missing")
		}
	}
	if !header.At("eval").IsObject() {
		return &trial.FileError{File: in.File,
			Problem: "is an archive, and no log of inspect_ai: it has no " + inspectHeader}
	}
	log := newInspectLog(in, header)
	// In the order of the archive, which is that in which the samples ended.
	samples := slices.DeleteFunc(slices.Clone(a.names), func(name string) bool {
		return !strings.HasPrefix(name, inspectSamples) || !strings.HasSuffix(name, ".json")
	})
	if len(samples) == 0 {
		return log.summaries(a)
	}
	for _, name := range samples {
		sample, err := a.read(name)
		if err != nil {
			return err
		}
		if err := log.sample(sample, 0); err != nil {
			return err
		}
	}
	return log.end()
}

// summaries reads what is known of samples that were not logged themselves.
// A summary has id, epoch, scores and limit, and no steps. Before the evaluation ends they
// lie in several files of the journal.
func (l *inspectLog) summaries(a *archive) error {
	names := []string{inspectSummaries}
	if a.entries[inspectSummaries] == nil {
		names = slices.DeleteFunc(slices.Clone(a.names),
			func(name string) bool { return !strings.HasPrefix(name, inspectJournal) })
	}
	for _, name := range names {
		list, err := a.read(name)
		if err != nil {
			return err
		}
		for _, summary := range list.List() {
			if err := l.sample(summary, 0); err != nil {
				return err
			}
		}
	}
	return l.end()
}
