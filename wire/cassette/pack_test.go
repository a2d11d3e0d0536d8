package cassette_test

import (
	"testing"

	"github.com/klauspost/compress/zstd"
)

// pack makes a frame of a line, by the library alone.
func pack(text string) string {
	w, _ := zstd.NewWriter(nil)
	return string(w.EncodeAll([]byte(text), nil))
}

// unpack reads all frames of a file, by the library alone.
func unpack(t *testing.T, packed []byte) []byte {
	t.Helper()
	r, _ := zstd.NewReader(nil)
	defer r.Close()
	text, err := r.DecodeAll(packed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
