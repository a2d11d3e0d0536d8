package process

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
)

// markVariable tells in the environment of a program, and so of all that it starts, who started it: a tag,
// or one for each runner where one runs another, with a slash between them. A tag is
//
//	MARK.PROCESS.NUMBER
//
// with the mark of the run, a random word of this process, and the number of the [Command].
const markVariable = "TRIBUNAL_ATTEMPT"

// markKey is that of a mark in a context.
type markKey struct{}

// WithMark returns a context whose programs carry the mark, by which [EndMarked] finds what is left of them
// after this process was killed. A mark has neither a slash nor a dot.
func WithMark(ctx context.Context, mark string) context.Context {
	return context.WithValue(ctx, markKey{}, mark)
}

// markOf returns the mark of a context, "" where it has none.
func markOf(ctx context.Context) string {
	mark, _ := ctx.Value(markKey{}).(string)
	return mark
}

// member is one [Command] that runs.
type member struct {
	tag string
	// The order in which members came.
	number uint64
	// Of the program; 0 until it was started.
	pid   int
	ended bool // all that it started is to be gone
	// Of all that it starts; what a system has for it, and nil where there is none.
	group *controlGroup
}

// processWord tells the programs of this process from those of all others.
var processWord = sync.OnceValue(func() string {
	var word [8]byte
	_, _ = rand.Read(word[:]) // never fails
	return hex.EncodeToString(word[:])
})

// tagOf is the tag of a member of this process.
func tagOf(mark string, number uint64) string {
	return fmt.Sprintf("%s.%s.%d", mark, processWord(), number)
}

// marked returns the environment with the member's tag, beside those that this process has itself.
func (m *member) marked(environment []string) []string {
	tag := m.tag
	if outer := os.Getenv(markVariable); outer != "" {
		tag = outer + "/" + tag
	}
	environment = slices.DeleteFunc(environment, func(variable string) bool {
		return strings.HasPrefix(variable, markVariable+"=")
	})
	return append(environment, markVariable+"="+tag)
}

// tagsOf are the tags in an environment as the system has it, in which every variable ends with a NUL.
func tagsOf(environment []byte) []string {
	for _, variable := range strings.Split(string(environment), "\x00") {
		if value, ok := strings.CutPrefix(variable, markVariable+"="); ok {
			return strings.Split(value, "/")
		}
	}
	return nil
}
