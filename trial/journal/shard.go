package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// MostShards bounds into how many parts a run may be divided. It is chosen: as many machines as a pipeline has.
const MostShards = 10_000

// Shard says which part of a run a journal is of. The trials of the other parts are in the journals of others, and
// its own decide nothing alone.
type Shard struct {
	Index int `json:"index"` // from 1
	Count int `json:"count"` // of all parts
}

// ParseShard reads such as "2/8".
func ParseShard(text string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	s := Shard{}
	var err, second error
	s.Index, err = strconv.Atoi(index)
	s.Count, second = strconv.Atoi(count)
	if !ok || err != nil || second != nil || !s.Valid() {
		return Shard{}, exit.New(exit.Usage, fmt.Sprintf("%q is no part such as 2/8: from 1/8 to 8/8", text))
	}
	return s, nil
}

// Valid reports whether there is such a part.
func (s Shard) Valid() bool { return 1 <= s.Index && s.Index <= s.Count && s.Count <= MostShards }

// String returns such as "2/8".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Count) }

// Share says that the part of a run which a journal is of was run. Where a budget ended it before, it may be
// continued; what is launched after it takes it back.
type Share struct {
	Trials int    `json:"trials"`           // that ended
	Needed int    `json:"needed"`           // of the part, those that were not known to be needless
	Budget string `json:"budget,omitempty"` // that ended it: "cost", "tokens", "duration" or "trials"; "" is none
}

// sameShard reports whether two journals are of the same part.
func sameShard(a, b *Shard) bool { return a == b || a != nil && b != nil && *a == *b }

// shardText names the part of a run, for a person.
func shardText(s *Shard) string {
	if s == nil {
		return "all of it"
	}
	return s.String()
}

// addShare takes in that a part was run.
func (h *History) addShare(s *Share) error {
	if h.Header.Shard == nil {
		return errors.New("ends a part of a run, and the journal is of all of it")
	}
	h.Share = s
	return nil
}

// Lines are the lines of a journal by the trials that they tell of, to copy them. Its file stays open until Close.
type Lines struct {
	name  string
	file  *os.File
	spans map[Key][]span
}

// span is where a line stands.
type span struct {
	at   int64
	long int
}

// ReadWithLines is [Read] with of each record what reduce keeps, and with the lines of the trials.
func ReadWithLines(name string, reduce Reduce) (*History, *Lines, error) {
	file, err := openToRead(name)
	if err != nil {
		return nil, nil, err
	}
	lines := &Lines{name: name, file: file, spans: map[Key][]span{}}
	at := int64(0)
	h, _, err := readEach(name, file, reduce, func(text []byte, l Line) {
		switch {
		case l.Launch != nil:
			lines.spans[l.Launch.Key()] = append(lines.spans[l.Launch.Key()], span{at, len(text)})
		case l.End != nil:
			lines.spans[l.End.Key()] = append(lines.spans[l.End.Key()], span{at, len(text)})
		}
		at += int64(len(text))
	})
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return h, lines, nil
}

// Of returns the lines of a trial, launches and ends of its attempts in the order in which they were written.
func (l *Lines) Of(k Key) (list []Line, err error) {
	for _, s := range l.spans[k] {
		text := make([]byte, s.long)
		if _, err := l.file.ReadAt(text, s.at); err != nil && err != io.EOF {
			return nil, fmt.Errorf("journal %s: %w", l.name, err)
		}
		line, err := ParseLine(text)
		if err != nil {
			return nil, fmt.Errorf("journal %s: the lines of %v: %w", l.name, k, err)
		}
		list = append(list, line)
	}
	return list, nil
}

// Close lets go of the file.
func (l *Lines) Close() error { return l.file.Close() }

// Copy appends a line of another journal, with the value that it has here.
func (w *Writer) Copy(l Line) {
	l.Chain = ""
	w.always(l)
}

// Share appends that the part of a run was run.
func (w *Writer) Share(s Share) { w.always(Line{Share: &s}) }

// HeaderOf reads the first line of a journal alone.
func HeaderOf(name string) (Header, error) {
	file, err := openToRead(name)
	if err != nil {
		return Header{}, err
	}
	defer file.Close()
	var found *Header
	_, _, err = eachLine(name, file, func(text []byte) error {
		h := &History{}
		if _, err := h.add(text, true); err != nil {
			return err
		}
		found = &h.Header
		return io.EOF // enough was read
	})
	switch {
	case found != nil:
		return *found, nil
	case err == nil:
		err = fmt.Errorf("journal %s: %w", prose.FileName(name), ErrNoHeader)
	}
	return Header{}, err
}
