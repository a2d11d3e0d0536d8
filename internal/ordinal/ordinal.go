// Package ordinal numbers keys in the order in which they first appear.
//
//	var scenarios ordinal.Keys[string]
//	place, isNew := scenarios.Place("refund")
//
// It is quick where keys come as trials do: one scenario after the other, or all of them in turn.
package ordinal

// Keys are different keys in the order of their first appearance. The zero value has none.
type Keys[K comparable] struct {
	list   []K
	places map[K]int
	last   int // the place that was asked for last
	step   int // from there to the next that is likely, 0 or 1
}

// Place returns the place of a key, from 0, and whether it is new and was put behind the others.
func (k *Keys[K]) Place(key K) (place int, isNew bool) {
	for range 2 {
		likely := k.last + k.step
		if likely >= len(k.list) {
			likely = 0
		}
		if likely < len(k.list) && k.list[likely] == key {
			k.last = likely
			return likely, false
		}
		k.step = 1 - k.step
	}
	place, known := k.places[key]
	if !known {
		if k.places == nil {
			k.places = map[K]int{}
		}
		place = len(k.list)
		k.places[key] = place
		k.list = append(k.list, key)
	}
	k.last = place
	return place, !known
}

// List are the keys by their places. It is not a copy.
func (k *Keys[K]) List() []K { return k.list }
