package ingest

import (
	"fmt"
	"slices"
	"strings"
)

// Format is a way of recording trials. The zero value, [Auto], stands for the
// one that the content shows.
type Format uint8

const (
	Auto      Format = iota
	Trials           // JSON lines, or a JSON array, of package trial
	CSV              // a header with the column scenario; commas, semicolons or tabs
	Lines            // one word a line: pass, fail, error, 1, 0, true or false
	JUnit            // JUnit XML
	GoTest           // go test -json
	formatEnd        // no format; their number
)

var formatNames = [formatEnd]string{Auto: "auto", Trials: "trials", CSV: "csv", Lines: "lines", JUnit: "junit", GoTest: "gotest"}

// String returns the name of the format, such as "junit".
func (f Format) String() string {
	if f < formatEnd {
		return formatNames[f]
	}
	return fmt.Sprintf("Format(%d)", uint8(f))
}

// ParseFormat returns the format of the name, and an error that lists the names
// for any other word.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames[:], strings.ToLower(name)); i >= 0 {
		return Format(i), nil
	}
	return Auto, fmt.Errorf("format %q is not known; the formats are %s", name, strings.Join(FormatNames(), ", "))
}

// FormatNames returns the names that [ParseFormat] knows, "auto" first.
func FormatNames() []string { return slices.Clone(formatNames[:]) }
