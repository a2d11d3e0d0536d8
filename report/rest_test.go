package report

import (
	"testing"

	"github.com/tribunal-dev/tribunal/report/internal/document"
)

// What is left out is said in the words of whoever shows the report, or in none.
func TestRestIsSaidByTheOptions(t *testing.T) {
	for _, c := range []struct {
		rest func(string) string
		want string
	}{
		{nil, "and 3 more"},
		{func(option string) string { return ", which " + option + " lists" }, "and 3 more, which Rows lists"},
	} {
		d := &document.Document{Detail: Options{Rest: c.rest}.detail(HTMLFormat)}
		if got := more(d, 3, "Rows"); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
