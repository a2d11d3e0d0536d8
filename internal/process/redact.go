package process

import (
	"os"

	"github.com/tribunal-dev/tribunal/internal/redact"
)

// secrets are removed from what a program complains of. What it answers is judged first: who keeps that
// removes them.
type secrets struct {
	*redact.Secrets
	longest int // bytes, of the longest way to write one
}

// newSecrets finds the values of the names in the program's variables, and in those of this process, which
// may reach it in another way.
func newSecrets(environment, names []string) secrets {
	s := redact.Of(names, environment, os.Environ())
	return secrets{s, s.Longest()}
}

// remove returns the text without the secrets, and without what looks like a key.
func (s secrets) remove(text []byte) []byte {
	clean := s.Text(string(text))
	if clean == string(text) {
		return text
	}
	return []byte(clean)
}
