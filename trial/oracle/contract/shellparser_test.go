package contract

import (
	"slices"
	"strings"
	"testing"

	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// A parser of the shell's whole grammar finds no command that this package does not
// find. The other way round is not asked for: what a guard looks at is any text, of
// which a parser refuses most, and it must see what a shell would run before it meets
// the mistake.
func TestNoCommandOfAParserIsMissed(t *testing.T) {
	part := rapid.SampledFrom([]string{
		"a", "b", "-c", "x=1", "x=$(b)", "'q r'", `"q $(a b) r"`, "$(a)", "`b a`", "$((1+2))", "${x:-$(a b)}",
		"${x}", `\ `, `$'\x61'`, "{a,b}",
		"if", "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "in", "case", "esac", "select",
		"function", "f()", "{", "}", "(", ")", "((", "))", "[[", "]]", "!", "time", "-p", "coproc c {",
		";", ";;", "&", "&&", "||", "|", "|&", "\n", "#", ">", ">>", "<", "2>&1", "&>", "<<<", "<<E\n", "\nE\n",
		"<(", ">(", "$(", "`", `"`, "'", "=", "a=(b c)",
	})
	parser := syntax.NewParser()
	thorough.Check(t, func(r *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 0, 12).Draw(r, "parts"), " ")
		file, err := parser.Parse(strings.NewReader(text), "")
		if err != nil {
			return
		}
		ours, _, err := commandsIn(text)
		if err != nil {
			r.Fatal(err)
		}
		syntax.Walk(file, func(node syntax.Node) bool {
			call, ok := node.(*syntax.CallExpr)
			if !ok {
				return true
			}
			var words []string
			for _, word := range call.Args {
				text, ok := constant(word)
				if !ok {
					return true
				}
				words = append(words, text)
			}
			for len(words) > 0 && (isAssignment(words[0]) || isKeyword(words[0])) {
				words = words[1:]
			}
			if len(words) > 0 && !slices.ContainsFunc(ours, func(c []string) bool { return beginsWith(c, words) }) {
				r.Fatalf("%q: %q is not among %q", text, words, ours)
			}
			return true
		})
	})
}

// constant is the text of a word without expansions.
func constant(word *syntax.Word) (text string, ok bool) {
	for _, part := range word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if strings.Contains(part.Value, `\`) {
				return "", false
			}
			text += part.Value
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			text += part.Value
		default:
			return "", false
		}
	}
	return text, !strings.Contains(text, "{") // braces are expanded
}

func beginsWith(command, words []string) bool {
	return len(command) >= len(words) && slices.Equal(command[:len(words)], words)
}
