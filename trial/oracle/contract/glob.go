package contract

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// patternError says why a pattern of a guardrail cannot be used.
type patternError struct{ problem, hint string }

// Error is the problem without the hint.
func (e *patternError) Error() string { return e.problem }

// errPattern says what is wrong with a pattern.
func errPattern(problem, hint string) error { return &patternError{problem, hint} }

// stars says what a star of a glob stands for.
type stars uint8

const (
	anyText stars = iota // * is any text
	oneName              // * is within one part of a path, ** any text
	anyName              // the same, and case makes no difference
	ofTool               // * is any text, and case makes no difference
)

// glob is a pattern of a text: * and ** as its stars say, ? one character of the
// same, [abc], [a-z] and [^a] one character of a set; \ takes the next character as
// it is.
type glob struct {
	text       string
	expression *regexp.Regexp
}

// match reports whether the glob is that of the whole text.
func (g glob) match(text string) bool { return g.expression.MatchString(text) }

// literal reports whether the glob is that of one text alone.
func (g glob) literal() bool { return !strings.ContainsAny(g.text, `*?[\`) }

// parseGlob translates a glob into an expression. All that is not of a glob is quoted.
func parseGlob(text string, s stars) (glob, error) {
	one := "."
	if s == oneName || s == anyName {
		one = "[^/]"
	}
	var b strings.Builder
	// The whole text must match, line ends in it included.
	flags := "s"
	if s == ofTool || s == anyName {
		flags = "is"
	}
	b.WriteString("(?" + flags + `)\A(?:`)
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case strings.HasPrefix(rest, "**"):
			b.WriteString(".*")
			size = 2
		case r == '*':
			b.WriteString(one + "*")
		case r == '?':
			b.WriteString(one)
		case r == '[':
			set, length := characterSet(rest)
			if length == 0 {
				return glob{}, errPattern("has a [ that is not closed", `write \[ for the bracket itself`)
			}
			b.WriteString(set)
			size = length
		// A backslash at the end stands for itself.
		case r == '\\' && size < len(rest):
			_, next := utf8.DecodeRuneInString(rest[size:])
			b.WriteString(regexp.QuoteMeta(rest[size : size+next]))
			size += next
		default:
			b.WriteString(regexp.QuoteMeta(rest[:size]))
		}
		rest = rest[size:]
	}
	b.WriteString(`)\z`)
	expression, err := regexp.Compile(b.String())
	if err != nil || text == "" {
		return glob{}, errPattern("is no pattern", "* stands for any text, ? for one character, [abc] for one of a set")
	}
	return glob{text, expression}, nil
}

// characterSet returns the set at the beginning of a text as a regular expression,
// and how long it is; 0 where it is not closed.
//
// A leading ! negates as in a shell, ^ as in an expression. A ] as the first character, which a
// shell would take as a member, leaves the set empty: it is refused.
func characterSet(text string) (set string, length int) {
	inside, _, closed := strings.Cut(text[1:], "]")
	if !closed || inside == "" || inside == "^" || inside == "!" {
		return "", 0
	}
	length = len(inside) + 2
	sign := ""
	if inside[0] == '^' || inside[0] == '!' {
		sign, inside = "^", inside[1:]
	}
	escaped := strings.NewReplacer(`\`, `\\`, "[", `\[`, "^", `\^`, "&", `\&`, "~", `\~`).Replace(inside)
	return "[" + sign + escaped + "]", length
}
