package align_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tribunal-dev/tribunal/internal/align"
)

// What both lists have stands in one row; what only one has, alone.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want [][2]int
	}{
		{"", "", nil},
		{"ab", "ab", [][2]int{{0, 0}, {1, 1}}},
		{"abc", "ac", [][2]int{{0, 0}, {1, -1}, {2, 1}}},
		{"ac", "abc", [][2]int{{0, 0}, {-1, 1}, {1, 2}}},
		{"a", "b", [][2]int{{0, -1}, {-1, 0}}},
	} {
		got := align.Rows(len(c.a), len(c.b), func(i, j int) bool { return c.a[i] == c.b[j] })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s, %s: %s", c.a, c.b, diff)
		}
	}
}
