package door

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// What a token has, in characters. Chosen: 16 of a random text are more than can be guessed.
const leastToken, mostToken = 16, 1000

// TokenError says what is wrong with a token; it does not tell the token.
type TokenError struct{ Problem string }

// Error implements error.
func (e *TokenError) Error() string { return "the token " + e.Problem }

// Hint says what helps.
func (e *TokenError) Hint() string { return "openssl rand -hex 32 makes one" }

// ReadToken returns the first line of a text, without the blanks around it. An error is a [TokenError], or one of
// reading.
func ReadToken(r io.Reader) (string, error) {
	const blanks = 1000 // that may stand around it
	line, err := bufio.NewReader(io.LimitReader(r, mostToken+blanks)).ReadString('\n')
	if err != nil && err != io.EOF {
		return "", err
	}
	token := strings.TrimSpace(line)
	return token, checkToken(token)
}

// checkToken refuses a token that is guessed, or that some client cannot send.
func checkToken(token string) error {
	switch {
	case len(token) < leastToken:
		return &TokenError{fmt.Sprintf("has less than %d characters", leastToken)}
	case len(token) > mostToken:
		return &TokenError{fmt.Sprintf("has more than %d characters", mostToken)}
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }):
		return &TokenError{"has characters other than letters, digits and signs of ASCII"}
	}
	return nil
}
