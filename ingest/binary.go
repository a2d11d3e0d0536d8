package ingest

import (
	"bytes"

	"github.com/tribunal-dev/tribunal/trial"
)

// binaries are files that are no text and may hold recordings, by what they have at a place.
var binaries = []struct {
	at                     int
	magic, problem, advice string
}{
	{0, "PK\x03\x04", "is a zip archive, and no log of Inspect", "unpack it with unzip, and name the folder"},
	{257, "ustar", "is a tar archive", "unpack it with tar -xf, and name the folder"},
	{0, "PAR1", "is a Parquet file", "save its table as JSON lines or CSV"},
	{0, "SQLite format 3\x00", "is a SQLite database", "save its table as JSON lines or CSV"},
}

// binaryError says what a file is that is no text.
func binaryError(prefix []byte) error {
	for _, b := range binaries {
		if len(prefix) > b.at && bytes.HasPrefix(prefix[b.at:], []byte(b.magic)) {
			return &trial.FileError{Problem: b.problem, Advice: b.advice}
		}
	}
	return &trial.FileError{
		Problem: "is a binary file",
		Advice:  "trials are read from text, or text compressed with gzip, zstd or bzip2",
	}
}
