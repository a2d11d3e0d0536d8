package trial

import (
	"math"

	"github.com/tribunal-dev/tribunal/internal/argument"
)

// Options says how a stream of trials is read. The zero value reads everything,
// with lines of up to [DefaultMaxLineBytes].
type Options struct {
	File         string            // name for messages; "-" is standard input
	PassScore    Optional[float64] // a trial without an outcome passes iff its score is at least this
	Scenario     string            // of trials that name none; "" makes that an error
	Unjudged     bool              // admit trials that nothing tells the outcome of
	MaxLineBytes int               // a longer line is an error; 0 is [DefaultMaxLineBytes]
	Fields       Fields            // what is kept of a trial; 0 is everything
	Workers      int               // goroutines that decode; 0 is one a processor
}

// DefaultMaxLineBytes is the longest line, or JSON value, that is read unless
// the options say otherwise.
const DefaultMaxLineBytes = 64 << 20

// OptionError says which option cannot be used, and why.
type OptionError = argument.Error

// Validate returns an [OptionError] for a pass score that is not finite and for
// negative numbers.
func (o Options) Validate() error {
	switch {
	case o.PassScore.Known && (math.IsNaN(o.PassScore.Value) || math.IsInf(o.PassScore.Value, 0)):
		return &OptionError{Argument: "pass score", Value: o.PassScore.Value, Problem: "must be a finite number"}
	case o.MaxLineBytes < 0:
		return &OptionError{Argument: "maximum line length", Value: o.MaxLineBytes, Problem: "must not be negative"}
	case o.Workers < 0:
		return &OptionError{Argument: "number of workers", Value: o.Workers, Problem: "must not be negative"}
	}
	return nil
}

// maxLineBytes is the longest line that is read.
func (o Options) maxLineBytes() int {
	if o.MaxLineBytes > 0 {
		return o.MaxLineBytes
	}
	return DefaultMaxLineBytes
}

// Fields is a set of parts of a trial. A reader checks every part, and keeps
// those of the set; leaving a part out saves time and memory and never turns an
// error into a trial. The zero value stands for all parts.
type Fields uint8

// The parts of a trial. The basic fields are scenario, trial, variant, outcome, score,
// error, model, attempt and the numbers, and are always kept.
const (
	BasicFields   Fields = 1 << iota
	TimeField            // started_at
	StepFields           // steps, without their contents
	ContentFields        // arguments and output of steps, output of the trial
	InputField           // input
	TagFields            // tags
	UnknownFields        // fields that this package does not know
)

// keeps reports whether the set contains the part.
func (f Fields) keeps(part Fields) bool { return f == 0 || f&part != 0 }
