package ratchet

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/filelock"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// errRunning says that another loop has the journal open.
var errRunning = exit.New(exit.Input, "another loop has this journal open")

// journal is what was done, a line each, by a key that says what. A line is on the disk before anything follows of it.
type journal struct {
	name   string
	file   *os.File
	unlock func() error
	lines  map[string]json.RawMessage
	keys   []string // in their order
}

// line is one of a journal.
type line struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// mostLineBytes bounds a line of a journal that is read: an answer with the files that came of it.
const mostLineBytes = 256 << 20

// openJournal opens a journal, with what is in it. Less than a line at its end, as a loop leaves it that was killed, is
// cut off.
func openJournal(name string) (j *journal, err error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	unlock, err := filelock.Exclusive(file)
	if err != nil {
		file.Close()
		if errors.Is(err, filelock.ErrLocked) {
			return nil, fmt.Errorf("%w: %s", errRunning, prose.FileName(name))
		}
		return nil, err
	}
	j = &journal{name: name, file: file, unlock: unlock, lines: map[string]json.RawMessage{}}
	whole, err := j.read(file)
	if err == nil {
		err = file.Truncate(whole)
	}
	if err == nil {
		_, err = file.Seek(whole, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	return j, nil
}

// begun returns what is in the journal of the loop; [ErrNoLoop] where it was not begun.
func (c *Config) begun() (*journal, error) {
	j, err := readJournal(c.journalFile())
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNoLoop
	}
	return j, err
}

// readJournal returns what is in a journal that another loop may have open.
func readJournal(name string) (*journal, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	j := &journal{name: name, lines: map[string]json.RawMessage{}}
	_, err = j.read(file)
	return j, err
}

// read takes in whole lines, and returns where they end.
func (j *journal) read(from io.Reader) (whole int64, err error) {
	scanner := bufio.NewReader(from)
	for number := 1; ; number++ {
		text, err := scanner.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return whole, nil // what follows the last newline is no line
		}
		if err != nil {
			return whole, err
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil || l.Key == "" || len(text) > mostLineBytes {
			return whole, &fault.Error{
				Problem: fmt.Sprintf("%s:%d is no line of a loop's journal", prose.FileName(j.name), number),
				Advice:  "was it changed? begin another loop, without the journal",
			}
		}
		whole += int64(len(text))
		j.take(l)
	}
}

// take keeps a line.
func (j *journal) take(l line) {
	if _, there := j.lines[l.Key]; !there {
		j.keys = append(j.keys, l.Key)
	}
	j.lines[l.Key] = bytes.Clone(l.Value)
}

// has reports whether something was done.
func (j *journal) has(key string) bool { return j.lines[key] != nil }

// get reads the value of a key, and reports whether it is there.
func (j *journal) get(key string, into any) (bool, error) {
	value, there := j.lines[key]
	if !there {
		return false, nil
	}
	if err := json.Unmarshal(value, into); err != nil {
		return false, fmt.Errorf("%s: what is told of %s cannot be read: %w", prose.FileName(j.name), key, err)
	}
	return true, nil
}

// put writes a line down, and returns when it is on the disk.
func (j *journal) put(key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	whole, err := json.Marshal(line{key, text})
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(whole, '\n')); err != nil {
		return err
	}
	if err := j.file.Sync(); err != nil {
		return err
	}
	j.take(line{key, text})
	return nil
}

// close lets others open the journal.
func (j *journal) close() error { return errors.Join(j.unlock(), j.file.Close()) }

// done returns what the journal has under a key, or does it and writes that down.
func done[T any](j *journal, key string, do func() (T, error)) (value T, err error) {
	there, err := j.get(key, &value)
	if err != nil || there {
		return value, err
	}
	if value, err = do(); err != nil {
		return value, err
	}
	return value, j.put(key, value)
}
