package fingerprint

// complexityBytes is how much of an output is looked at: a phrase number then fits
// in 16 bits, and one huge output does not hold up a stream.
const complexityBytes = 1 << 16

// complexity counts the phrases of Ziv and Lempel's parsing of 1978 (IEEE
// Transactions on Information Theory 24:530), each the longest phrase seen before
// and one byte more.
type complexity struct {
	next map[uint32]uint16 // phrase<<8 | byte -> longer phrase
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
	if c.next == nil {
		c.next = make(map[uint32]uint16)
	}
	clear(c.next)
	phrases, phrase := 0, uint16(0)
	for i := range len(text) {
		key := uint32(phrase)<<8 | uint32(text[i])
		if longer, ok := c.next[key]; ok {
			phrase = longer
			continue
		}
		phrases++
		c.next[key] = uint16(phrases)
		phrase = 0
	}
	if phrase != 0 {
		phrases++ // the text ends within a phrase seen before
	}
	return float64(phrases) / float64(len(text))
}
