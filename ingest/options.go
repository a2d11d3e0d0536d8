package ingest

import (
	"io"

	"github.com/tribunal-dev/tribunal/trial"
)

// Options says how a [Stream] is read. The zero value detects the format, reads
// everything, and admits one variant and no trial twice.
type Options struct {
	// Options are those of package trial. File names the input of [NewStream];
	// Fields and Workers serve the trials format.
	trial.Options

	From            Format    // of all files; [Auto] looks at the content of each
	Variant         string    // read the trials of this variant alone; "": there may be only one
	AllowDuplicates bool      // let a trial that is recorded twice count twice
	Stdin           io.Reader // read for the name "-"; nil is os.Stdin

	// Scorer is the scorer that judges, in formats where one trial has several: name,
	// or name.value for one of several values; "" is the only one.
	Scorer string

	// MaxDocumentBytes is the longest file of a format without lines, which is held
	// whole; 0 is [DefaultMaxDocumentBytes].
	MaxDocumentBytes int
}

// Validate returns a [trial.OptionError] for an option that cannot be used.
func (o Options) Validate() error {
	if o.From >= formatEnd {
		return &trial.OptionError{Option: "format", Value: o.From, Problem: "is not known"}
	}
	if o.MaxDocumentBytes < 0 {
		return &trial.OptionError{Option: "maximum document length", Value: o.MaxDocumentBytes, Problem: "must not be negative"}
	}
	return o.Options.Validate()
}

func (o Options) maxDocumentBytes() int {
	if o.MaxDocumentBytes > 0 {
		return o.MaxDocumentBytes
	}
	return DefaultMaxDocumentBytes
}

func (o Options) maxLineBytes() int {
	if o.MaxLineBytes > 0 {
		return o.MaxLineBytes
	}
	return trial.DefaultMaxLineBytes
}
