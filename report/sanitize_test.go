package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestClean(t *testing.T) {
	for given, want := range map[string]string{
		"":                                "",
		"plain <b> & 100% ~":              "plain <b> & 100% ~",
		"日本語 é ñ ﬁ ½":                     "日本語 é ñ ﬁ ½",
		"\x1b[31mred\x1b[0m":              `\x1b[31mred\x1b[0m`,
		"a\nb\r\nc\td":                    `a\nb\r\nc\td`,
		"\x00\x07\x08\x7f":                `\x00\a\b\x7f`,
		"\u009b31m":                       `\u009b31m`, // CSI as one character
		"\u2028\u2029\u0085":              `\u2028\u2029\u0085`,
		"\u202egnp.exe":                   `\u202egnp.exe`, // bidirectional override
		"\u2066a\u2069\u200f":             `\u2066a\u2069\u200f`,
		"a\u200bb\ufeffc\u00ad":           `a\u200bb\ufeffc\u00ad`,
		"\u3164\u115f\u034f":              `\u3164\u115f\u034f`, // letters and marks that draw nothing
		"\U000e0041":                      `\U000e0041`,         // a tag
		"\ue000":                          `\ue000`,             // private use: of unknown look
		"\xff\xc3(":                       `\xff\xc3(`,          // not UTF-8
		"a\u00a0b\u3000c":                 "a b c",
		"❤\ufe0f":                         "❤",
		"👩\u200d💻":                        "👩\u200d💻",
		"نمی\u200cخواهم":                  "نمی\u200cخواهم",
		"a\u200db":                        `a\u200db`,
		"\u0301x":                         `\u0301x`, // nothing to stand on
		"e\u0301":                         "e\u0301",
		"e\u0301\u0301\u0301\u0301\u0301": "e\u0301\u0301\u0301\u0301" + `\u0301`,
		"suite::case::x":                  "suite::case::x",
		"a[1]::b":                         "a[1]::b",
		"::error::x":                      `\x3a:error::x`,
		"a ::error::x":                    `a \x3a:error::x`,
		"::::":                            `\x3a:\x3a:`,
		"a::::b":                          `a::\x3a:b`,
		"##[error]x":                      `#\x23[error]x`,
		"a ##vso[task.x]":                 `a #\x23vso[task.x]`,
		"##teamcity[x]":                   `#\x23teamcity[x]`,
		"## heading":                      "## heading",
	} {
		if got := clean(given); got != want {
			t.Errorf("clean(%q) = %q, want %q", given, got, want)
		}
	}
}

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
	rapid.Check(t, func(t *rapid.T) {
		s := hostile().Draw(t, "text")
		cleaned := clean(s)
		checkSafe(t, cleaned)
		if strings.Contains(cleaned, "\n") {
			t.Fatalf("%q has several lines", cleaned)
		}
		if again := clean(cleaned); again != cleaned {
			t.Fatalf("%q becomes %q when cleaned again", cleaned, again)
		}
	})
}

func FuzzClean(f *testing.F) {
	for _, name := range longNames {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, s string) {
		cleaned := clean(s)
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
