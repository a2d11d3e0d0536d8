package trial

import (
	"strconv"
	"strings"

	"github.com/tribunal-dev/tribunal/internal/prose"
)

// Place is where something stands in a file. Zero fields are unknown.
type Place struct {
	File   string // "-" is standard input
	Line   int    // from 1, of the decompressed text
	Column int    // from 1, in bytes
}

// String returns "file:line:column", without the parts that are unknown.
func (p Place) String() string {
	var parts []string
	file := prose.FileName(p.File)
	if file != "" {
		parts = append(parts, file)
	}
	for _, n := range []struct {
		name  string
		value int
	}{{"line ", p.Line}, {"column ", p.Column}} {
		switch {
		case n.value == 0:
			continue
		case file != "":
			parts = append(parts, strconv.Itoa(n.value))
		default:
			parts = append(parts, n.name+strconv.Itoa(n.value))
		}
	}
	if file == "" {
		return strings.Join(parts, ", ")
	}
	return strings.Join(parts, ":")
}

// place lets the reader complete the place of an error that embeds it.
func (p *Place) place() *Place { return p }
