package ingest

import (
	"crypto/sha256"
	"hash"
	"io"
	"sync"

	"github.com/tribunal-dev/tribunal/ingest/internal/record"
	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/trial"
)

// repeatedError says that a run is recorded twice by its own id, and that the recordings
// differ, so that nobody knows which one counts.
type repeatedError struct {
	ID    string      // of the run, in its log
	First trial.Place // where it was seen first
	Again trial.Place // where it was seen again
}

// Error is the message and the hint.
func (e *repeatedError) Error() string { return e.Message() + "; " + e.Hint() }

// Message names the run and both places.
func (e *repeatedError) Message() string {
	return e.Again.String() + ": the run " + prose.Excerpt(e.ID) + " is recorded in " + e.First.String() +
		", too, and not in the same way"
}

// Hint says what to do about it.
func (e *repeatedError) Hint() string {
	return "omit one of them, or let both count with AllowDuplicates"
}

// Option returns the option that the hint names.
func (e *repeatedError) Option() string { return "AllowDuplicates" }

// ExitCode is that of input that cannot be used.
func (e *repeatedError) ExitCode() int { return exit.Input }

// digest tells contents apart.
type digest [16]byte

// contentOf returns the digest of what a trial says, but for its place and what is known of
// its identity from elsewhere than its log. It is not known of a trial that cannot be written,
// which is refused soon after.
func contentOf(t *trial.Trial) record.Content {
	x := *t
	if x.Scenario == "" {
		x.Scenario = "-" // it gets the name of its file
	}
	buffer := contentLines.Get().(*[]byte)
	defer contentLines.Put(buffer)
	line, err := trial.Append((*buffer)[:0], &x)
	if err != nil {
		return record.Content{}
	}
	*buffer = line
	sum := sha256.Sum256(line)
	return record.Content{Digest: digest(sum[:16]), IsKnown: true}
}

// contentLines are the lines that contents are written into, whose memory is used again.
var contentLines = sync.Pool{New: func() any { return new([]byte) }}

// repeats finds runs and files that are recorded twice.
type repeats struct {
	runs  map[runID]seenRun
	files map[digest]string // the names, by content
}

type runID struct {
	format Format
	id     string
}

// seenRun is a run that was handed out.
type seenRun struct {
	content digest
	at      trial.Place
}

func newRepeats() *repeats { return &repeats{runs: map[runID]seenRun{}, files: map[digest]string{}} }

// find reports whether a run was seen before, and notes it.
func (r *repeats) find(format Format, id string, content digest, at trial.Place) (bool, error) {
	key := runID{format, id}
	first, isKnown := r.runs[key]
	switch {
	case !isKnown:
		r.runs[key] = seenRun{content, at}
		return false, nil
	case first.content != content:
		return false, &repeatedError{ID: id, First: first.at, Again: at}
	}
	return true, nil
}

// fileSum is the digest of what is read of a file.
type fileSum struct {
	text io.Reader
	sum  hash.Hash
}

// summed returns a reader of the text that sums up what it reads.
func summed(text io.Reader) *fileSum { return &fileSum{text, sha256.New()} }

// Read reads from the text.
func (s *fileSum) Read(b []byte) (int, error) {
	n, err := s.text.Read(b)
	s.sum.Write(b[:n]) // never fails
	return n, err
}

// whole returns the digest of the file, of which the rest is read.
func (s *fileSum) whole() (digest, error) {
	_, err := io.Copy(io.Discard, s)
	return digest(s.sum.Sum(nil)[:16]), err
}

// refuseCopy returns an error for a file that holds the same as one before, and whose trials
// nothing tells apart from its.
func (r *repeats) refuseCopy(file string, content digest) error {
	first, isCopy := r.files[content]
	if !isCopy {
		r.files[content] = file
		return nil
	}
	return &trial.FileError{
		File: file, Problem: "holds the same as " + prose.FileName(first) + ", byte by byte",
		Advice: "omit one of them: its trials would count twice, unless AllowDuplicates lets them",
		About:  "AllowDuplicates",
	}
}
