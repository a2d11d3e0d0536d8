package trial

import (
	"bytes"

	"github.com/tribunal-dev/tribunal/internal/jsonlex"
)

// scanner goes over one JSON text, which is UTF-8, in place and without a copy. It is sure of what it accepts; of what
// it does not accept, some is valid JSON too: names with escapes, and objects and lists that are larger than most.
type scanner struct {
	jsonlex.Cursor
	fresh bool      // a list or an object was opened, and nothing of it was read
	open  []members // the objects that are open, the outermost first
	names [][]byte  // of their members
	shape shape     // of the texts before, which the next mostly has too
}

// shape are the names of the outermost object, each as `"name":`, in the order of the text before.
type shape struct {
	text     []byte
	ends     []int // of the names in it
	followed int   // how many of them this text had so far, and no others
}

// members are those of an open object that were read so far.
type members struct {
	first int    // where its names begin
	seen  uint64 // a bit for each name; different names may share one
}

// How deep values nest, and how many members an object has, whose names are compared with each other, at most for the
// scanner. Both numbers are chosen: what goes beyond them is rare, and read by jsontext.
const (
	mostDepth   = 64
	mostMembers = 64
)

// reset begins a text.
func (s *scanner) reset(text []byte) {
	s.Cursor, s.fresh = jsonlex.Cursor{Text: text}, true
	s.open, s.names = s.open[:0], s.names[:0]
	s.shape.followed = 0
}

// enter goes past the start of an object or a list.
func (s *scanner) enter() {
	if s.Text[s.At] == '{' {
		s.open = append(s.open, members{first: len(s.names)})
	}
	s.At++
	s.fresh = true
}

// more goes to the next member of an object, or value of a list, or past the end of it.
func (s *scanner) more(end byte) (more, ok bool) {
	c := s.Next()
	switch {
	case c == end:
		if end == '}' {
			last := len(s.open) - 1
			s.names = s.names[:s.open[last].first]
			s.open = s.open[:last]
		}
		s.At++
		s.fresh = false
		return false, true
	case s.fresh:
		return true, c != 0
	case c != ',':
		return false, false
	}
	s.At++
	c = s.Next()
	return true, c != 0 && c != end
}

// name goes past the name of a member and its colon. It is not ok if the object has that name already.
func (s *scanner) name() (name []byte, ok bool) {
	outermost := len(s.open) == 1
	if outermost {
		if name := s.shape.next(); name != nil && bytes.HasPrefix(s.Text[s.At:], name) {
			s.At += len(name)
			s.shape.followed++
			return name[1 : len(name)-2], true
		}
		s.depart()
	}
	if s.Next() != '"' {
		return nil, false
	}
	start := s.At + 1
	escaped, ok := s.Quoted()
	// That two names with escapes are the same is not seen here.
	if !ok || escaped {
		return nil, false
	}
	name = s.Text[start : s.At-1]
	if !s.isNew(name) || s.Next() != ':' {
		return nil, false
	}
	s.At++
	if outermost {
		s.shape.add(name)
	}
	return name, true
}

// following goes past a comma and the name of the next member of the outermost object, where they stand as in the text
// before, without a space; nil is a member that does not, or none.
func (s *scanner) following() []byte {
	if s.fresh || len(s.open) != 1 || s.At == len(s.Text) || s.Text[s.At] != ',' {
		return nil
	}
	name := s.shape.next()
	if name == nil || !bytes.HasPrefix(s.Text[s.At+1:], name) {
		return nil
	}
	s.At += 1 + len(name)
	s.shape.followed++
	return name[1 : len(name)-2]
}

// next is the name that comes next if the text is like the one before; nil is none.
func (h *shape) next() []byte {
	if h.followed == len(h.ends) {
		return nil
	}
	start := 0
	if h.followed > 0 {
		start = h.ends[h.followed-1]
	}
	return h.text[start:h.ends[h.followed]]
}

// add adds a name behind those that were followed.
func (h *shape) add(name []byte) {
	h.text = append(append(append(h.text, '"'), name...), '"', ':')
	h.ends = append(h.ends, len(h.text))
	h.followed++
}

// depart leaves the shape where the text does, and notes the names that were taken from it.
func (s *scanner) depart() {
	h := &s.shape
	if len(s.names) == 0 {
		start := 0
		for _, end := range h.ends[:h.followed] {
			s.isNew(h.text[start+1 : end-2])
			start = end
		}
		h.text, h.ends = h.text[:start], h.ends[:h.followed]
	}
}

// isNew reports whether the open object has no member of the name yet, and notes it.
func (s *scanner) isNew(name []byte) bool {
	object := &s.open[len(s.open)-1]
	before := s.names[object.first:]
	bit := uint64(1) << (len(name) & 63)
	if len(name) > 0 {
		bit = 1 << ((uint(len(name)) + 5*uint(name[0]) + 11*uint(name[len(name)-1])) & 63)
	}
	if object.seen&bit != 0 {
		for _, other := range before {
			if string(other) == string(name) {
				return false
			}
		}
	}
	object.seen |= bit
	s.names = append(s.names, name)
	return len(before) < mostMembers
}

// value goes past any value.
func (s *scanner) value(depth int) bool {
	ok := false
	if c := s.Next(); c == '{' || c == '[' {
		ok = depth < mostDepth && s.values(c+2, depth+1) // '}' and ']' are two after
	} else {
		ok = s.Scalar()
	}
	s.fresh = false
	return ok
}

// values goes past an object or a list.
func (s *scanner) values(end byte, depth int) bool {
	s.enter()
	for {
		more, ok := s.more(end)
		if !more || !ok {
			return ok
		}
		if end == '}' {
			if _, ok := s.name(); !ok {
				return false
			}
		}
		if !s.value(depth) {
			return false
		}
	}
}
