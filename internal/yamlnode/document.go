package yamlnode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/tribunal-dev/tribunal/internal/fault"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// The largest file that is read, in bytes, and the deepest nesting.
const (
	// In bytes. Chosen: far more than a person writes.
	MaxBytes = 4 << 20
	// Levels of mappings and lists. Chosen; it bounds the recursion of all readers.
	maxDepth = 64
)

// Read returns the text of a file for [Parse]. Of a file that is too large it reads
// no more than shows that it is.
func Read(path string) ([]byte, error) { return ReadContext(context.Background(), path) }

// ReadContext is [Read] of a file that the context lets be opened; see [input.Within].
func ReadContext(ctx context.Context, path string) ([]byte, error) {
	file, err := input.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, MaxBytes+1))
}

// emptyAdvice says how a file comes to have something in it.
func emptyAdvice(what string) string {
	if what == "suite" {
		return "tribunal init writes a suite to start from"
	}
	return ""
}

// Parse returns the one document of a file as a node. What is such a file is called
// "suite" or the like. It refuses what no reader here has a use for: aliases, which
// can make a short file long, tags of its own, depth, and several documents. The
// error is a [fault.FileError] or [Errors].
func Parse(file, what string, text []byte) (*yaml.Node, error) {
	if what == "suite" && strings.HasPrefix(string(text), "SQLite format 3\x00") {
		return nil, &fault.FileError{File: file, Problem: "is a SQLite database, and no suite",
			Advice: "name a store by --store " + file}
	}
	if len(text) > MaxBytes {
		problem := "is larger than " + prose.ByteCount(MaxBytes)
		return nil, &fault.FileError{File: file, Problem: problem, Advice: "is it a " + what + "?"}
	}
	if len(strings.TrimSpace(string(text))) == 0 {
		return nil, &fault.FileError{File: file, Problem: "is empty", Advice: emptyAdvice(what)}
	}
	// The library may give the document itself, or a node that holds it.
	var document yaml.Node
	if err := yaml.Load(text, &document); err != nil {
		return nil, syntax(file, what, err)
	}
	root := &document
	if root.Kind == yaml.DocumentNode && len(root.Content) == 1 {
		root = root.Content[0]
	}
	if e := plain(root, 0); e != nil {
		e.File, e.Whole = file, "the "+what
		return nil, Errors{e}
	}
	return root, nil
}

// syntax gives a syntax error a place.
func syntax(file, what string, err error) error {
	// The library has no types for these two, so its words decide.
	switch text := err.Error(); {
	case strings.Contains(text, "no documents"):
		return &fault.FileError{File: file, Problem: "holds no value"}
	case strings.Contains(text, "expected single document"):
		advice := "a " + what + " is one: remove the lines ---"
		return &fault.FileError{File: file, Problem: "holds several documents", Advice: advice}
	}
	problem := Error{
		Place: fault.Place{File: file}, Problem: "is not YAML: " + prose.Reason(err.Error()), Whole: "the " + what,
	}
	// Of several errors the first is told: the others mostly follow from it.
	load, ok := errors.AsType[*yaml.LoadError](err)
	if several, found := errors.AsType[*yaml.LoadErrors](err); found && len(several.Errors) > 0 {
		load, ok = several.Errors[0], true
	}
	if ok {
		problem.Line, problem.Column = load.Mark.Line, load.Mark.Column
		problem.Problem = "is not YAML: " + prose.Reason(load.Message)
		problem.Advice = unclosed(load)
		// What the library says of a tab where a token should begin.
		if strings.Contains(load.Message, "cannot start any token") {
			problem.Advice = "is the line indented by a tab? YAML wants spaces"
		}
	}
	return Errors{&problem}
}

// unclosed asks for the end of what began elsewhere; "" where nothing else began.
func unclosed(e *yaml.LoadError) string {
	began := ""
	switch {
	case strings.HasSuffix(e.Message, "',' or ']'"):
		began = "["
	case strings.HasSuffix(e.Message, "',' or '}'"):
		began = "{"
	case strings.Contains(e.ContextMsg, "quoted scalar"):
		began = "quotation mark"
	}
	if began == "" || e.ContextMark.Line == 0 {
		return ""
	}
	return fmt.Sprintf("is the %s in line %d, column %d, closed?", began, e.ContextMark.Line, e.ContextMark.Column)
}

// plain returns the first thing in a node that no reader here has a use for; nil
// where there is none. It descends in the order of the file.
func plain(n *yaml.Node, depth int) *Error {
	e := &Error{Place: fault.Place{Line: n.Line, Column: n.Column}}
	switch {
	case depth > maxDepth:
		e.Problem = fmt.Sprintf("is nested deeper than %d levels", maxDepth)
	case n.Kind == yaml.AliasNode:
		e.Problem, e.Advice = "uses the alias *"+prose.Excerpt(n.Value), "aliases are not read: write the value out"
	case !plainTag(n):
		e.Problem, e.Advice = "uses the tag "+prose.Excerpt(n.Tag), "tags are not read"
	default:
		for _, inner := range n.Content {
			if e := plain(inner, depth+1); e != nil {
				return e
			}
		}
		return nil
	}
	return e
}

// plainTag reports whether a node is of a kind that JSON has too, and not by a tag
// that somebody wrote. A timestamp is read as the text that it is. A merge key (<<)
// is let through here, and refused by Members with its place, as a key that is not
// text.
func plainTag(n *yaml.Node) bool {
	switch tag := n.ShortTag(); n.Kind {
	case yaml.MappingNode:
		return tag == "!!map"
	case yaml.SequenceNode:
		return tag == "!!seq"
	default:
		switch tag {
		case "!!str", "!!int", "!!float", "!!bool", "!!null", "!!timestamp", "!!merge":
			return n.Style&yaml.TaggedStyle == 0
		}
	}
	return false
}

// Describe names what stands in a place.
func Describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	// Texts are quoted; a number or a word such as true is shown as it is written.
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!str":
		return "the text " + Shown(n.Value)
	case "!!bool", "!!int", "!!float":
		return prose.Excerpt(n.Value)
	}
	return Shown(n.Value)
}

// Shown is a text in a message: in quotes, on one line, cut to a length.
func Shown(text string) string { return `"` + prose.Excerpt(text) + `"` }
