package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// Chain is a running hash over the lines of a journal: a line that was changed, left out, doubled or moved
// gives those after it another one.
//
// The value of a line is the beginning of the SHA-256 of the value before it, 16 bytes or none, and the bytes
// of the line, without its newline and without its member chain. That member is the last of the line and holds
// the value in hexadecimal digits. Journals of earlier versions have no such members; their lines have values
// all the same. Where a line has one, so has every line after it.
//
// The zero value is that before the first line.
type Chain struct {
	value  []byte
	lines  int
	linked bool // a line had its value
}

// chainBytes is how many bytes of a hash are kept.
const chainBytes = 16

// The member in which a line has its value, and what follows it.
const (
	chainOpens  = `,"chain":"`
	chainCloses = `"}`
)

// chainRoom is how many bytes a line has for its value and its newline, beyond its own.
const chainRoom = len(chainOpens) + 2*chainBytes + len(chainCloses)

// errChain says that a line does not follow on those before it.
var errChain = errors.New("does not follow on the lines before it: the journal was changed after it was written")

// Add takes in the next line. It returns [errChain], and takes in nothing, where the line has another value than
// the lines so far give it, or none although one before it had.
func (c *Chain) Add(line []byte) error {
	body, value := unchained(bytes.TrimSuffix(line, []byte{'\n'}))
	if value == nil {
		if c.linked || claimsChain(line) {
			return errChain
		}
		c.value = c.next(body)
		c.lines++
		return nil
	}
	next := c.next(body, []byte{'}'})
	if !bytes.Equal(value, next) {
		return errChain
	}
	c.value, c.linked = next, true
	c.lines++
	return nil
}

// claimsChain reports whether a line has a member chain that is not what a writer leaves.
func claimsChain(line []byte) bool {
	if !bytes.Contains(line, []byte(chainOpens)) {
		return false
	}
	l, err := ParseLine(line)
	return err == nil && l.Chain != ""
}

// next returns the value of a line that follows, given in parts.
func (c *Chain) next(body ...[]byte) []byte {
	h := sha256.New()
	h.Write(c.value)
	for _, part := range body {
		h.Write(part)
	}
	return h.Sum(nil)[:chainBytes]
}

// link takes in a line that has no value yet, and returns it with one. The line is a JSON object of one member at
// least, and is changed.
func (c *Chain) link(body []byte) []byte {
	c.value, c.linked = c.next(body), true
	c.lines++
	line := append(body[:len(body)-1], chainOpens...)
	line = hex.AppendEncode(line, c.value)
	return append(line, chainCloses...)
}

// unchained returns a line up to the member that has its value, and the value; all of the line and nil where it
// has none.
func unchained(line []byte) (body, value []byte) {
	const digits = 2 * chainBytes
	at := len(line) - len(chainOpens) - digits - len(chainCloses)
	if at < 0 {
		return line, nil
	}
	written, opened := bytes.CutPrefix(line[at:], []byte(chainOpens))
	written, closed := bytes.CutSuffix(written, []byte(chainCloses))
	if !opened || !closed || !bytes.Equal(written, bytes.ToLower(written)) {
		return line, nil // what stands there may be longer
	}
	value = make([]byte, chainBytes)
	if _, err := hex.Decode(value, written); err != nil {
		return line, nil
	}
	return line[:at], value
}

// Lines returns how many lines there are so far.
func (c *Chain) Lines() int { return c.lines }

// String returns the value of the last line, 32 hexadecimal digits; "" before the first.
func (c *Chain) String() string { return hex.EncodeToString(c.value) }
