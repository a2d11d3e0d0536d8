package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

//go:embed peers.py
var script string

// peer is the Python process of the other side.
type peer struct {
	process *exec.Cmd
	to      io.WriteCloser
	from    *bufio.Reader
}

// errNoPython says that there is no Python to compare with.
var errNoPython = errors.New("python3 is not installed")

// findPython returns that for which a system's packages are, or any.
func findPython() (string, error) {
	for _, name := range []string{"/usr/bin/python3", "python3"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoPython
}

func startPeer(python string) (*peer, error) {
	p := &peer{process: exec.Command(python, "-c", script)}
	p.process.Stderr = os.Stderr
	// One thread a side where the work is one operation: the linear algebra of these
	// sizes is slower with more.
	p.process.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	to, err := p.process.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := p.process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.to, p.from = to, bufio.NewReader(from)
	return p, p.process.Start()
}

// request asks for a task, which is prepared once for each id.
type request struct {
	ID      string         `json:"id"`
	Task    string         `json:"task"`
	Args    map[string]any `json:"args"`
	Seconds float64        `json:"seconds"`
}

// missingError names a Python module that is not installed.
type missingError struct{ module string }

func (e *missingError) Error() string { return "Python's module " + e.module + " is not installed" }

// ask returns the times of one operation, and in value what it found.
func (p *peer) ask(r request, value any) (taken, error) {
	line, err := json.Marshal(r)
	if err != nil {
		return taken{}, err
	}
	if _, err := p.to.Write(append(line, '\n')); err != nil {
		return taken{}, fmt.Errorf("ask Python: %w", err)
	}
	if line, err = p.from.ReadBytes('\n'); err != nil {
		return taken{}, fmt.Errorf("read Python's answer: %w", err)
	}
	answer := struct {
		Wall, CPU float64
		Missing   string
		Value     json.RawMessage
	}{}
	if err := json.Unmarshal(line, &answer); err != nil {
		return taken{}, fmt.Errorf("read Python's answer: %w", err)
	}
	if answer.Missing != "" {
		return taken{}, &missingError{answer.Missing}
	}
	return taken{answer.Wall, answer.CPU}, json.Unmarshal(answer.Value, value)
}

func (p *peer) close() error { return errors.Join(p.to.Close(), p.process.Wait()) }
