package sample

import "slices"

// Strata are many strata whose values stand one after the other, so that a million of a value a side take no more than
// their values and two small numbers each. They are filled side by side: each value is announced by Expect, Begin
// makes room, and Add takes the values in the same order.
type Strata struct {
	values [2][]float64
	ends   [2][]uint32 // of each stratum, among the values of a side
}

// NewStrata returns so many strata without values.
func NewStrata(n int) *Strata {
	return &Strata{ends: [2][]uint32{make([]uint32, n), make([]uint32, n)}}
}

// Clear takes all values out. The memory is used again.
func (s *Strata) Clear() {
	for side := range s.ends {
		clear(s.ends[side])
		s.values[side] = s.values[side][:0]
	}
}

// Expect announces a value of a side, 0 the baseline's and 1 the candidate's, in a stratum.
func (s *Strata) Expect(side, stratum int) { s.ends[side][stratum]++ }

// Begin makes room for what was announced of a side.
func (s *Strata) Begin(side int) {
	all := uint32(0)
	for i, n := range s.ends[side] {
		s.ends[side][i] = all // where the stratum begins, and ends once it is filled
		all += n
	}
	s.values[side] = slices.Grow(s.values[side][:0], int(all))[:all]
}

// Add adds a value.
func (s *Strata) Add(side, stratum int, x float64) {
	at := &s.ends[side][stratum]
	s.values[side][*at] = x
	*at++
}

// Len returns the number of strata.
func (s *Strata) Len() int { return len(s.ends[0]) }

// At returns a stratum. It is not a copy.
func (s *Strata) At(i int) Stratum { return Stratum{s.of(0, i), s.of(1, i)} }

func (s *Strata) of(side, i int) []float64 {
	from := uint32(0)
	if i > 0 {
		from = s.ends[side][i-1]
	}
	return s.values[side][from:s.ends[side][i]]
}

// view is a choice of strata, of either form.
type view struct {
	list   []Stratum
	packed *Strata  // in place of list
	places []uint32 // of those that are chosen; nil are all
}

func (v view) len() int {
	switch {
	case v.places != nil:
		return len(v.places)
	case v.packed != nil:
		return v.packed.Len()
	}
	return len(v.list)
}

func (v view) at(i int) Stratum {
	if v.places != nil {
		i = int(v.places[i])
	}
	if v.packed != nil {
		return v.packed.At(i)
	}
	return v.list[i]
}

// where chooses among all strata those of which chosen says so. Of as many as there are it is all of them, and takes no
// memory.
func (v view) where(chosen func(Stratum) bool) view {
	n := 0
	for i := range v.len() {
		if chosen(v.at(i)) {
			n++
		}
	}
	if n == v.len() {
		return v
	}
	v.places = make([]uint32, 0, n)
	all := v
	all.places = nil
	for i := range all.len() {
		if chosen(all.at(i)) {
			v.places = append(v.places, uint32(i))
		}
	}
	return v
}
