package arbitrary

import (
	"encoding/json"
	"iter"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// key orders values: shorter ones before longer ones, and of equal length by their bytes. false comes before true.
func key(value any) string {
	switch x := value.(type) {
	case nil:
		return "n"
	case bool:
		if x {
			return "tt"
		}
		return "f"
	case []any:
		parts := make([]string, len(x))
		for i, item := range x {
			parts[i] = key(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(x)) {
			parts = append(parts, name+":"+key(x[name]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return string(Encoded(value))
}

// before reports whether a value is smaller than another, by their keys. No chain of smaller ones goes on for ever.
func before(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// smaller are values that are like a value and have less in them, what leaves out the most first. Some may not be
// smaller by [key], or not be allowed.
func (s *Source) smaller(value any) iter.Seq[any] {
	return func(yield func(any) bool) {
		switch x := value.(type) {
		case map[string]any:
			s.smallerObject(x, yield)
		case []any:
			s.smallerList(x, yield)
		default:
			for _, other := range slices.Concat(s.listed, scalars(value)) {
				if !yield(other) {
					return
				}
			}
		}
	}
}

// smallerObject leaves members out, all, halves and single ones, and then makes each smaller.
func (s *Source) smallerObject(x map[string]any, yield func(any) bool) {
	names := slices.Sorted(maps.Keys(x))
	for part := range parts(len(names)) {
		rest := map[string]any{}
		for i, name := range names {
			if i < part[0] || i >= part[1] {
				rest[name] = x[name]
			}
		}
		if !yield(rest) {
			return
		}
	}
	for _, name := range names {
		for member := range s.smaller(x[name]) {
			changed := maps.Clone(x)
			changed[name] = member
			if !yield(changed) {
				return
			}
		}
	}
}

// smallerList does the same with items.
func (s *Source) smallerList(x []any, yield func(any) bool) {
	for part := range parts(len(x)) {
		// An empty list is none that is nil, which would be null.
		if !yield(append(append([]any{}, x[:part[0]]...), x[part[1]:]...)) {
			return
		}
	}
	for i := range x {
		for item := range s.smaller(x[i]) {
			changed := slices.Clone(x)
			changed[i] = item
			if !yield(changed) {
				return
			}
		}
	}
}

// parts are runs of so many things from one to another, excluded: all, the halves, the quarters, and so on to single
// ones.
func parts(n int) iter.Seq[[2]int] {
	return func(yield func([2]int) bool) {
		for size := n; size >= 1; size /= 2 {
			for from := 0; from < n; from += size {
				if !yield([2]int{from, min(from+size, n)}) {
					return
				}
			}
		}
	}
}

// scalars are what a text, a number or a truth value may become.
func scalars(value any) (list []any) {
	switch x := value.(type) {
	case bool:
		return []any{false}
	case json.Number:
		return numbers(x)
	case string:
		return texts(x)
	}
	return nil
}

// numbers come nearer to 0: 0 itself, what lies half of the way, and so on to the next whole one.
func numbers(x json.Number) (list []any) {
	value, err := x.Float64()
	if err != nil || math.IsInf(value, 0) {
		return []any{json.Number("0")}
	}
	add := func(y float64) { list = append(list, json.Number(strconv.FormatFloat(y, 'f', -1, 64))) }
	add(0)
	add(math.Abs(value))
	add(math.Trunc(value))
	add(math.Round(10*value) / 10)
	for off := math.Trunc(value / 2); off != 0; off = math.Trunc(off / 2) {
		add(math.Trunc(value) - off)
	}
	return list
}

// mostLetters is how many parts and characters of a text are looked at one by one; chosen.
const mostLetters = 64

// texts are shorter, or have plainer characters.
func texts(x string) (list []any) {
	letters := []rune(x)
	for part := range parts(len(letters)) {
		if part[1]-part[0] < len(letters)/mostLetters {
			break
		}
		list = append(list, string(slices.Concat(letters[:part[0]], letters[part[1]:])))
	}
	for _, plain := range []rune{'0', 'a'} {
		list = append(list, strings.Repeat(string(plain), len(letters)))
		for i := range letters[:min(len(letters), mostLetters)] {
			if letters[i] != plain {
				changed := slices.Clone(letters)
				changed[i] = plain
				list = append(list, string(changed))
			}
		}
	}
	return list
}
