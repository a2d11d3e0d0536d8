// Package memory bounds what a command keeps in memory of what it reads.
//
// A [Budget] has a ceiling in bytes. Who reads something that stays asks it first:
//
//	if err := memory.From(ctx).Take(memory.OfJSON(text), file); err != nil {
//		return err // names the file and the ceiling
//	}
//
// What is taken is an estimate, made to be rather too high than too low: a budget refuses what would not
// fit before it is made, where the Go runtime would end the program. The nil budget has no end, so that a
// library works without one.
package memory

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Budget is how much memory may be taken, and how much is. Several goroutines may use it.
type Budget struct {
	ceiling int64
	taken   atomic.Int64
}

// New returns a budget with a ceiling in bytes.
func New(ceiling int64) *Budget { return &Budget{ceiling: ceiling} }

type key struct{}

// With returns a context that carries the budget.
func With(ctx context.Context, b *Budget) context.Context { return context.WithValue(ctx, key{}, b) }

// From returns the budget of a context, nil where it carries none.
func From(ctx context.Context) *Budget {
	b, _ := ctx.Value(key{}).(*Budget)
	return b
}

// Part returns one of so many parts of the ceiling in bytes, at most the number given.
func (b *Budget) Part(parts int64, most int) int {
	if b == nil {
		return most
	}
	return int(min(b.ceiling/parts, int64(most)))
}

// usable is the share of the ceiling that can be taken, in quarters: the rest is for garbage that
// is not collected yet, and for the program itself.
const usable = 3

// Take takes so many bytes for what is read of a file. Where so many are not left it takes none, and the
// error is an [Error].
func (b *Budget) Take(bytes int64, file string) error {
	if b == nil {
		return nil
	}
	if b.taken.Add(bytes) > b.ceiling/4*usable {
		b.taken.Add(-bytes)
		return &Error{File: file, Ceiling: b.ceiling}
	}
	return nil
}

// Give gives back what was taken and is kept no longer.
func (b *Budget) Give(bytes int64) {
	if b != nil && bytes != 0 { // nothing is given back for each trial that takes nothing
		b.taken.Add(-bytes)
	}
}

// Error says that a file takes more memory than there may be.
type Error struct {
	File    string // "" where it is not known which one
	Ceiling int64  // in bytes
}

// Error is the message and the hint.
func (e *Error) Error() string { return e.Message() + "; " + e.Hint() }

// Message says which file it is, and how much memory there is.
func (e *Error) Message() string {
	what := prose.FileName(e.File)
	if what == "" {
		what = "this"
	}
	return fmt.Sprintf("%s takes more memory than the %s that are allowed", what, size(e.Ceiling))
}

// Hint says what to do about it.
func (e *Error) Hint() string {
	return "raise MaxMemory if there is the memory, or give less at a time"
}

// Option returns the option that the hint names.
func (e *Error) Option() string { return "MaxMemory" }

// ExitCode is that of input that cannot be used.
func (e *Error) ExitCode() int { return exit.Input }

// size writes a ceiling for a person. One that somebody chose is mostly a whole number of some unit.
func size(bytes int64) string {
	const mebibyte = 1 << 20
	if bytes > math.MaxInt32 || bytes%mebibyte != 0 {
		return fmt.Sprintf("%d MiB", bytes/mebibyte)
	}
	return prose.ByteCount(int(bytes))
}

// What a JSON document takes once it is decoded, in bytes: a value in a list or a struct, and an object. The numbers
// are those of the Go runtime on 64 bits, where a small map takes some 350 bytes, rounded up.
const (
	valueBytes  = 64
	objectBytes = 384
)

// OfJSON estimates what a JSON text takes once it is decoded into maps and lists, the text included. Commas and
// braces within strings count too, which is an estimate on the high side.
func OfJSON(text []byte) int64 {
	values := bytes.Count(text, []byte{','}) + bytes.Count(text, []byte{'['})
	return 2*int64(len(text)) + valueBytes*int64(values) + objectBytes*int64(bytes.Count(text, []byte{'{'}))
}
