package rule

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"unicode/utf8"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Error says why the text of a rule cannot be used.
type Error struct {
	Rule    string // as it was given
	Problem string // what the rule is or does, such as "is not a rule"
	Advice  string // what a person might do about it; may be ""
}

// Error is the message and the advice; package ingest has a type for people.
func (e *Error) Error() string { return e.Problem + "; " + e.Advice }

// longestRule is the longest text of a rule, in bytes.
// It is chosen: far beyond what a person writes.
const longestRule = 4096

// checkRule refuses a text that is no rule whatever its kind.
func checkRule(text string) error {
	switch {
	case text == "":
		return &Error{Rule: text, Problem: "is empty"}
	case len(text) > longestRule:
		return &Error{Rule: text, Problem: fmt.Sprintf("is longer than %d bytes", longestRule)}
	case !utf8.ValidString(text):
		return &Error{Rule: text, Problem: "is not UTF-8 text"}
	}
	return nil
}

// rulePattern compiles a pattern of a rule. It takes time in proportion to what it
// is matched with (RE2).
func rulePattern(rule, pattern string) (*regexp.Regexp, error) {
	if pattern == "" {
		return nil, &Error{Rule: rule, Problem: "has an empty pattern"}
	}
	compiled, err := regexp.Compile(pattern)
	if err == nil {
		return compiled, nil
	}
	problem := err.Error()
	if e, ok := errors.AsType[*syntax.Error](err); ok {
		problem = fmt.Sprintf("%s: %s", e.Code, prose.Excerpt(e.Expr))
	}
	return nil, &Error{
		Rule: rule, Problem: "has a pattern that is not a regular expression: " + problem,
		Advice: `the syntax is RE2's, as in Go; \ takes the meaning of the next character away`,
	}
}
