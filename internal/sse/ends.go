package sse

// Ends finds where the events of a stream end that comes in parts: with a line without a text. A line ends with a
// newline, a carriage return, or both. The zero value stands at the beginning of a stream.
//
// Of both behind an event, the newline is of what follows: whether it comes is not known when the event has ended.
type Ends struct {
	text bool // something stands in the line
	cr   bool // the last byte ended a line, and a newline behind it is of that end
}

// Next returns how many bytes of a part are of the event, and whether it ends with them.
func (e *Ends) Next(part []byte) (n int, ended bool) {
	for i, b := range part {
		switch {
		case b == '\n' && e.cr:
			e.cr = false
		case b == '\n', b == '\r':
			e.cr = b == '\r'
			if !e.text {
				return i + 1, true
			}
			e.text = false
		default:
			e.cr, e.text = false, true
		}
	}
	return len(part), false
}
