package process

// head keeps the beginning of what is written to it, and takes the rest without
// keeping it: a writer that is not read would hang.
type head struct {
	// In bytes, of what text returns.
	limit int
	slack int // kept beyond the limit, to see a secret that the limit cuts
	// At most limit and slack together.
	kept []byte
	// Bytes that were written, kept or not.
	total int

	overflowed chan struct{} // closed beyond the limit; may be nil
}

// Write never fails and never refuses a byte: an error would end the copying, the pipe
// would fill up, and the program would hang.
func (h *head) Write(p []byte) (int, error) {
	// Only the write that crosses the limit closes the channel: a second close would panic.
	if h.total <= h.limit && h.total+len(p) > h.limit && h.overflowed != nil {
		close(h.overflowed)
	}
	h.total += len(p)
	room := h.limit + h.slack - len(h.kept)
	h.kept = append(h.kept, p[:max(0, min(room, len(p)))]...)
	return len(p), nil
}

// text returns what was kept, without the secrets and within the limit, and whether
// something is missing.
func (h *head) text(s secrets) (text []byte, truncated bool) {
	if h.total <= h.limit {
		return s.remove(h.kept), false
	}
	clean := s.remove(h.kept)
	// The last bytes may be the beginning of a secret whose end is gone. Slack is the
	// length of the longest form of a secret, so no more than that can be open.
	clean = clean[:max(0, len(clean)-h.slack)]
	return clean[:min(len(clean), h.limit)], true
}

// tail keeps the end of what is written to it. The end is what matters of a standard error:
// it is there that a program says why it failed.
type tail struct {
	limit int
	slack int // kept before the limit
	kept  []byte
	// Something was dropped before what is kept.
	cut bool
}

// Write drops the beginning only when twice as much is kept as has to be: moving the bytes
// at every write would take time in the square of the output.
func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if most := t.limit + t.slack; len(t.kept) > 2*most {
		t.drop(len(t.kept) - most)
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
