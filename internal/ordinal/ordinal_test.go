package ordinal

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Keys have the places that a search in a list gives them, in whatever order they come.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var keys Keys[string]
		var list []string
		for _, key := range rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "b", "c", "d"})).Draw(t, "keys") {
			want := slices.Index(list, key)
			isNew := want < 0
			if isNew {
				want = len(list)
				list = append(list, key)
			}
			if place, added := keys.Place(key); place != want || added != isNew {
				t.Fatalf("the place of %q is %d, new %v; want %d, %v", key, place, added, want, isNew)
			}
		}
		if !slices.Equal(keys.List(), list) {
			t.Fatalf("the keys are %q, want %q", keys.List(), list)
		}
	})
}
