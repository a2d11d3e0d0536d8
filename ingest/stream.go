package ingest

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"

	"github.com/tribunal-dev/tribunal/ingest/internal/mapping"
	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/memory"
	"github.com/tribunal-dev/tribunal/trial"
)

// Stream is the trials of several files, one file after the other.
type Stream struct {
	names   []string
	reader  io.Reader // the only input, if there are no names
	options Options
	mapping *format        // nil where the options name none
	files   []*fileReading // so far
	memory  *memory.Budget
	twice   int64 // bytes from which a file is looked through before it is read
}

// Open returns the stream of the named files; "-" is standard input. The files
// are opened when their turn comes.
func Open(names []string, o Options) *Stream { return &Stream{names: names, options: o, twice: twice} }

// NewStream returns the stream of a reader, which Options.File names.
func NewStream(r io.Reader, o Options) *Stream { return &Stream{reader: r, options: o} }

// Notes returns what there is to know of each file that was read so far, or is
// being read.
func (s *Stream) Notes() []Notes {
	notes := make([]Notes, len(s.files))
	for i, f := range s.files {
		notes[i] = f.Notes()
	}
	return notes
}

// errStopped ends a reader whose trials are no longer wanted.
var errStopped = errors.New("stopped")

// Trials hands out the trials in the order of the files. As in [trial.Read], a
// trial is valid until the next one is asked for, its strings for ever, and the
// first error ends the stream. It is one of package trial, a [VariantError], or an
// [UnreadError], which comes after the last trial.
// A file without a record, and a stream without a trial, are errors: no verdict
// can come of them.
//
// When the context ends the stream ends with its cause: before the next trial, the
// next block of a file, and while standard input or a pipe is waited for. Only a
// reader that the caller opened, see [NewStream], is waited for.
func (s *Stream) Trials(ctx context.Context) iter.Seq2[*trial.Trial, error] {
	return func(yield func(*trial.Trial, error) bool) {
		s.files, s.memory = nil, memory.From(ctx)
		err := s.read(ctx, yield)
		switch {
		case err == nil || err == errStopped:
			return
		case ctx.Err() != nil:
			err = context.Cause(ctx)
		}
		yield(nil, err)
	}
}

// otherVariant is why a trial is not handed out.
const otherVariant = "trials of other variants"

func (s *Stream) read(ctx context.Context, yield func(*trial.Trial, error) bool) error {
	if err := s.options.Validate(); err != nil {
		return err
	}
	if s.options.Map != "" {
		m, err := mapping.Load(s.options.Map)
		if err != nil {
			return err
		}
		s.mapping = &format{name: Mapped, decoder: m.Decoder()}
	}
	chosen := newSelection(s.options)
	between := &acrossFiles{numbers: newNumbering()}
	if !s.options.AllowDuplicates {
		between.repeats = newRepeats()
	}
	admit := func(t *trial.Trial) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		ok, err := chosen.admit(t)
		if err != nil {
			return err
		}
		file := s.files[len(s.files)-1]
		if !ok {
			file.notes.Pass(otherVariant)
			return nil
		}
		file.trials++
		if !yield(t, nil) {
			return errStopped
		}
		return nil
	}
	var err error
	if s.reader != nil {
		err = s.readOne(&contextReader{ctx, s.reader}, s.options.File, between, admit)
	}
	if between.repeats != nil && len(s.names) > 1 {
		between.spread, err = s.spread(ctx)
	}
	for i, name := range s.names {
		if err != nil || chosen.eachFile && chosen.mixed() {
			break
		}
		chosen.turn()
		between.numbers.file = i
		between.spread.Turn(i)
		err = s.readNamed(ctx, name, between, admit)
	}
	err = chosen.verdict(err, s.files)
	if err == nil && s.options.Strict {
		return unreadIn(s.Notes())
	}
	return err
}

// acrossFiles is what the files of a stream have in common.
type acrossFiles struct {
	numbers *numbering
	repeats *repeats                      // nil lets everything count twice
	spread  *record.SplitRuns             // nil where there is one file
	again   func() (io.ReadCloser, error) // of the file that is read; nil where it is read once
}

func (s *Stream) readNamed(
	ctx context.Context, name string, between *acrossFiles, admit func(*trial.Trial) error,
) error {
	if name == "-" {
		stdin := s.options.Stdin
		if stdin == nil {
			stdin = os.Stdin
		}
		if file, ok := stdin.(*os.File); ok {
			if err := input.Check(name, file); err != nil {
				return err
			}
		}
		text, end := interruptible(ctx, stdin)
		defer end()
		return s.readOne(text, name, between, admit)
	}
	if from, err := sourceOf(ctx, name); err != nil {
		return err
	} else if from != nil {
		return s.readSource(ctx, from, name, between, admit)
	}
	file, err := openFile(ctx, name)
	if err != nil {
		return err
	}
	defer file.Close() // opened for reading: nothing to lose
	text, end := interruptible(ctx, file)
	defer end()
	between.again = s.again(ctx, name, file)
	defer func() { between.again = nil }()
	return s.readOne(text, name, between, admit)
}

// twice is how long a file is at least that is looked through before it is read, so that not all of it has to be held.
// The number is chosen.
const twice = 8 << 20

// heedfulFile is a file that is read no further when the context has ended.
type heedfulFile struct {
	io.Reader
	io.Closer
}

// again returns how to read a file from its beginning beside the reader that has it; nil where it is short, or nothing
// that can be read twice.
func (s *Stream) again(ctx context.Context, name string, file *os.File) func() (io.ReadCloser, error) {
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() < s.twice {
		return nil
	}
	return func() (io.ReadCloser, error) {
		file, err := input.Open(ctx, name)
		return heedfulFile{&contextReader{ctx, file}, file}, err
	}
}

// readOne reads one file in its format.
func (s *Stream) readOne(r io.Reader, name string, between *acrossFiles, admit func(*trial.Trial) error) error {
	file := &fileReading{file: name, format: s.mapping, options: s.options, admit: admit,
		numbers: between.numbers, repeats: between.repeats, spread: between.spread, memory: s.memory}
	if between.repeats != nil && len(s.names) > 1 {
		file.sum = summed(nil)
	}
	s.files = append(s.files, file)
	in, err := file.open(r)
	if err != nil {
		return err
	}
	if between.again != nil && between.spread == nil {
		in.Ends = file.ends(in, between.again)
	}
	err = boundByMemory(file.format.decoder.Read(in), in)
	if file.trials == 0 {
		err = file.withoutScenario(err)
	}
	err = file.misnamed(file.mapped(err))
	in.Release()
	if err == nil && file.trials+len(file.notes.Omissions) == 0 {
		return file.noTrials()
	}
	if err == nil && file.sum != nil && file.trials > 0 {
		return file.refuseCopy()
	}
	return asUnjudged(err)
}

// boundByMemory lets the error about a line or a document that is too long name the memory where that is the narrower
// limit.
func boundByMemory(err error, in *record.Input) error {
	const advice = "raise MaxMemory if there is the memory"
	if e, ok := errors.AsType[*trial.SyntaxError](err); ok && e.About == "MaxLineBytes" && in.Options.NarrowLines {
		e.Advice, e.About = advice, "MaxMemory"
	}
	if e, ok := errors.AsType[*trial.FileError](err); ok && e.About == "MaxDocumentBytes" && in.Options.NarrowDocuments {
		e.Advice, e.About = advice, "MaxMemory"
	}
	return err
}
