package trial

import "hash/maphash"

// interner returns one string for equal texts that come again and again, such as
// the names of scenarios and tools. It holds a fixed number of short strings, so
// that a stream in which every name is new costs no more than the names.
type interner struct {
	seed  maphash.Seed
	slots [1 << 11]string
}

const longestInterned = 128

// newInterner returns an interner that holds nothing. Its slots are chosen by a random
// seed, so that nobody can write a recording whose names all meet in one.
func newInterner() *interner { return &interner{seed: maphash.MakeSeed()} }

// text returns the text as a string: the one it holds, if that is equal, or a new one,
// which it then holds. A nil interner holds nothing.
func (n *interner) text(b []byte) string {
	if n == nil || len(b) == 0 || len(b) > longestInterned {
		return string(b)
	}
	slot := &n.slots[maphash.Bytes(n.seed, b)%uint64(len(n.slots))]
	if *slot != string(b) {
		*slot = string(b)
	}
	return *slot
}
