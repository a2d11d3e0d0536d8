package design

import (
	"sync"

	"github.com/tribunal-dev/tribunal/sprt"
)

// A test framework asks for the same few designs again and again: what follows from a design alone is
// remembered of the last ones.
var (
	rememberedPoints memory[string, []Point] // by the digest of the design
	rememberedErrors memory[string, sprt.Errors]
	rememberedFixed  memory[sprt.Hypotheses, fixedSample]
)

// mostRemembered bounds a memory, to less than a megabyte; the number is chosen.
const mostRemembered = 256

// memory holds values by what they follow from, and forgets what came first.
type memory[K comparable, V any] struct {
	sync.Mutex
	known map[K]V
	order []K
}

// of returns what is known of a key, or else computes it.
func (m *memory[K, V]) of(key K, compute func() (V, error)) (V, error) {
	m.Lock()
	value, is := m.known[key]
	m.Unlock()
	if is {
		return value, nil
	}
	value, err := compute()
	if err == nil {
		m.add(key, value)
	}
	return value, err
}

func (m *memory[K, V]) add(key K, value V) {
	m.Lock()
	defer m.Unlock()
	if m.known == nil {
		m.known = map[K]V{}
	}
	if _, is := m.known[key]; !is {
		m.order = append(m.order, key)
	}
	m.known[key] = value
	if len(m.order) > mostRemembered {
		delete(m.known, m.order[0])
		m.order = m.order[1:]
	}
}

// Remember computes what judging takes from a design alone, so that it is there when the trials are.
func Remember(d sprt.Design) {
	if d.Boundaries.MaxTrials() == 0 || d.Kind == sprt.RecordingKind {
		return
	}
	// What cannot be computed is told when it is asked for.
	_, _ = Characteristics(d)
	_, _ = ErrorsOf(d, d.Digest())
	FixedSample(d.Hypotheses)
}

// ErrorsOf are the exact errors of a design with that digest, as [sprt.Design.Errors] computes them.
func ErrorsOf(d sprt.Design, digest string) (sprt.Errors, error) {
	return rememberedErrors.of(digest, d.Errors)
}

// fixedSample is what [sprt.Hypotheses.FixedSample] returns.
type fixedSample struct {
	design sprt.FixedDesign
	found  bool
}

// FixedSample is [sprt.Hypotheses.FixedSample], remembered.
func FixedSample(h sprt.Hypotheses) (sprt.FixedDesign, bool) {
	fixed, _ := rememberedFixed.of(h, func() (fixedSample, error) {
		d, found := h.FixedSample()
		return fixedSample{d, found}, nil
	})
	return fixed.design, fixed.found
}
