package jsonlex

import (
	"encoding/json"
	"strings"
	"testing"
)

var words = []string{
	"0", "-0", "10.50", "1e5", "-2.5E+10", "3e-7", "01", "1.", ".5", "-", "1e", "+1", "--1", "0x1", "",
	`""`, `"a"`, `"12345678"`, `"1234567\n"`, `"12345678\u00e9\\"`, `"é and more than eight"`, `"\ud800"`, `"\x"`,
	`"\u00g0"`, `"\u12`, `"open`, `"1234567` + "\x1f" + `"`, `"12345678` + "\x00" + `"`, `"\`, `"`, `"a" `,
	"\t\r\n true ", "tru", "truee", "false", "null", "nul",
}

// A word is accepted where the standard library accepts it, and the cursor stands behind it.
func TestWords(t *testing.T) {
	for _, text := range words {
		check(t, text)
		check(t, strings.Repeat(" ", 9)+text)
	}
}

func check(t *testing.T, text string) {
	t.Helper()
	c := Cursor{Text: []byte(text)}
	ok := c.Scalar()
	whole := ok && c.Next() == 0 && c.At == len(text)
	if want := json.Valid([]byte(text)); whole != want {
		t.Errorf("%q is accepted: %v, want %v", text, whole, want)
	}
}

func FuzzWords(f *testing.F) {
	for _, text := range words {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first := strings.TrimLeft(text, " \t\r\n")
		if !strings.HasPrefix(first, "{") && !strings.HasPrefix(first, "[") {
			check(t, text)
		}
	})
}

func TestEscapes(t *testing.T) {
	for text, want := range map[string]bool{`"plain"`: false, `"a\n"`: true, `"\""`: true, `"12345678"`: false} {
		c := Cursor{Text: []byte(text)}
		if escaped, ok := c.Quoted(); !ok || escaped != want || c.At != len(text) {
			t.Errorf("%s has escapes: %v, %v, at %d; want %v", text, escaped, ok, c.At, want)
		}
	}
}
