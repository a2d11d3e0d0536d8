package cli

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/ingest"
	"github.com/tribunal-dev/tribunal/suite"
	"github.com/tribunal-dev/tribunal/trial"
)

// complain tells a person on stderr why a command ended. Nothing can be done if
// that fails: the exit code says it too.
func complain(stderr io.Writer, err error) {
	if problems, ok := errors.AsType[suite.Errors](err); ok {
		for _, p := range problems {
			bare := *p
			bare.Hint = ""
			say(stderr, bare.Error(), p.Hint)
		}
		return
	}
	problem, hint := explain(err)
	say(stderr, problem, "")
	if mistake, ok := errors.AsType[*panicked](err); ok {
		stderr.Write(mistake.stack)
	}
	if hint != "" {
		fmt.Fprintf(stderr, "  hint: %s\n", printable(hint))
	}
}

// say writes what is wrong and what to do about it.
func say(stderr io.Writer, problem, hint string) {
	fmt.Fprintf(stderr, "tribunal: %s\n", printable(problem))
	if hint != "" {
		fmt.Fprintf(stderr, "  hint: %s\n", printable(hint))
	}
}

// notice tells a person on stderr what does not end the command.
func notice(stderr io.Writer, kind, format string, arguments ...any) {
	fmt.Fprintf(stderr, "tribunal: %s: %s\n", kind, printable(fmt.Sprintf(format, arguments...)))
}

// explain splits an error into what is wrong and what to do about it.
func explain(err error) (problem, hint string) {
	if e, ok := errors.AsType[*usageError](err); ok {
		return e.problem, e.hint
	}
	if e, ok := errors.AsType[*inputError](err); ok {
		return e.problem, e.hint
	}
	if e, ok := errors.AsType[*unavailableError](err); ok {
		return e.problem, e.hint
	}
	if e, ok := errors.AsType[*trial.SyntaxError](err); ok {
		bare := *e
		bare.Hint = ""
		return bare.Error(), e.Hint
	}
	if e, ok := errors.AsType[*trial.FieldError](err); ok {
		bare := *e
		bare.Hint = ""
		if is[*ingest.UnjudgedError](err) {
			return bare.Error(), unjudgedHint(e)
		}
		return bare.Error(), e.Hint
	}
	if is[*ingest.UnreadError](err) {
		return err.Error(), "leave --strict out to read the rest"
	}
	if e, ok := errors.AsType[*trial.FileError](err); ok {
		bare := *e
		bare.Hint = ""
		return bare.Error(), e.Hint
	}
	if is[*trial.DuplicateError](err) {
		problem, hint = err.Error(), ""
		if at := strings.LastIndex(problem, "; "); at >= 0 {
			problem, hint = problem[:at], problem[at+len("; "):]
		}
		return problem, hint
	}
	if is[*panicked](err) {
		return err.Error(), "this is a mistake in tribunal itself: please report it with the lines above"
	}
	return err.Error(), ""
}

// unjudgedHint shows how trials are judged that nobody has.
func unjudgedHint(e *trial.FieldError) string {
	file := e.File
	if strings.ContainsFunc(file, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("./_-+", r)
	}) {
		file = strconv.Quote(file)
	}
	command := "tribunal import " + file + " --pass-when RULE -o judged.jsonl"
	if e.Hint == "" {
		return "judge the trials by a rule first: " + command
	}
	return e.Hint + "; or judge by a rule first: " + command
}

// printable returns the text with every character that does not print, such as a
// newline, the start of a terminal escape or a change of the writing direction,
// as a Go escape sequence.
func printable(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			quoted := strconv.QuoteRune(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
		text = text[size:]
	}
	return b.String()
}
