package clitest

import (
	"io"
	"os"
	"testing"
	"time"
)

// Clock goes on by a step each time it is looked at.
type Clock struct {
	now  time.Time
	Step time.Duration
}

// Now is a step after the time of the look before.
func (c *Clock) Now() time.Time {
	c.now = c.now.Add(c.Step)
	return c.now
}

// Environment looks variables up in a map.
func Environment(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}
}

// TerminalOf is the width of any stream, all of which are terminals.
func TerminalOf(width int) func(io.Writer) (int, bool) {
	return func(io.Writer) (int, bool) { return width, true }
}

// Write makes a file.
func Write(t *testing.T, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(name, text, 0o666); err != nil {
		t.Fatal(err)
	}
}
