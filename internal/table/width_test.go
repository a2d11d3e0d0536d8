package table

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// Expected widths: Unicode Standard Annex 11 (East Asian Width) and Unicode
// Technical Standard 51, section on display of emoji.
func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"":                        0,
		"abc":                     3,
		"é":                       1,
		"e\u0301":                 1, // combining acute accent
		"日本":                      4, // W
		"ﾊﾝｶｸ":                    4, // H
		"ＡＢ":                      4, // F
		"한국어":                     6,
		"━│█●·…±":                 7, // A: narrow whatever the locale
		"👩‍💻":                     2, // one emoji of three code points
		"🇩🇪":                      2,
		"\x1b[1;31mred\x1b[0m":    3,
		"\x1b[38;5;120m日\x1b[0m.": 3,
	} {
		if got := Width(text); got != want {
			t.Errorf("Width(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestCutAndPad(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  string
	}{
		{"abc", 3, "abc"},
		{"abcd", 3, "ab…"},
		{"日本語", 6, "日本語"},
		{"日本語", 5, "日本…"},
		{"日本語", 4, "日…"}, // half a character is none
		{"abc", 1, "…"},
		{"abc", 0, ""},
	} {
		if got := Cut(test.text, test.width, "…"); got != test.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
	if got := Cut("abcdef", 2, "..."); got != ".." {
		t.Errorf("no room for the ellipsis: %q", got)
	}
	for text, want := range map[string]string{"ab": "ab  ", "日": "日  ", "abcde": "abcde"} {
		if got := Pad(text, 4); got != want {
			t.Errorf("Pad(%q, 4) = %q, want %q", text, got, want)
		}
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct {
		text     string
		width    int
		ellipsis string
		want     string
	}{
		{"abcdef", 6, "…", "abcdef"},
		{"abcdefg", 6, "…", "abc…fg"},
		{"abcdefg", 5, "…", "ab…fg"},
		{"abcdefgh", 7, "...", "ab...gh"},
		{"abcdef", 3, "…", "a…f"},
		{"abcdef", 2, "…", "ab"},
		{"abcdef", 1, "…", "a"},
		{"abcdef", 0, "…", ""},
		{"abcdef", -1, "…", ""},
		{"日本語日本語", 7, "…", "日本…語"},
		{"日本語日本語", 6, "…", "日…語"},
		{"日本語", 1, "…", ""},
		{"ae\u0301e\u0301e\u0301z", 4, "…", "ae\u0301…z"},
		{strings.Repeat("7", 10000), 9, "…", "7777…7777"},
	} {
		got := Shorten(test.text, test.width, test.ellipsis)
		if got != test.want {
			t.Errorf("Shorten(%q, %d) = %q, want %q", test.text, test.width, got, test.want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two ", 80, []string{"one two"}},
		{"a very-long-word b", 6, []string{"a", "very-l", "ong-wo", "rd b"}},
		{"日本語 日本語", 6, []string{"日本語", "日本語"}},
		{"日本", 1, []string{"日", "本"}}, // too wide for any line, but it ends
		{"suite::case::x", 5, []string{"suit", "e::ca", "se::x"}},
		{"abcd::x", 4, []string{"abc", "d::x"}},
	} {
		if diff := cmp.Diff(test.want, Wrap(test.text, test.width)); diff != "" {
			t.Errorf("Wrap(%q, %d): %s", test.text, test.width, diff)
		}
	}
}

func TestWrapLosesNothing(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zé日本:👩]{0,30} {0,2}){0,8}`).Draw(t, "text")
		width := rapid.IntRange(2, 40).Draw(t, "width")
		wrapped := Wrap(text, width)
		got := strings.ReplaceAll(strings.Join(wrapped, ""), " ", "")
		if want := strings.Join(strings.Fields(text), ""); got != want {
			t.Fatalf("%q became %q", text, wrapped)
		}
		for _, line := range wrapped {
			if Width(line) > width {
				t.Fatalf("line %q is wider than %d", line, width)
			}
		}
	})
}

func TestShortenKeepsBothEnds(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[a-zé日本👩]{0,60}`).Draw(t, "text")
		width := rapid.IntRange(0, 40).Draw(t, "width")
		short := Shorten(text, width, "…")
		if Width(short) > width && short != text || Width(text) > width && short == text {
			t.Fatalf("Shorten(%q, %d) = %q", text, width, short)
		}
		if head, tail, found := strings.Cut(short, "…"); found &&
			(!strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail)) {
			t.Fatalf("%q is not made of the ends of %q", short, text)
		}
	})
}
