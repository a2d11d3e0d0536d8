package outfile

import "io"

// CutMark ends an output that breaks off, so that nobody takes it for a whole one: it is
// the beginning of a line that no reader of trials accepts. A pipe into a judging command
// would otherwise give a verdict on the trials that came through.
const CutMark = `{"cut off`

// StartedWriter knows whether anything was written. Nothing has to be marked as cut off
// where nothing was written.
type StartedWriter struct {
	W       io.Writer
	Started bool
}

// Write writes, and remembers that it did.
func (s *StartedWriter) Write(b []byte) (int, error) {
	s.Started = s.Started || len(b) > 0
	return s.W.Write(b)
}
