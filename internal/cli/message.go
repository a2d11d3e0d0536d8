package cli

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

// advised is an error that tells apart what is wrong and what to do about it.
type advised interface {
	error
	Message() string // what is wrong, and where
	Hint() string    // what to do about it; may be ""
}

// complain tells a person on stderr why a command ended. Nothing can be done if
// that fails: the exit code says it too.
func complain(stderr io.Writer, err error) {
	if problems, ok := errors.AsType[suite.Errors](err); ok {
		for _, one := range problems {
			complain(stderr, one)
		}
		return
	}
	problem, hint := explain(err)
	fmt.Fprintf(stderr, "tribunal: %s\n", prose.Printable(problem))
	if mistake, ok := errors.AsType[*panicked](err); ok {
		stderr.Write(mistake.stack)
	}
	if hint != "" {
		fmt.Fprintf(stderr, "  hint: %s\n", prose.Printable(hint))
	}
}

// notice tells a person on stderr what does not end the command.
func notice(stderr io.Writer, kind, format string, arguments ...any) {
	fmt.Fprintf(stderr, "tribunal: %s: %s\n", kind, prose.Printable(fmt.Sprintf(format, arguments...)))
}

// explain splits an error into what is wrong and what to do about it, in the words of
// the command line.
func explain(err error) (problem, hint string) {
	if e, ok := errors.AsType[*ingest.UnjudgedError](err); ok {
		return e.Message(), unjudgedHint(e)
	}
	if e, ok := errors.AsType[advised](err); ok {
		return e.Message(), hintOf(e)
	}
	return err.Error(), ""
}

// unjudgedHint shows how trials are judged that nobody has.
func unjudgedHint(e *ingest.UnjudgedError) string {
	file := e.File
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
