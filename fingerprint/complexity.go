package fingerprint

import "math/bits"

// complexityBytes is how much of an output is looked at: a phrase number then fits
// in 16 bits, and one huge output does not hold up a stream.
const complexityBytes = 1 << 16

// complexity counts the phrases of Ziv and Lempel's parsing of 1978 (IEEE
// Transactions on Information Theory 24:530), each the longest phrase seen before
// and one byte more.
type complexity struct {
	slots []slot // a hash table with open addressing; its size is a power of two
	round uint32 // slots of other rounds are empty
}

// slot says which longer phrase a phrase and a byte make.
type slot struct {
	key, round uint32 // phrase<<8 | byte
	longer     uint16
}

// begin empties a table for so many phrases at most.
func (c *complexity) begin(phrases int) (mask uint32) {
	size := 1 << bits.Len(uint(2*phrases))
	if len(c.slots) < size {
		c.slots, c.round = make([]slot, size), 0
	}
	if c.round++; c.round == 0 { // after 4 billion texts
		clear(c.slots)
		c.round = 1
	}
	return uint32(size - 1)
}

// find returns the slot of the key, or the empty one where it belongs.
func (c *complexity) find(key, mask uint32) *slot {
	const scatter = 0x9e3779b1 // Knuth's multiplicative hashing
	for at := (key * scatter) >> 7 & mask; ; at = (at + 1) & mask {
		if s := &c.slots[at]; s.round != c.round || s.key == key {
			return s
		}
	}
}

// perByte returns the number of phrases over the number of bytes, in (0, 1]: what a
// text compresses to, up to a slowly growing factor. It is 0 for an empty text.
// AgentAssay asks for "a normalized complexity score of the final output" without
// saying which; this one has no language and does not depend on a library's
// version.
func (c *complexity) perByte(text string) float64 {
	text = text[:min(len(text), complexityBytes)]
	if text == "" {
		return 0
	}
	mask := c.begin(len(text))
	phrases, phrase := 0, uint16(0)
	for i := range len(text) {
		key := uint32(phrase)<<8 | uint32(text[i])
		s := c.find(key, mask)
		if s.round == c.round {
			phrase = s.longer
			continue
		}
		phrases++
		*s = slot{key, c.round, uint16(phrases)}
		phrase = 0
	}
	if phrase != 0 {
		phrases++ // the text ends within a phrase seen before
	}
	return float64(phrases) / float64(len(text))
}
