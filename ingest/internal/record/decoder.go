package record

import (
	"bufio"
	"io"
)

// Decoder is how a format is told from others, and read.
type Decoder struct {
	// Shows reports whether a file that begins so is of the format. It is nil for formats
	// that are told by other means than the members of JSON objects.
	Shows func(*Shape) bool

	// Read reads a file from its beginning, and hands out its trials.
	Read func(*Input) error

	// IDs hands out the ids of the runs in a file, and maybe more, before it is read. It is
	// nil for formats that have all records of a run in one file.
	IDs func(text io.Reader, found func(id string)) error

	// Ends looks through a file of lines, of which each has that many bytes at most, before it is read. It is nil
	// for formats that have all records of a run together.
	Ends func(text *bufio.Reader, longest int) (*Ends, error)

	// Results reports that the files are results of trials, of which other recordings lie
	// beside or below them.
	Results bool

	// Empty says of a file that was read to its end in vain what it is or does, such as
	// "holds no testcase", and Hint why that may be. Where Empty is "" it holds no trials.
	Empty, Hint string
}
