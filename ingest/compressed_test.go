package ingest

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// bzipped is "scenario,outcome\na,pass\n", as bzip2 1.0.8 compresses it.
const bzipped = "425a683931415926535911d8c79a00000a5180001000042a23de002000228321e4f54100002294c272531320b08cfbbf17724538509011d8c79a"

func TestCompressedRecordings(t *testing.T) {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	const text = "scenario,outcome\na,pass\n"
	bz, err := hex.DecodeString(bzipped)
	if err != nil {
		t.Fatal(err)
	}
	zst := string(w.EncodeAll([]byte(text), nil))
	for name, content := range map[string]string{"a.csv.zst": zst, "a.csv.bz2": string(bz), "a.csv.gz": zipped(t, text)} {
		path := file(t, name, content)
		checkWritten(t, Open([]string{path}, Options{}), `2 {"scenario":"a","outcome":"pass"}`)
		if format, err := Detect([]byte(content)); format != "csv" || err != nil {
			t.Errorf("%s: %s, %v", name, format, err)
		}
		if found, err := ListFolder(t.Context(), put(t, map[string]string{name: content}), Auto); err != nil ||
			len(found.Files) != 1 {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
	for content, want := range map[string]string{
		zst[:len(zst)-3]: " is a zstd file that is cut off; was the copy or the program that wrote " +
			"it stopped?",
		zst[:len(zst)-1] + "x": " is a damaged zstd file: ",
		string(bz[:30]): " is a bzip2 file that is cut off; was the copy or the program that wrote " +
			"it stopped?",
		"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4F\x02": " is compressed with xz; xz unpacks it: xz -dc FILE | ... -, or compress " +
			"it with gzip or bzip2",
		"\x04\x22\x4d\x18\x64\x40\xa7":        " is compressed with lz4; lz4 unpacks it: lz4 -dc FILE",
		strings.Repeat("\x00", 257) + "ustar": " is a tar archive; unpack it with tar -xf, and name the folder",
		"PAR1\x15\x00\x15":                    " is a Parquet file; save its table as JSON lines or CSV",
	} {
		path := file(t, "f", content)
		if _, err := written(Open([]string{path}, Options{})); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%q: got %v, want %s", content[:4], err, want)
		}
	}
}

// What tribunal and git keep in a folder is none of its recordings.
func TestFoldersWhoseNamesBeginWithAPoint(t *testing.T) {
	folder := put(t, map[string]string{"a.csv": "scenario,outcome\n", ".tribunal/b.csv": "scenario,outcome\n",
		"c/.d.csv": "scenario,outcome\n"})
	found, err := ListFolder(t.Context(), folder, Auto)
	if err != nil || len(found.Files) != 2 || found.Other != 0 {
		t.Error(found, err)
	}
}
