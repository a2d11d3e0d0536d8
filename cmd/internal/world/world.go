package world

import (
	"context"
	"io"
	"io/fs"
	"strings"
	"time"
)

// World is what a command is given. A nil field stands for nothing: no input, output that is thrown away, an empty
// environment; a nil Now is time.Now.
type World struct {
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Env    LookupEnv
	// Environ lists the variables as NAME=VALUE, as os.Environ does, for those that are misspelt.
	Environ func() []string
	Now     func() time.Time
	Version string // what the command version prints

	// TerminalWidth returns the columns of the terminal that a stream is, 0 if it
	// does not say, and false for a stream that is no terminal. Nil asks the
	// operating system.
	TerminalWidth func(io.Writer) (width int, terminal bool)

	// Fleet runs trials on other machines; nil is none.
	Fleet Fleet

	// OwnProcess says that the process does nothing else: its memory is watched, and what goes beyond
	// --max-memory ends the command.
	OwnProcess bool

	// All commands write to this one, which keeps the first error.
	Out *ResultWriter // Stdout, once it is complete

	Guest *Guest // who asks, if it is not a person; such as a client of the command mcp

	// Suites are opened with it: those of a guest must be in its folder.
	Opening context.Context

	Args []string // of the command

	// Settable are the names of all that variables may set; nil where no variable is checked.
	Settable func() []string

	Quiet     bool        // no notes
	Verbose   bool        // more of them
	MaxMemory int64       // bytes that the command may take; 0 is the default
	FileMode  fs.FileMode // of the files that it makes; 0 is their owner's alone, or that of a file that is replaced
}

// Complete puts something in the place of what is nil, and returns the World.
func (a *World) Complete() *World {
	if a.Stdin == nil {
		a.Stdin = strings.NewReader("")
	}
	if a.Stdout == nil {
		a.Stdout = io.Discard
	}
	if a.Stderr == nil {
		a.Stderr = io.Discard
	}
	if a.Now == nil {
		a.Now = time.Now
	}
	if a.TerminalWidth == nil {
		a.TerminalWidth = terminalWidth
	}
	a.Out = &ResultWriter{Stream: a.Stdout}
	return a
}
