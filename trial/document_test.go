package trial

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tribunal-dev/tribunal/internal/thorough"
)

// An array of trials, indented or not, and indented objects in a row hold the
// same trials as JSON lines.
func TestReadDocumentIsReadOfLines(t *testing.T) {
	thorough.Check(t, func(t *rapid.T) {
		trials := rapid.SliceOfN(anyTrial(), 1, 5).Draw(t, "trials")
		var lines [][]byte
		for _, x := range trials {
			line, err := Append(nil, x)
			if err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
		array := append(append([]byte("["), bytes.Join(lines, []byte(","))...), ']')
		var indented, row bytes.Buffer
		if err := json.Indent(&indented, array, "", "  "); err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			if err := json.Indent(&row, line, "", "\t"); err != nil {
				t.Fatal(err)
			}
			row.WriteByte('\n')
		}
		for _, text := range [][]byte{array, indented.Bytes(), row.Bytes(), append([]byte("\ufeff \n"), array...)} {
			got, err := collect(iotest.HalfReader(bytes.NewReader(text)), Options{}, blockBytes)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			for i, x := range got { // the values keep their white space until they are written
				line, err := Append(nil, x)
				if err != nil {
					t.Fatal(err)
				}
				got[i], err = Decode(line, Options{})
				if err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(trials, got, ignorePlace); diff != "" {
				t.Fatalf("%s (-want +got):\n%s", text, diff)
			}
		}
	})
}

func TestReadDocumentPlaces(t *testing.T) {
	text := "\ufeff\n[\n  {\"scenario\":\"a\",\n   \"outcome\":\"pass\"},\n\n  " +
		"{\"scenario\":\"b\",\"outcome\":\"fail\"}, {\"scenario\":\n\"c\",\"outcome\":\"pass\"}\n]\n"
	got, err := collect(strings.NewReader(text), Options{File: "f"}, blockBytes)
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, x := range got {
		lines = append(lines, x.Place.Line)
	}
	if diff := cmp.Diff([]int{3, 6, 6}, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestReadBadDocument(t *testing.T) {
	cutOff := "; it seems to be cut off: was the program that wrote it stopped?"
	for _, c := range []struct {
		text   string
		trials int
		want   string
	}{
		{"[{\"scenario\":\"a\",\"outcome\":\"pass\"},\n  {\"scenario\":\"b\",\"outcome\":\"maybe\"}]", 1,
			`f:2:29: outcome "maybe" is not one of pass, fail, error; a trial that was skipped is left out; one that reached no verdict is an error`},
		{"[\n {\n  \"scenario\":\"b\",\n  \"steps\":[{\"action\":\"x\",\n \"depth\":-1}]}]", 0,
			`f:5:10: steps[0].depth -1 must not be negative; omit it where it is unknown`},
		{"[\n {\n  \"scenario\":\"b\"}]", 0, `f:2: outcome is missing; it must be pass, fail or error`},
		{"{\n \"scenario\":\"b\",\n", 0, `f:3:1: the text ends inside the trial` + cutOff},
		{"[{\"scenario\":\"a\",\"outcome\":\"pass\"},\n{\"scenario\":\"b\",\n \"output\":\"x", 1,
			`f:3:13: the text ends inside output` + cutOff},
		{"[{\"scenario\":\"a\",\"outcome\":\"pass\"},\n", 1, `f:2:1: the text ends inside the trial` + cutOff},
		{"[", 0, `f:1:2: the text ends inside the trial` + cutOff},
		{"[1]", 0, `f:1:2: a trial must be a JSON object, not a number; write one {"scenario":"…","outcome":"…"} a line`},
		{"[[{}]]", 0, `f:1:2: a trial must be a JSON object, not an array; write one {"scenario":"…","outcome":"…"} a line`},
		{"[]]", 0, `f:1:3: not valid JSON: invalid character ']' at start of value`},
		{"[{\"scenario\":\"a\",\"outcome\":\"pass\"}\n {\"scenario\":\"b\"}]", 1,
			`f:2:2: not valid JSON: invalid character '{' after array element (expecting ',' or ']')`},
		{"[{\"scenario\":\"a\",\"outcome\":\"pass\"},\n{\"x\":{\"scenario\":\"b\",\n\"scenario\":\"b\"}}]", 1,
			`f:3:1: x.scenario is given twice; a name may stand only once in a JSON object`},
		{"[{\"scenario\":\"a\",\n\"outcome\":\"\xff\"}]", 0, `f:2:12: not UTF-8 text; save the file as UTF-8`},
	} {
		got, err := collect(strings.NewReader(c.text), Options{File: "f"}, blockBytes)
		if len(got) != c.trials || err == nil || err.Error() != c.want {
			t.Errorf("%q: %d trials\n got %v\nwant %s", c.text, len(got), err, c.want)
		}
	}
}

func TestReadLongDocument(t *testing.T) {
	source := &endlessLine{}
	_, err := collect(io.MultiReader(strings.NewReader("[\n{\"x\":\""), source),
		Options{File: "f", MaxLineBytes: 100_000}, blockBytes)
	want := "f:2:1: the trial that begins here is longer than 100000 bytes; raise the limit with MaxLineBytes if it is " +
		"really one trial"
	if _, ok := errors.AsType[*SyntaxError](err); !ok || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if source.read > 100_000+4*slack {
		t.Errorf("%d bytes were read", source.read)
	}
	line := `{"scenario":"a","outcome":"pass"}`
	text := "[" + strings.Repeat(line+",", 10_000) + line + "]" // each is short enough
	if got, err := collect(strings.NewReader(text), Options{MaxLineBytes: len(line)},
		blockBytes); len(got) != 10_001 || err != nil {
		t.Errorf("%d trials, %v", len(got), err)
	}
	if _, err := collect(strings.NewReader("["+line+"]"), Options{MaxLineBytes: len(line) - 1},
		blockBytes); err == nil {
		t.Error("a trial longer than the limit is read")
	}
}
