package trial

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Series is a number of each of several trials, in their order, as far as it is known.
//
// Its text form is compact: numbers with a space between them, - for one that is not
// known, and 5*12 for twelve fives in a row. Numbers are as short as they can be and
// lose nothing.
type Series []Optional[float64]

// maxSeries is the most numbers that a text may stand for.
const maxSeries = 1 << 20

// MarshalText writes the compact form. NaN and the infinities are refused.
func (s Series) MarshalText() ([]byte, error) {
	var text []byte
	for from := 0; from < len(s); {
		to := from + 1
		for to < len(s) && same(s[to], s[from]) {
			to++
		}
		if from > 0 {
			text = append(text, ' ')
		}
		switch x := s[from]; {
		case !x.Known:
			text = append(text, '-')
		case math.IsNaN(x.Value) || math.IsInf(x.Value, 0):
			return nil, fmt.Errorf("\"%v\" is no number that a series can hold", x.Value)
		default:
			text = strconv.AppendFloat(text, x.Value, 'g', -1, 64)
		}
		if to > from+1 {
			text = strconv.AppendInt(append(text, '*'), int64(to-from), 10)
		}
		from = to
	}
	return text, nil
}

// same tells 0 from -0, which are written apart.
func same(a, b Optional[float64]) bool {
	return a.Known == b.Known && (!a.Known || math.Float64bits(a.Value) == math.Float64bits(b.Value))
}

// UnmarshalText reads the compact form, of at most 1,048,576 numbers. It returns a
// error.
func (s *Series) UnmarshalText(text []byte) error {
	*s = nil
	for word := range strings.FieldsSeq(string(text)) {
		value, times, repeated := strings.Cut(word, "*")
		n := 1
		if repeated {
			var err error
			if n, err = strconv.Atoi(times); err != nil || n < 2 {
				return fmt.Errorf("%q is repeated how often?", word)
			}
		}
		if n > maxSeries-len(*s) {
			return fmt.Errorf("%q makes more than %d numbers", word, maxSeries)
		}
		var x Optional[float64]
		if value != "-" {
			number, err := strconv.ParseFloat(value, 64)
			if err != nil || math.IsNaN(number) || math.IsInf(number, 0) {
				return fmt.Errorf("%q is no number", word)
			}
			x = Some(number)
		}
		for range n {
			*s = append(*s, x)
		}
	}
	return nil
}

// Anything returns the series, or nil where it knows no number.
func (s Series) Anything() Series {
	for _, x := range s {
		if x.Known {
			return s
		}
	}
	return nil
}

// Whole returns a number of the series that counts something or stands for a place:
// one from 0 to most. False is any other, and one that is not known.
func (s Series) Whole(i, most int) (n int, ok bool) {
	if i < 0 || i >= len(s) || !s[i].Known {
		return 0, false
	}
	x := s[i].Value
	if !(x >= 0 && x <= float64(most)) || x != math.Trunc(x) {
		return 0, false
	}
	return int(x), true
}
