package arbitrary

import (
	"encoding/json"
	"errors"
)

// ErrEnough is what the function of [Source.Minimise] returns where nothing more may be tried.
var ErrEnough = errors.New("nothing more may be tried")

// Minimise returns the smallest value found of which a property holds, beginning with one of which it does: no value
// that is one step smaller and allowed has the property, or the bounds ended the search. A step leaves out a part of
// the value or makes one smaller. No value is tried twice, and at most so many are; tried says how many were.
//
// The property may end the search with [ErrEnough]: what was found by then is returned. Any other error of it is
// returned with that as well.
func (s *Source) Minimise(
	from json.RawMessage, most int, holds func(json.RawMessage) (bool, error),
) (smallest json.RawMessage, tried int, err error) {
	now, err := decoded(from)
	if err != nil {
		return from, 0, &SchemaError{Problem: "has no value that can be made smaller: " + err.Error()}
	}
	smallest, known := from, map[string]bool{key(now): true}
	for {
		better := false
		for candidate := range s.smaller(now) {
			k := key(candidate)
			if known[k] || !before(k, key(now)) || !s.valid(candidate) {
				continue
			}
			if tried >= most {
				return smallest, tried, nil
			}
			known[k] = true
			text := Encoded(candidate)
			has, err := holds(text)
			if errors.Is(err, ErrEnough) {
				return smallest, tried, nil
			}
			tried++
			if err != nil {
				return smallest, tried, err
			}
			if has {
				now, smallest, better = candidate, text, true
				break
			}
		}
		if !better {
			return smallest, tried, nil
		}
	}
}
