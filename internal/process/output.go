package process

import "errors"

// errOverflow ends the reading of a stream that may never end.
var errOverflow = errors.New("more than is read")

// head keeps the beginning of what is written to it, and takes more without
// keeping it: a program whose writes nobody reads would hang.
type head struct {
	// In bytes, of what text returns.
	limit int
	slack int // kept beyond the limit, to see a secret that the limit cuts
	// At most limit and slack together.
	kept []byte
	// Bytes that were written, kept or not.
	total    int64
	most     int64  // bytes that are taken; not below the limit
	overflow func() // called beyond that
}

// Write fails once more was written than is taken: that ends the copying, and closes the pipe.
func (h *head) Write(p []byte) (int, error) {
	h.total += int64(len(p))
	room := int64(h.limit) + int64(h.slack) - int64(len(h.kept))
	h.kept = append(h.kept, p[:max(0, min(room, int64(len(p))))]...)
	if h.total > h.most {
		h.overflow()
		return 0, errOverflow
	}
	return len(p), nil
}

// text returns what was kept, within the limit, and whether something is missing. It does not end within a
// secret: nobody would find the beginning of one later.
func (h *head) text(s secrets) (text []byte, truncated bool) {
	if h.total <= int64(h.limit) {
		return h.kept, false
	}
	return h.kept[:s.Cut(h.kept, h.limit)], true
}

// tail keeps the end of what is written to it. The end is what matters of a standard error:
// it is there that a program says why it failed.
type tail struct {
	limit int
	slack int // kept before the limit
	kept  []byte
	// Something was dropped before what is kept.
	cut      bool
	total    int64  // bytes that were written, kept or not
	most     int64  // bytes that are taken
	overflow func() // called beyond that
}

// Write drops the beginning only when twice as much is kept as has to be: moving the bytes
// at every write would take time in the square of the output. It fails as that of head does.
func (t *tail) Write(p []byte) (int, error) {
	t.total += int64(len(p))
	t.kept = append(t.kept, p...)
	if most := t.limit + t.slack; len(t.kept) > 2*most {
		t.drop(len(t.kept) - most)
	}
	if t.total > t.most {
		t.overflow()
		return 0, errOverflow
	}
	return len(p), nil
}

// drop forgets the first n bytes, and reuses their memory.
func (t *tail) drop(n int) {
	t.kept = t.kept[:copy(t.kept, t.kept[n:])]
	t.cut = true
}

// text returns the end of what was written, without the secrets and within the limit.
func (t *tail) text(s secrets) []byte {
	if over := len(t.kept) - t.limit - t.slack; over > 0 {
		t.drop(over)
	}
	clean := s.remove(t.kept)
	if t.cut {
		// The first bytes may be the end of a secret whose beginning is gone.
		clean = clean[min(len(clean), t.slack):]
	}
	return clean[max(0, len(clean)-t.limit):]
}
