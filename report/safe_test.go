package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/report/internal/safe"
)

// checkSafe fails the test if text would make a terminal or a build server act.
func checkSafe(t *rapid.T, text string) {
	if !utf8.ValidString(text) {
		t.Fatalf("%q is not UTF-8", text)
	}
	for _, r := range text {
		if r != '\n' && r != '\u200c' && r != '\u200d' && !unicode.IsPrint(r) {
			t.Fatalf("%q holds %U", text, r)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "::") {
			t.Fatalf("%q is a command", line)
		}
		for _, command := range []string{"##[", "##vso[", "##teamcity["} {
			if strings.Contains(line, command) {
				t.Fatalf("%q holds a command", line)
			}
		}
	}
}

// hostile draws text that is likely to hold what must not get through.
func hostile() *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"\x1b", "\x1b[2J", "\x1b]0;t\x07", "\x9b", "\u009b", "\n", "\r", "\t", "\x00", "\x7f", "\u202e", "\u200b",
		"\u200d", "\ufe0f", "\u0301",
		"::", ":", "::error::", "##[", "##vso[", "#", "日本", "👩‍💻", "e\u0301", "name", " ", "  ",
		"a-very-long-name-without-any-blank", "\xff", "\u2028", "|", "%",
	})
	return rapid.OneOf(rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "pieces"), "")
	}))
}

func TestCleanTextIsSafe(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		cleaned := safe.Text(s)
		checkSafe(t, cleaned)
		if strings.Contains(cleaned, "\n") {
			t.Fatalf("%q has several lines", cleaned)
		}
		if again := safe.Text(cleaned); again != cleaned {
			t.Fatalf("%q becomes %q when cleaned again", cleaned, again)
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, name := range longNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cleaned := safe.Text(s)
		if !utf8.ValidString(cleaned) {
			t.Errorf("%q became %q", s, cleaned)
		}
		if i := strings.IndexFunc(cleaned, func(r rune) bool {
			return r != '\u200c' && r != '\u200d' && !unicode.IsPrint(r)
		}); i >= 0 {
			t.Errorf("%q became %q", s, cleaned)
		}
	})
}
