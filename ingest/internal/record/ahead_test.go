package record

import (
	"errors"
	"io"
	"slices"
	"testing"
)

// Values are prepared once each and used in their order, up to the first error of any side.
func TestAhead(t *testing.T) {
	const atOnce = 256
	broken, spoilt := errors.New("broken"), errors.New("spoilt")
	for name, c := range map[string]struct {
		values   int // that there are
		ends     error
		refused  int // the value that is not taken; -1 is none
		spoilt   int // the value that cannot be prepared
		used     int
		returned error
	}{
		"none":                    {0, io.EOF, -1, -1, 0, nil},
		"one":                     {1, io.EOF, -1, -1, 1, nil},
		"a batch":                 {atOnce, io.EOF, -1, -1, atOnce, nil},
		"many":                    {10*atOnce + 7, io.EOF, -1, -1, 10*atOnce + 7, nil},
		"an error follows values": {atOnce + 3, broken, -1, -1, atOnce + 3, broken},
		"one is refused":          {10 * atOnce, io.EOF, atOnce + 5, -1, atOnce + 5, broken},
		"one cannot be prepared":  {10 * atOnce, io.EOF, -1, 3*atOnce + 1, 3*atOnce + 1, spoilt},
		"refused before that":     {10 * atOnce, io.EOF, 5, 7, 5, broken},
		"an error before that":    {6, io.ErrUnexpectedEOF, -1, 7, 6, io.ErrUnexpectedEOF},
		"one before an error":     {2, io.ErrUnexpectedEOF, 1, -1, 1, broken},
	} {
		t.Run(name, func(t *testing.T) {
			made, used := 0, []int(nil)
			err := Ahead(atOnce, func(x *int) error {
				if made == c.values {
					return c.ends
				}
				*x = -made
				made++
				return nil
			}, func(x *int) error {
				*x = -*x
				if *x == c.spoilt {
					return spoilt
				}
				return nil
			}, func(x *int) error {
				if *x == c.refused {
					return broken
				}
				used = append(used, *x)
				return nil
			})
			want := make([]int, c.used)
			for i := range want {
				want[i] = i
			}
			if err != c.returned || !slices.Equal(used, want) {
				t.Errorf("%d values are used, then %v; want %d, %v", len(used), err, c.used, c.returned)
			}
		})
	}
}
