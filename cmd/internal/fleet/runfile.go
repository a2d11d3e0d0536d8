package fleet

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"sync"
)

// runFile keeps what a coordinator that resumes a run has to know beside the journal: the name that workers know the
// run by, and which attempts were stopped and not lost, so that nobody makes them again.
type runFile struct {
	run   string
	path  string // "" keeps nothing
	mutex sync.Mutex
	file  *os.File
	known map[string]bool // attempts that were stopped in earlier sessions
}

// runLine is a line of it: the first has the name.
type runLine struct {
	Run     string `json:"run,omitempty"`
	Stopped string `json:"stopped,omitempty"`
}

// openRunFile begins a file, or continues it. Where none is there the run has a new name: no worker has anything of
// it.
func openRunFile(path string, resume bool) (*runFile, error) {
	f := &runFile{path: path, known: map[string]bool{}}
	if path == "" {
		f.run = random()
		return f, nil
	}
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if resume {
		if err := f.read(); err != nil {
			return nil, err
		}
	}
	if f.run != "" {
		flags = os.O_WRONLY | os.O_APPEND
	}
	var err error
	if f.file, err = os.OpenFile(path, flags, 0o600); err != nil {
		return nil, err
	}
	if f.run == "" {
		f.run = random()
		return f, f.write(runLine{Run: f.run})
	}
	return f, nil
}

// read reads what an earlier session wrote; a line that was cut off says nothing.
func (f *runFile) read() error {
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var l runLine
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue
		}
		if f.run == "" && isName(l.Run) {
			f.run = l.Run
		}
		if l.Stopped != "" {
			f.known[l.Stopped] = true
		}
	}
	return lines.Err()
}

// isName reports whether a text is a name that we made: it becomes a part of subjects.
func isName(text string) bool {
	if len(text) != 16 {
		return false
	}
	for _, c := range text {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// write appends a line.
func (f *runFile) write(l runLine) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	_, err = f.file.Write(append(text, '\n'))
	return err
}

// stopped notes that an attempt was stopped.
func (f *runFile) stopped(id string) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.file != nil {
		_ = f.write(runLine{Stopped: id}) // at worst it is waited for in vain
	}
}

// wasStopped reports whether an earlier session stopped an attempt.
func (f *runFile) wasStopped(id string) bool { return f.known[id] }

// close closes the file, and removes that of a run that has ended.
func (f *runFile) close(ended bool) error {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	if ended {
		err = errors.Join(err, os.Remove(f.path))
	}
	return err
}
