package report

import (
	"fmt"
	"strings"

	"github.com/tribunal-dev/tribunal/report/internal/safe"
)

// markdownText makes a text safe within a line of Markdown: nothing in it is markup,
// HTML, a link, a mention, a reference, an emoji code or a formula. What Markdown acts
// on is written as a character reference, which by CommonMark is never structure; and
// since mentions and references are looked for in the rendered text, a zero-width
// space follows their first character.
func markdownText(text string) string {
	return markdownEscape(safe.Text(text), "&#8203;")
}

// markdownCode makes a text that others wrote a code element: within one, nothing is
// looked for in the rendered text.
func markdownCode(text string) string {
	return "<code>" + markdownEscape(safe.Text(text), "") + "</code>"
}

// markdownEscape writes as character references what Markdown or GitHub acts on. The
// text after is what stands behind the characters of mentions, references and links:
// within code it is empty, as nothing is looked for there.
func markdownEscape(text, after string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case strings.ContainsRune("\\`*_{}[]<>|!~&$^\"", r):
			fmt.Fprintf(&b, "&#%d;", r)
		case r == '@' || r == '#':
			fmt.Fprintf(&b, "&#%d;%s", r, after)
		// Links are found by "://" and "www." without any markup; a colon before a
		// letter may begin the code of an emoji or end a scheme.
		case r == ':' && (strings.HasPrefix(text[i:], "://") || isWordAt(text, i+1)):
			b.WriteString("&#58;" + after)
		case r == '.' && strings.HasSuffix(strings.ToLower(text[:i]), "www"):
			b.WriteString("&#46;" + after)
		case i == 0 && strings.ContainsRune("+-=/", r), r == '.' && allDigits(text[:i]) &&
			!isDigitAt(text, i+1), r == ')' && allDigits(text[:i]):
			fmt.Fprintf(&b, "&#%d;", r) // would begin a list, a heading or a command to GitLab
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isWordAt reports whether a letter follows, as in the code of an emoji or in a
// scheme such as javascript:alert.
func isWordAt(text string, i int) bool {
	return i < len(text) && (text[i] >= 'a' && text[i] <= 'z' || text[i] >= 'A' && text[i] <= 'Z' || text[i] == '+' ||
		text[i] == '-')
}

// isDigitAt reports whether a digit follows: "1.5" is no item of a list.
func isDigitAt(text string, i int) bool { return i < len(text) && text[i] >= '0' && text[i] <= '9' }

// allDigits reports whether a text is the number of a list item: CommonMark allows
// nine digits at most.
func allDigits(text string) bool {
	return text != "" && len(text) < 10 && strings.Trim(text, "0123456789") == ""
}
