package process

// head keeps the beginning of what is written to it, and takes the rest without
// keeping it: a writer that is not read would hang.
type head struct {
	limit int
	slack int // kept beyond the limit, to see a secret that the limit cuts
	kept  []byte
	total int

	overflowed chan struct{} // closed beyond the limit; may be nil
}

func (h *head) Write(p []byte) (int, error) {
	if h.total <= h.limit && h.total+len(p) > h.limit && h.overflowed != nil {
		close(h.overflowed)
	}
	h.total += len(p)
	room := h.limit + h.slack - len(h.kept)
	h.kept = append(h.kept, p[:max(0, min(room, len(p)))]...)
	return len(p), nil
}

func (h *head) text(s secrets) (text []byte, truncated bool) {
	if h.total <= h.limit {
		return s.remove(h.kept), false
	}
	clean := s.remove(h.kept)
	// The last bytes may be the beginning of a secret whose end is gone.
	clean = clean[:max(0, len(clean)-h.slack)]
	return clean[:min(len(clean), h.limit)], true
}

// tail keeps the end of what is written to it.
type tail struct {
	limit int
	slack int // kept before the limit
	kept  []byte
	cut   bool
}

func (t *tail) Write(p []byte) (int, error) {
	t.kept = append(t.kept, p...)
	if most := t.limit + t.slack; len(t.kept) > 2*most {
		t.drop(len(t.kept) - most)
	}
	return len(p), nil
}

func (t *tail) drop(n int) {
	t.kept = t.kept[:copy(t.kept, t.kept[n:])]
	t.cut = true
}

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
