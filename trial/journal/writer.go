package journal

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"io/fs"
	"os"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/filelock"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// Writer appends to a journal. While it is open no other runner can open the file. It
// may be used by one goroutine at a time. After an error it writes nothing more, and
// [Writer.Flush], [Writer.Sync] and [Writer.Close] return that error.
//
// There are three steps to the disk: append fills a buffer of this process, Flush hands it to the system,
// Sync has the system write it down.
type Writer struct {
	name   string
	file   *os.File
	unlock func() error // at its release
	buffer *bufio.Writer
	chain  Chain // of what was appended
	dirty  bool  // written since the last sync
	err    error // the first one; nothing is written after it
}

// ErrLocked says that another runner has the journal open.
var ErrLocked = exit.New(exit.Input, "another runner has this journal open")

// ErrExists says that a journal is there and would be overwritten.
var ErrExists = exit.New(exit.Input, "the journal exists already: continue that run, or name another file")

// Create begins a journal. An empty file may be there, anything else is [ErrExists].
func Create(name string, h Header) (*Writer, error) { return Begin(name, h, nil) }

// Replace says what becomes of a journal that is there when another one is begun: the name that it is given, in
// place of what has that name, or "" to overwrite it. An error refuses. It is told the history, whose records are
// their outcomes alone, or why it cannot be read.
type Replace func(h *History, unread error) (aside string, err error)

// Begin begins a journal, and has replace decide what becomes of one that is there; nil refuses with [ErrExists].
// One lock is kept while the old journal is read, moved and followed by the new one: no other runner can begin or
// go on between. Less than a line, as a runner leaves it that was killed at once, is overwritten without a word.
func Begin(name string, h Header, replace Replace) (*Writer, error) {
	w, err := open(name)
	if err != nil {
		return nil, err
	}
	// The lock is taken before the size is looked at: of two runners that begin at once one gets it.
	switch information, err := w.file.Stat(); {
	case err != nil:
		return nil, w.giveUp(err)
	case information.Size() == 0:
		return w.begin(h)
	case replace == nil:
		return nil, w.giveUp(ErrExists)
	}
	history, _, err := read(name, w.file, outcomeAlone)
	if errors.Is(err, ErrNoHeader) {
		return w.beginAgain(h)
	}
	aside, err := replace(history, err)
	switch {
	case err != nil:
		return nil, errors.Join(err, w.release())
	case aside == "":
		return w.beginAgain(h)
	}
	next, err := w.putAside(aside)
	if err != nil {
		return nil, err
	}
	if information, err := next.file.Stat(); err != nil || information.Size() > 0 {
		// Another runner was faster where the lock is the file's.
		return nil, next.giveUp(cmp.Or(err, error(ErrExists)))
	}
	return next.begin(h)
}

// putAside gives the file another name, and opens a new one under its own.
func (w *Writer) putAside(aside string) (*Writer, error) {
	if !filelock.OfName {
		// The lock goes along with the file: who waits for it finds out that the name is another one's.
		if err := os.Rename(w.name, aside); err != nil {
			return nil, w.giveUp(err)
		}
		next, err := open(w.name)
		return next, errors.Join(err, w.release())
	}
	// A file that is open cannot be renamed on such systems.
	err := errors.Join(w.file.Close(), os.Rename(w.name, aside))
	if err == nil {
		w.file, err = openFile(w.name)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("journal %s: %w", prose.FileName(w.name), err), w.unlock())
	}
	w.buffer.Reset(w.file)
	return w, nil
}

// beginAgain overwrites what is there.
func (w *Writer) beginAgain(h Header) (*Writer, error) {
	if err := w.file.Truncate(0); err != nil {
		return nil, w.giveUp(err)
	}
	return w.begin(h)
}

// Resume opens a journal to continue it, and returns what it tells so far, with of each record what reduce keeps;
// nil keeps all. It
// returns a [HeaderError] if the header is another one. A journal without a header, as
// a runner leaves it that was killed at once, is begun.
func Resume(name string, h Header, reduce Reduce) (*Writer, *History, error) {
	if _, err := os.Stat(name); err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	w, err := open(name)
	if err != nil {
		return nil, nil, err
	}
	history, whole, err := read(name, w.file, reduce)
	if errors.Is(err, ErrNoHeader) {
		w, err := w.beginAgain(h) // what may be there is less than a line
		return w, &History{Header: h}, err
	}
	if err == nil {
		err = history.Header.check(name, h)
	}
	if err != nil {
		return nil, nil, errors.Join(err, w.release())
	}
	// What was torn is cut off, or the next line would be glued to it.
	if history.Torn > 0 {
		if err := w.file.Truncate(whole); err != nil {
			return nil, nil, w.giveUp(err)
		}
	}
	w.chain = history.Chain
	return w, history, nil
}

// Chain returns that of the last line that was appended.
func (w *Writer) Chain() Chain { return w.chain }

// open opens a file, which need not be there, and locks it. Where the file was given another name in the meantime,
// the lock is that of another file, and the name is tried again.
func open(name string) (*Writer, error) {
	for {
		file, err := openFile(name)
		if err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
		unlock, err := filelock.Exclusive(file)
		switch {
		case err == filelock.ErrLocked:
			err = ErrLocked
		case errors.Is(err, filelock.ErrLocked): // which says more
			err = fmt.Errorf("%w: %w", ErrLocked, err)
		}
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("journal %s: %w", prose.FileName(name), err)
		}
		w := &Writer{name: name, file: file, unlock: unlock, buffer: bufio.NewWriterSize(file, 1<<16)}
		ours, err := file.Stat()
		if err != nil {
			return nil, w.giveUp(err)
		}
		if named, err := os.Stat(name); err == nil && os.SameFile(ours, named) {
			return w, nil
		}
		if err := w.release(); err != nil {
			return nil, fmt.Errorf("journal: %w", err)
		}
	}
}

// openFile opens a file for appending. O_APPEND puts every write at the end; 0600, for records may hold what an
// agent was told in confidence.
func openFile(name string) (*os.File, error) {
	if err := regular(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
}

// regular refuses what is no file that ends: to open a pipe would wait for somebody to write, and devices may
// never end.
func regular(name string) error {
	information, err := os.Stat(name)
	if err == nil && !information.Mode().IsRegular() {
		return exit.New(exit.Input, prose.FileName(name)+" is no regular file")
	}
	return err
}

// begin writes the first line.
func (w *Writer) begin(h Header) (*Writer, error) {
	h.Format = formatVersion
	w.always(Line{Header: &h})
	if err := w.Sync(); err != nil {
		return nil, w.giveUp(err)
	}
	return w, nil
}

// giveUp lets go of a file that cannot be used, and returns why.
func (w *Writer) giveUp(err error) error {
	_ = w.release() // the error before it says more
	return fmt.Errorf("journal %s: %w", prose.FileName(w.name), err)
}

// release lets go of the file and its lock.
func (w *Writer) release() error { return errors.Join(w.unlock(), w.file.Close()) }

// Launch appends that an attempt began.
func (w *Writer) Launch(l Launch) { w.always(Line{Launch: &l}) }

// errLong says that a line was not written, for nobody would read it: it is longer than [MaxLineBytes].
var errLong = fmt.Errorf("it takes more than %d bytes of the journal", MaxLineBytes)

// End appends how an attempt ended. The record is that of the trial; it is nil where
// another attempt follows. It returns [errLong] where nothing is appended because the record is too long; other
// errors are told by what is called next.
func (w *Writer) End(e End, record *trial.Trial) error {
	if record != nil {
		text, err := trial.Append(nil, record)
		if err != nil {
			w.fail(fmt.Errorf("scenario %q, trial %d: %w", e.Scenario, e.Trial, err))
			return nil
		}
		e.Record = text
	}
	return w.append(Line{End: &e})
}

// Decide appends how a test ended.
func (w *Writer) Decide(d Decision) { w.always(Line{Decision: &d}) }

// Calibrate appends how many trials are recorded.
func (w *Writer) Calibrate(c Calibration) { w.always(Line{Calibration: &c}) }

// Cut appends that the budget ended attempts.
func (w *Writer) Cut(c Cut) { w.always(Line{Cut: &c}) }

// Extend appends that a test goes on.
func (w *Writer) Extend(e Extension) { w.always(Line{Extension: &e}) }

// append buffers a line. An error is told by what is called next, but for [errLong]. One call of Write for a line:
// a line that does not fit the buffer is flushed in parts all the same, and may be torn.
func (w *Writer) append(l Line) error {
	if w.err != nil {
		return nil
	}
	text, err := json.Marshal(l)
	if err == nil {
		if len(text)+chainRoom > MaxLineBytes {
			return errLong
		}
		_, err = w.buffer.Write(append(w.chain.link(text), '\n'))
	}
	w.dirty = true
	w.fail(err)
	return nil
}

// always appends a line that has no record. One that is too long ends the writing.
func (w *Writer) always(l Line) { w.fail(w.append(l)) }

// fail keeps the first error, which ends the writing.
func (w *Writer) fail(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("journal %s: %w", prose.FileName(w.name), err)
	}
}

// Flush hands everything to the system: it survives the end of this process.
func (w *Writer) Flush() error {
	if w.err == nil {
		w.fail(w.buffer.Flush())
	}
	return w.err
}

// Sync has everything written to the disk: it survives the end of the machine. What
// was appended since the last time is written at once, so that many attempts cost
// one sync.
func (w *Writer) Sync() error {
	if err := w.Flush(); err != nil || !w.dirty {
		return err
	}
	w.fail(w.file.Sync())
	w.dirty = w.err != nil
	return w.err
}

// Close writes what is left and lets go of the file.
func (w *Writer) Close() error { return errors.Join(w.Sync(), w.release()) }

// Beside is the journal of a recording whose result is saved in a file: of main.json, and of main.result.json, it is
// main.journal.jsonl.
func Beside(result string) string {
	return strings.TrimSuffix(strings.TrimSuffix(result, ".json"), ".result") + ".journal.jsonl"
}
