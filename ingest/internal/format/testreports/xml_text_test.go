package testreports

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// What XML 1.0 forbids in section 2.2 is left out; all else stays as it is.
func TestXMLText(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[32mfoo\x1b[0m b":                "afoo b",
		"a&#27;[1;31mfoo&#x1B;[0m&#x1b;b":      "afoob",
		"\x00\x08\x0b\x0c\x0e\x1f\t\r\n ":      "\t\r\n ",
		"&#0;&#8;&#x0B;&#65534;&#xffff;&#10;":  "&#10;",
		"\uFFFE\uFFFF\uFFFD\uFEFFä":            "\uFFFD\uFEFFä",
		"<![CDATA[&#27;\x1b]] ]]>&#27;&amp;&#": "<![CDATA[&#27;]] ]]>&amp;&#",
		"\x1b[31 no color":                     "[31 no color",
		"&#99999999;&#x;&#27":                  "&#99999999;&#x;&#27",
		"":                                     "",
	} {
		for _, source := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			got, err := io.ReadAll(newXMLText(iotest.OneByteReader(source)))
			if err != nil || string(got) != want {
				t.Errorf("%q: %q, %v, want %q", text, got, err, want)
			}
		}
		small, err := io.ReadAll(iotest.OneByteReader(newXMLText(strings.NewReader(text))))
		if err != nil || string(small) != want {
			t.Errorf("%q: %q, %v, want %q", text, small, err, want)
		}
	}
	broken := iotest.ErrReader(io.ErrClosedPipe)
	if _, err := io.ReadAll(newXMLText(broken)); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

// A text that encoding/xml reads comes through as it is.
func TestXMLTextKeepsWhatIsLawful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{"<a>", "</a>", "&#27;", "&#x41;", "&amp;", "\x1b", "<![CDATA[", "]]>",
			"]", "é", "\uFFFE", "x", "[31m", "\n", strings.Repeat("y", 5000)})).Draw(t, "parts")
		text := "<r>" + strings.Join(parts, "") + "</r>"
		decoder := xml.NewDecoder(strings.NewReader(text))
		for {
			_, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				return
			}
		}
		if got, err := io.ReadAll(newXMLText(strings.NewReader(text))); err != nil || string(got) != text {
			t.Fatalf("%q: %q, %v", text, got, err)
		}
	})
}
