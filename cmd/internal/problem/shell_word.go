package problem

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// ShellWord writes a word so that a shell reads it as one.
func ShellWord(word string) string {
	quoted, err := syntax.Quote(word, syntax.LangBash)
	if err != nil {
		return strconv.Quote(word)
	}
	return quoted
}
