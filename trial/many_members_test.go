package trial_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tribunal-dev/tribunal/internal/thorough"
	"github.com/tribunal-dev/tribunal/trial"
)

// manyMembers is an object of so many members.
func manyMembers(n int) string {
	var b strings.Builder
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"k%d":%d`, i, i)
	}
	return b.String() + "}"
}

// Comparing each name with all those before it would take minutes.
func TestObjectsOfManyNames(t *testing.T) {
	if testing.Short() {
		t.Skip("it computes for long")
	}
	many := thorough.Draws(100_000, 300_000)
	object := manyMembers(many)
	for name, line := range map[string]string{
		"tags":    `{"scenario":"a","outcome":"pass","tags":` + object + `}`,
		"unknown": `{"scenario":"a","outcome":"pass",` + object[1:],
		"step":    `{"scenario":"a","outcome":"pass","steps":[{"action":"respond",` + object[1:] + `]}`,
	} {
		x, err := trial.Decode([]byte(line), trial.Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if err := x.Validate(); err != nil {
			t.Error(name, err)
		}
		for _, list := range []*[]trial.Member{&x.Tags, &x.Extra} {
			if len(*list) != many {
				continue
			}
			(*list)[many-1].Name = "k0"
			var e *trial.FieldError
			if err := x.Validate(); !errors.As(err, &e) || e.Problem != "is given twice" || !strings.HasSuffix(e.Field, "k0") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
