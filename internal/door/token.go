package door

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/exit"
	"github.com/tribunal-dev/tribunal/internal/input"
	"github.com/tribunal-dev/tribunal/internal/prose"
)

// What a token has, in characters. Chosen: 16 of a random text are more than can be guessed, and more than 4,096 are
// some other file.
const leastToken, mostToken = 16, 4096

// TokenError says why a file has no token; it does not tell what is in it.
type TokenError struct {
	File    string
	Problem string // of the token
	Err     error  // why the file cannot be read; nil where it was
}

// Error names the file.
func (e *TokenError) Error() string { return e.Message() + "; " + e.Hint() }

// Message is the error without advice.
func (e *TokenError) Message() string {
	return "the token in " + prose.FileName(e.File) + " " + e.Problem
}

// Hint says what helps.
func (e *TokenError) Hint() string {
	if e.Err != nil {
		return "it names a file or a pipe, whose first line is the token"
	}
	return "openssl rand -hex 32 makes one"
}

// ExitCode is that of input that cannot be used.
func (e *TokenError) ExitCode() int { return exit.Input }

// Unwrap returns why the file cannot be read.
func (e *TokenError) Unwrap() error { return e.Err }

// ReadToken returns the first line of a file or a pipe, without the blanks around it: a token of 16 to 4,096 characters
// of ASCII that are no blanks, which any client can send. An error is a [TokenError].
func ReadToken(ctx context.Context, file string) (string, error) {
	from, err := input.Open(ctx, file)
	if err != nil {
		return "", unread(file, err)
	}
	defer from.Close()
	const blanks = 1000 // that may stand around it
	line, err := bufio.NewReader(io.LimitReader(from, mostToken+blanks)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", unread(file, err)
	}
	token := strings.TrimSpace(line)
	if problem := tokenProblem(token); problem != "" {
		return "", &TokenError{File: file, Problem: problem}
	}
	return token, nil
}

// unread is the error of a file that cannot be read, without the path, which the message names itself.
func unread(file string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	return &TokenError{File: file, Problem: fmt.Sprintf("cannot be read: %v", err), Err: err}
}

// tokenProblem is what is wrong with a token that is guessed, or that some client cannot send; "" is nothing.
func tokenProblem(token string) string {
	switch {
	case len(token) < leastToken:
		return fmt.Sprintf("has less than %d characters", leastToken)
	case len(token) > mostToken:
		return fmt.Sprintf("has more than %d characters", mostToken)
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return "has characters other than letters, digits and signs of ASCII"
	}
	return ""
}
