package phrase_test

import (
	"slices"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/phrase"
)

// Reasons that differ in a number, however long, in the address of an object or in quoted output are one reason.
func TestReasonsThatAreAlike(t *testing.T) {
	for _, c := range []struct {
		one, other, text string // the text of the first; "" where they are two reasons
	}{
		{"<Job object at 0x3f5e0150> failed", "<Job object at 0x7f01ab99c2d0> failed", "<Job object at 0x3f5e0150> failed"},
		{"timed out after 99 ms", "timed out after 1207 ms", "timed out after 99 ms"},
		{`no refund: "no"`, `no refund: "I cannot"`, "no refund"},
		{"no such key: beef", "no such key: cafe", ""},
	} {
		groups := phrase.Groups([]string{"another", c.one, c.other})
		if c.text == "" {
			if len(groups) != 3 {
				t.Errorf("%q and %q are one reason: %v", c.one, c.other, groups)
			}
			continue
		}
		if len(groups) != 2 || groups[0].Text != c.text || !slices.Equal(groups[0].Of, []int{1, 2}) {
			t.Errorf("%q and %q: %v", c.one, c.other, groups)
		}
	}
}
