package change

import (
	"encoding/json"
	"math"
	"slices"
)

// Values are told apart by sign, exponent and the first bits of the mantissa: 64 classes for each power of two.
const (
	mantissaBits  = 6
	smallestValue = 1e-9
	largestValue  = 1e15
)

// class returns the class of a finite value: the larger the value, the larger or equal the class.
func class(x float64) int32 {
	size := math.Abs(x)
	if size < smallestValue {
		return 0
	}
	size = min(size, largestValue)
	first := math.Float64bits(smallestValue) >> (52 - mantissaBits)
	c := int32(math.Float64bits(size)>>(52-mantissaBits)-first) + 1
	if x < 0 {
		return -c
	}
	return c
}

// ranks counts values by class.
type ranks struct {
	classes []int32 // rising
	counts  []int64 // of each class, above 0
	count   int64   // of all
}

// add takes a value in.
func (r *ranks) add(x float64) {
	c := class(x)
	i, found := slices.BinarySearch(r.classes, c)
	if !found {
		r.classes = slices.Insert(r.classes, i, c)
		r.counts = slices.Insert(r.counts, i, 0)
	}
	r.counts[i]++
	r.count++
}

// above returns how many values are in higher classes than that of x, and how many in the same.
func (r *ranks) above(x float64) (above, equal int64) {
	i, found := slices.BinarySearch(r.classes, class(x))
	if found {
		equal = r.counts[i]
		i++
	}
	for _, n := range r.counts[i:] {
		above += n
	}
	return above, equal
}

// ranksState is what the counts are stored as.
type ranksState struct {
	Classes []int32 `json:"classes"`
	Counts  []int64 `json:"counts"`
}

// MarshalJSON writes classes and counts.
func (r ranks) MarshalJSON() ([]byte, error) {
	return json.Marshal(ranksState{append([]int32{}, r.classes...), append([]int64{}, r.counts...)})
}

// UnmarshalJSON reads what MarshalJSON wrote, and refuses what it cannot have written.
func (r *ranks) UnmarshalJSON(text []byte) error {
	var s ranksState
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	read := ranks{classes: s.Classes, counts: s.Counts}
	if len(s.Classes) != len(s.Counts) {
		return errState
	}
	most := class(largestValue)
	for i, c := range s.Classes {
		if c < -most || c > most || i > 0 && c <= s.Classes[i-1] {
			return errState
		}
		if s.Counts[i] < 1 || s.Counts[i] > 1<<53-read.count {
			return errState
		}
		read.count += s.Counts[i]
	}
	*r = read
	return nil
}
