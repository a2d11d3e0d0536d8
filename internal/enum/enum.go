// Package enum gives the values of an enumeration their names, in one way: a value
// prints as its name, is read from it, and is written as it in JSON.
//
//	// Grouping says what is judged. The zero value is BySuite.
//	type Grouping uint8
//
//	// The groupings.
//	const (
//		BySuite Grouping = iota // the pooled trials
//		ByScenario              // every scenario by itself
//	)
//
//	var groupings = enum.Of[Grouping]("grouping", "suite", "scenario")
//
//	// String returns "suite" or "scenario".
//	func (g Grouping) String() string { return groupings.String(g) }
//
//	// MarshalText writes the name.
//	func (g Grouping) MarshalText() ([]byte, error) { return groupings.MarshalText(g) }
//
//	// UnmarshalText reads the name.
//	func (g *Grouping) UnmarshalText(text []byte) error { return groupings.UnmarshalText(text, g) }
package enum

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Integer is what an enumeration is made of.
type Integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// Names are the names of the values 0, 1, 2, ... of an enumeration. They are made by
// [Of] and never change.
type Names[T Integer] struct {
	kind  string
	words []string
}

// Of returns the names of an enumeration in the order of its values, from 0. Kind is
// what an error calls a value of it, such as "grouping".
func Of[T Integer](kind string, words ...string) Names[T] {
	return Names[T]{kind: kind, words: words}
}

// Has reports whether the value is one of the enumeration.
func (n Names[T]) Has(value T) bool {
	return value >= 0 && uint64(value) < uint64(len(n.words))
}

// String returns the name of a value, and such as "Grouping(7)" for one that is none
// of the enumeration.
func (n Names[T]) String(value T) string {
	if n.Has(value) {
		return n.words[value]
	}
	return fmt.Sprintf("%s(%d)", reflect.TypeFor[T]().Name(), value)
}

// Parse returns the value of a name, or an [Error]. A name is written exactly as it is.
func (n Names[T]) Parse(name string) (T, error) {
	if i := slices.Index(n.words, name); i >= 0 {
		return T(i), nil
	}
	return 0, &Error{Kind: n.kind, Value: name, Names: n.words}
}

// MarshalText returns the name of a value, or an [Error] for one that is none of the
// enumeration.
func (n Names[T]) MarshalText(value T) ([]byte, error) {
	if n.Has(value) {
		return []byte(n.words[value]), nil
	}
	return nil, &Error{Kind: n.kind, Value: fmt.Sprint(int64(value)), Names: n.words}
}

// UnmarshalText sets a value from its name. It returns an [Error], and leaves the
// value as it was, for another text.
func (n Names[T]) UnmarshalText(name []byte, into *T) error {
	value, err := n.Parse(string(name))
	if err == nil {
		*into = value
	}
	return err
}

// All returns the values of the enumeration in their order.
func (n Names[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := range n.words {
			if !yield(T(i)) {
				return
			}
		}
	}
}

// Error says that a text is none of the names of an enumeration, or a number none of
// its values.
type Error struct {
	Kind  string   // what was to be named, such as "grouping"
	Value string   // what was there instead
	Names []string // what it may be
}

// Error returns such as `grouping "all" must be one of suite, scenario`.
func (e *Error) Error() string {
	return e.Kind + " " + prose.Quote(e.Value) + " " + e.Problem()
}

// Problem returns such as "must be one of suite, scenario".
func (e *Error) Problem() string {
	if len(e.Names) == 1 {
		return "must be " + e.Names[0]
	}
	return "must be one of " + strings.Join(e.Names, ", ")
}

// Option returns what was to be named.
func (e *Error) Option() string { return e.Kind }

// Hint returns the name that may have been meant, as a question, or "".
func (e *Error) Hint() string {
	if name, ok := prose.Nearest(e.Value, e.Names); ok {
		return "did you mean " + name + "?"
	}
	return ""
}
