// Package lazy makes what is costly when it is first needed: what a package makes for
// itself is made at the start of every command.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp returns a function that returns the compiled expression. It compiles at the
// first call, and panics if the expression is none: like [regexp.MustCompile], it is for
// expressions that stand in the code.
func Regexp(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
