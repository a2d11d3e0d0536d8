package store_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Lines are kept in their order, each written where all that came before was seen.
func TestALedgerOfLooks(t *testing.T) {
	onEach(t, func(t *testing.T, name string) {
		s, other := open(t, name), open(t, name)
		const writers = 6
		var all sync.WaitGroup
		for i := range writers {
			in := s
			if i%2 == 1 {
				in = other
			}
			all.Go(func() {
				if err := in.Looks(t.Context(), func(text []byte) ([]byte, error) {
					return fmt.Appendf(nil, "line %d", strings.Count(string(text), "\n")), nil
				}); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var have string
		if err := s.Looks(t.Context(), func(text []byte) ([]byte, error) {
			have = string(text)
			return nil, nil
		}); err != nil {
			t.Fatal(err)
		}
		want := ""
		for i := range writers {
			want += fmt.Sprintf("line %d\n", i)
		}
		if have != want {
			t.Errorf("lines %q, want %q", have, want)
		}
	})
}
