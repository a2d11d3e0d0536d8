package cassette

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzLines reads a line, whatever it says: one that is read is written again as it was, and found as it stands between
// others.
func FuzzLines(f *testing.F) {
	for _, text := range []string{
		`{"cassette":1,"session":"a","kind":"record"}`,
		`{"session":"a","exchange":{"scenario":"s","trial":0,"attempt":0,"at":"2026-01-02T03:04:05Z","provider":"openai",` +
			`"method":"POST","path":"/x","body":"{}","status":200,"header":{"A":["b"]},"chunks":[{"after_us":7,"data":{"base64":"/w=="}}]}}`,
		`{"session":"a","exchange":{"error":"none"}}`,
	} {
		f.Add([]byte(text), 0)
	}
	f.Fuzz(func(t *testing.T, text []byte, long int) {
		l, err := parse(packer().EncodeAll(text, nil))
		if err != nil {
			return
		}
		if l.Exchange != nil && long%4 == 1 { // as it is written in parts
			l.Exchange.Chunks = append(l.Exchange.Chunks, chunk{1, bytes.Repeat([]byte("a"), longLine)})
		}
		frame, err := packed(l)
		if err != nil {
			t.Fatal(err)
		}
		between := bytes.NewReader(append(append(bytes.Clone(frame), frame...), frame[:len(frame)/2]...))
		lines := bufio.NewReader(between)
		for range 2 {
			got, err := readFrame(lines)
			if err != nil || !bytes.Equal(got, frame) {
				t.Fatalf("%d of %d bytes are read: %v", len(got), len(frame), err)
			}
			again, err := parse(got)
			if err != nil {
				t.Fatal(err)
			}
			was, _ := json.Marshal(l)
			is, _ := json.Marshal(again)
			if diff := cmp.Diff(string(was), string(is)); diff != "" {
				t.Error(diff)
			}
		}
		if _, err := readFrame(lines); err == nil || err == io.EOF {
			t.Errorf("half of a line is read: %v", err)
		}
	})
}
