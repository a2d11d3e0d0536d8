package prose

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

func TestCount(t *testing.T) {
	for _, c := range []struct {
		n    int
		noun string
		want string
	}{
		{0, "trial", "0 trials"},
		{1, "trial", "1 trial"},
		{2, "trial", "2 trials"},
		{1, "pass", "1 pass"},
		{2, "pass", "2 passes"},
		{3, "match", "3 matches"},
		{3, "suffix", "3 suffixes"},
		{2, "query", "2 queries"},
		{2, "key", "2 keys"},
		{-1, "degree", "-1 degrees"},
		{4, "tool call", "4 tool calls"},
		{2, "y", "2 ys"},
		{2, "", "2 s"},
	} {
		if got := Count(c.n, c.noun); got != c.want {
			t.Errorf("Count(%d, %q) = %q, want %q", c.n, c.noun, got, c.want)
		}
	}
	if got := Form(1, "is", "are") + Form(0, "is", "are"); got != "isare" {
		t.Errorf("Form gives %q", got)
	}
}

func TestByteCount(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 bytes", 1: "1 byte", 1000: "1000 bytes", 1024: "1 KiB", 1536: "1536 bytes", 64 << 20: "64 MiB",
		1 << 30: "1 GiB",
	} {
		if got := ByteCount(n); got != want {
			t.Errorf("ByteCount(%d) = %q, want %q", n, got, want)
		}
	}
}

func TestLists(t *testing.T) {
	type row struct{ And, Or, Two, None string }
	for _, c := range []struct {
		words string
		want  row
	}{
		{"", row{"", "", "", ""}},
		{"a", row{"a", "a", "a", "1 more"}},
		{"a b", row{"a and b", "a or b", "a, b", "2 more"}},
		{"a b c", row{"a, b and c", "a, b or c", "a, b and 1 more", "3 more"}},
		{"a b c d", row{"a, b, c and d", "a, b, c or d", "a, b and 2 more", "4 more"}},
	} {
		words := strings.Fields(c.words)
		got := row{And(words), Or(words), Some(words, 2), Some(words, 0)}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.words, diff)
		}
	}
}

// The text of an error is told to its end, unless that is far away.
func TestReason(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{strings.Repeat("é", 500), strings.Repeat("é", 500)},
		{"ab\x1b" + strings.Repeat("é", 500), `ab\x1b` + strings.Repeat("é", 499) + "…"},
	} {
		if got := Reason(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestOneLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"\n \t\n":               "",
		"a: b":                  "a: b",
		"failed:\n\tone\n\ttwo": "failed: one; two",
		" a \r\n\n b\n":         "a; b",
		"a:\n\nb:\nc":           "a: b: c",
	} {
		if got := OneLine(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain text, ü 漢 €", "plain text, ü 漢 €"},
		{"\x1b[2J", `\x1b[2J`},
		{"a\r\nb\x00\x7f\u009b\u2028\u202e", `a\r\nb\x00\x7f\u009b\u2028\u202e`},
		{"\xff\xc3(", `\xff\xc3(`},
		{"\ufffd", "\ufffd"},
		{strings.Repeat("é", 61), strings.Repeat("é", 60) + "…"},
	} {
		if got := Excerpt(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestPrintableKeepsAll(t *testing.T) {
	long := strings.Repeat("é", 500)
	if got, want := Printable(long+"\n"), long+`\n`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := Quote("a\tb"), `"a\tb"`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := FileName("-") + ", " + FileName("a\n"); got != `standard input, a\n` {
		t.Errorf("%q", got)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text         string
		most         int
		bytes, runes string
	}{
		{"", 0, "", ""},
		{"abc", 3, "abc", "abc"},
		{"abcd", 3, "abc", "ab…"},
		{"äöü", 3, "ä", "äöü"},
		{"äöüß", 3, "ä", "äö…"},
		{"漢字漢字", 3, "漢", "漢字…"},
		{"ab", 1, "a", "…"},
		{"ab", 0, "", "…"},
		{"ab", -1, "", "…"},
		{"\xff\xff\xff\xff\xff\xff", 5, "\xff\xff\xff\xff\xff", "\xff\xff\xff\xff…"},
	} {
		if got := CutBytes(c.text, c.most); got != c.bytes {
			t.Errorf("CutBytes(%q, %d) = %q, want %q", c.text, c.most, got, c.bytes)
		}
		if got := CutRunes(c.text, c.most); got != c.runes {
			t.Errorf("CutRunes(%q, %d) = %q, want %q", c.text, c.most, got, c.runes)
		}
	}
}

func TestCutKeepsToItsLimit(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		most := rapid.IntRange(1, 40).Draw(t, "most")
		bytes, runes := CutBytes(text, most), CutRunes(text, most)
		switch {
		case len(bytes) > most || !strings.HasPrefix(text, bytes) || !utf8.ValidString(bytes):
			t.Fatalf("CutBytes gives %q", bytes)
		case len(text)-len(bytes) > 0 && len(bytes) < most-3:
			t.Fatalf("CutBytes gives %q: there was room for another character", bytes)
		case utf8.RuneCountInString(text) <= most && runes != text:
			t.Fatalf("CutRunes gives %q of a text that fits", runes)
		case utf8.RuneCountInString(text) > most && utf8.RuneCountInString(runes) != most:
			t.Fatalf("CutRunes gives %q", runes)
		}
	})
}

func TestNearest(t *testing.T) {
	keys := []string{"scenarios", "agent", "max_turns", "max_total", "exit-code", "pass", "fail", "error", "id"}
	for typed, want := range map[string]string{
		"scenaros": "scenarios",
		"scen":     "scenarios", // its beginning
		"maxTurns": "max_turns",
		"exit_cod": "exit-code",
		"agnet":    "agent", // two letters swapped
		"passed":   "pass",  // more than it
		"PASS":     "pass",
		"errors":   "error",
		"failures": "fail",
		"zebra":    "",
		"xy":       "", // two edits from any word of two letters
		"":         "",
		"p":        "",
		"ag":       "agent", // two letters that it begins with
		"iid":      "id",
		"erorr":    "error",
		"jd":       "id",
	} {
		if got, ok := Nearest(typed, keys); got != want || ok != (want != "") {
			t.Errorf("Nearest(%q) = %q, %v, want %q", typed, got, ok, want)
		}
	}
	if got, ok := Nearest(strings.Repeat("x", 1<<20), keys); ok {
		t.Errorf("a long text is near %q", got)
	}
}

func TestDidYouMean(t *testing.T) {
	for _, c := range []struct {
		typed, list, want string
	}{
		{"agnet", "agent suite", `did you mean "agent"?`},
		{"zebra", "agent suite", "known are agent, suite"},
		{"zebra", "agent", "the only one is agent"},
	} {
		if got := DidYouMean(c.typed, strings.Fields(c.list)); got != c.want {
			t.Errorf("DidYouMean(%q, %q) = %q, want %q", c.typed, c.list, got, c.want)
		}
	}
}
