package problem

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/internal/prose"
	"github.com/tribunal-dev/tribunal/suite"
)

// hintedError is an error that tells apart what is wrong and what to do about it. Many packages
// have such errors, and none of them needs this one for it.
type hintedError interface {
	error
	Message() string // what is wrong, and where
	Hint() string    // what to do about it; may be ""
}

// Complain tells a person on stderr why a command ended. Nothing can be done if
// that fails: the exit code says it too.
func Complain(stderr io.Writer, err error) {
	// A suite is checked to its end: all its mistakes are told at once, each with its own
	// hint.
	if problems, ok := errors.AsType[suite.Errors](err); ok {
		for _, one := range problems {
			Complain(stderr, one)
		}
		return
	}
	problem, hint := Explain(err)
	// Messages quote files and arguments, which may hold escape sequences of a terminal.
	fmt.Fprintf(stderr, "tribunal: %s\n", prose.Printable(problem))
	if mistake, ok := errors.AsType[*PanicError](err); ok {
		stderr.Write(mistake.stack)
	}
	if hint != "" {
		fmt.Fprintf(stderr, "  hint: %s\n", prose.Printable(hint))
	}
}

// Explain splits an error into what is wrong and what to do about it, in the words of
// the command line.
func Explain(err error) (problem, hint string) {
	if e, ok := errors.AsType[*ingest.UnjudgedError](err); ok {
		return e.Message(), unjudgedHint(e)
	}
	// What is wrapped around it is dropped: the message names its place by itself.
	if e, ok := errors.AsType[hintedError](err); ok {
		return e.Message(), hintOf(e)
	}
	return err.Error(), ""
}

// unjudgedHint shows how trials are judged that nobody has.
func unjudgedHint(e *ingest.UnjudgedError) string {
	file := e.File
	// A name with a blank or another character that a shell might take for its own is
	// quoted, so that the command can be copied.
	if strings.ContainsFunc(file, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("./_-+", r)
	}) {
		file = strconv.Quote(file)
	}
	command := "tribunal import " + file + " --pass-when RULE -o judged.jsonl"
	if hint := hintOf(e); hint != "" {
		return hint + "; or judge by a rule first: " + command
	}
	return "judge the trials by a rule first: " + command
}
